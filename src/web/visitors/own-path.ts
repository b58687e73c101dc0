/** A path of these pages; undefined for other values, which could redirect to another site. */
export function ownPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^\/(?![/\\])[^\s\\]*$/.test(text) || text.length > 2_000) return undefined
  return text
}
