/** A number in an address: a chapter, a paragraph, or a leaf with its side or column such as `2a`. */
export type AddressPart = string

/** A ref taken apart: what it stands under, and the numbers, from general to special. */
export type ParsedRef = {
  readonly heading: string
  readonly address: readonly AddressPart[]
  /** The last place of a range, as deep as the first. */
  readonly until?: readonly AddressPart[]
}

export function trimHeading(text: string): string {
  return text.replace(/^[\s.,:;"']+|[\s.,:;]+$/g, '')
}

/** `1:1-3` ends at `1:3`: a range gives only what differs at its end. */
export function rangeEnd(start: readonly AddressPart[], end: readonly AddressPart[]): readonly AddressPart[] {
  return [...start.slice(0, Math.max(0, start.length - end.length)), ...end]
}
