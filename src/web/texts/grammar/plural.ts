/** The forms of a noun with its number, such as `{ one: '1 work', other: (n) => `${n} works` }`. */
export type Forms = {
  readonly one: string
  /** Hebrew has words of their own for two of some things. Default: `other`. */
  readonly two?: string
  readonly other: (count: string) => string
}

/** A function from a count to its words. @param tag the BCP 47 tag whose separators the number has. */
export function counter(tag: string): (forms: Forms) => (count: number) => string {
  return (forms) => (count) => {
    if (count === 1) return forms.one
    if (count === 2 && forms.two !== undefined) return forms.two
    return forms.other(count.toLocaleString(tag))
  }
}
