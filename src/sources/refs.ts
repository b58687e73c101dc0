/** The ref one level up: `Tanya, Part I; Likkutei Amarim 32` for `... 32:4`, the node for a single number. */
export function sectionOf(ref: string): string {
  return ref.replace(/(?:[:.]\s*\d+[ab]?| \d+[ab]?)$/, '')
}

/** The ref without its numbers, what a heading shows: `Tanya, Part I; Likkutei Amarim`. */
export function headingOf(ref: string): string {
  return ref.replace(/ \d+[ab]?(?:[:.]\d+)*(?:-\d+[ab]?(?:[:.]\d+)*)?$/, '')
}
