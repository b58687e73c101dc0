/** A place in a work. The order of a list of places is the reading order. */
export type PassageRef = { readonly ref: string; readonly heRef: string; readonly sectionRef: string }
