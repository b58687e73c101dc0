/** A part of a text, in UTF-16 units; `end` is exclusive. */
export type Span = { readonly start: number; readonly end: number }

/**
 * Returns the index of the first span that starts at or after a position; the number of spans if none does.
 * @param spans in order of their starts.
 */
export function firstFrom(spans: readonly Span[], position: number): number {
  return firstAfter(spans, ({ start }) => start < position)
}

/** Returns the index of the first span that is not before something. The others come after it. Binary search. */
export function firstAfter<S>(spans: readonly S[], isBefore: (span: S) => boolean): number {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(spans[middle] as S)) low = middle + 1
    else high = middle
  }
  return low
}

/** Whether a span lies within one of the outer ones, in logarithmic time: a long answer has thousands. */
export function containedIn(outer: readonly Span[]): (inner: Span) => boolean {
  const sorted = outer.toSorted((a, b) => a.start - b.start)
  let farthest = 0
  const farthestEnds = sorted.map(({ end }) => {
    farthest = Math.max(farthest, end)
    return farthest
  })
  return ({ start, end }) => (farthestEnds[firstFrom(sorted, start + 1) - 1] ?? -1) >= end
}

/** Whether words in quotation marks are one of the spans and nothing else: `("Tanya, chapter 26")`. */
export function fillsMarks(spans: readonly Span[]): (quoted: Span) => boolean {
  const signs = 2
  const within = containedIn(spans)
  return ({ start, end }) => within({ start: start + signs, end: end - signs })
}

/**
 * Returns the span with the smallest distance to a position; of two with the same distance, the earlier one.
 * @param spans in order, without overlaps.
 */
export function nearestTo<S extends Span>({ start, end }: Span, spans: readonly S[]): S | undefined {
  const next = firstFrom(spans, start)
  const [before, after] = [spans[next - 1], spans[next]]
  if (before === undefined || after === undefined) return before ?? after
  return start - before.end <= after.start - end ? before : after
}
