/** First bytes of the image formats that models read. */
const beginnings: readonly (readonly [hex: RegExp, contentType: string])[] = [
  [/^89504e470d0a1a0a/, 'image/png'],
  [/^ffd8ff/, 'image/jpeg'],
  [/^47494638/, 'image/gif'],
  [/^52494646.{8}57454250/, 'image/webp'],
]

/** Detects the type of an image by its first 12 bytes, and not by its name. Undefined for anything else. */
export function imageTypeOf(head: Buffer): string | undefined {
  const hex = head.subarray(0, 12).toString('hex')
  return beginnings.find(([beginning]) => beginning.test(hex))?.[1]
}
