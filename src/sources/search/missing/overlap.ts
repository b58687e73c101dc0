/** UTF-16 start and end of a part of a text. */
export type Span = { readonly start: number; readonly end: number }

export function overlap(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end
}
