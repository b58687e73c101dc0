/** A number in an address: a chapter, a paragraph, or a leaf with its side or column, such as `2a`. */
export type AddressPart = string

/** A parsed ref: its heading and its numbers, from general to specific. */
export type ParsedRef = {
  readonly heading: string
  readonly address: readonly AddressPart[]
  /** The end of a range, with as many numbers as the start. */
  readonly until?: readonly AddressPart[]
  /** Whether it counts by leaves. Its number is none of a chapter then. */
  readonly isLeaf?: boolean
}

export function trimHeading(text: string): string {
  return text.replace(/^[\s.,:;"']+|[\s.,:;]+$/g, '')
}

/** Completes the end of a range, which contains only the numbers that differ: `1:1-3` ends at `1:3`. */
export function rangeEnd(start: readonly AddressPart[], end: readonly AddressPart[]): readonly AddressPart[] {
  return [...start.slice(0, Math.max(0, start.length - end.length)), ...end]
}

/** Joins two refs to a range: `Tanya 32:1–5`. Without a common beginning both are written in full. */
export function spanOf(first: string, last: string): string {
  if (first === last) return first
  const cut = commonBeginning(first, last)
  return cut === 0 ? `${first} – ${last}` : `${first}–${last.slice(cut)}`
}

/** Length of the common beginning of two refs, up to a space or colon, so that numbers stay whole. */
function commonBeginning(first: string, last: string): number {
  let cut = 0
  for (let i = 0; i < first.length && first[i] === last[i]; i += 1)
    if (/[\s:]/.test(first[i] ?? '')) cut = i + 1
  return cut
}
