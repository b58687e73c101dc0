/** A place in a work; the list of them gives the reading order. */
export type Place = { readonly ref: string; readonly heRef: string; readonly sectionRef: string }
