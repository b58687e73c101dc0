/** A range of bytes; `end` is exclusive. */
export type ByteRange = { readonly start: number; readonly end: number }

/**
 * Parses a `Range` header (RFC 9110, section 14).
 * @param size bytes of the whole content.
 * @returns undefined when the whole content is sent: no header, another unit, several ranges or an invalid
 * range; `unsatisfiable` when the range starts after the end.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? '')
  if (!match) return undefined
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size }
  }
  if (last !== '' && Number(last) < Number(first)) return undefined
  if (Number(first) >= size) return 'unsatisfiable'
  return { start: Number(first), end: last === '' ? size : Math.min(Number(last) + 1, size) }
}

/**
 * Whether an `If-None-Match` header contains this tag. Uses the weak comparison that RFC 9110 requires for
 * this header.
 */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((item) => {
    const named = item.trim()
    return named === '*' || named.replace(/^W\//, '') === tag
  })
}
