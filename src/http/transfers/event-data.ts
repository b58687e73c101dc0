/** Ends of lines for some readers of event streams, which split at more than the standard's CR and LF. */
const otherLineEnds = /[\u0085\u2028\u2029]/g

/** A value as JSON for a `data:` line, on one line for every reader. */
export function eventData(value: unknown): string {
  return JSON.stringify(value).replace(
    otherLineEnds,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
