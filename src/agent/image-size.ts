export type ImageSize = { readonly width: number; readonly height: number }

/** Maximum base64 characters to decode. The size of a JPEG follows its metadata, which often takes 100 KB. */
const examinedCharacters = 256 * 1024

/**
 * Reads width and height in pixels from the header of an image in a `data:` URL. Undefined for other URLs, for
 * formats other than PNG, JPEG, GIF and WebP, and for a header that is malformed or not within the first 192
 * KB.
 */
export function imageSize(url: string): ImageSize | undefined {
  // Search only the beginning, because an image has millions of characters.
  const comma = url.slice(0, 200).indexOf(',')
  if (!url.startsWith('data:') || !url.slice(0, comma).endsWith(';base64')) return undefined
  const bytes = Buffer.from(url.slice(comma + 1, comma + 1 + examinedCharacters), 'base64')
  const size = pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes)
  return size && size.width > 0 && size.height > 0 ? size : undefined
}

function startsWith(bytes: Buffer, text: string, at = 0): boolean {
  return bytes.toString('latin1', at, at + text.length) === text
}

function pngSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 24 || !startsWith(bytes, '\x89PNG\r\n\x1a\n')) return undefined
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function gifSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 10 || !startsWith(bytes, 'GIF8')) return undefined
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

/** WebP has three chunk types: lossy, lossless and extended. */
function webpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30 || !startsWith(bytes, 'RIFF') || !startsWith(bytes, 'WEBP', 8)) return undefined
  if (startsWith(bytes, 'VP8 ', 12)) {
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  }
  if (startsWith(bytes, 'VP8L', 12)) {
    const packed = bytes.readUInt32LE(21)
    return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 }
  }
  if (!startsWith(bytes, 'VP8X', 12)) return undefined
  return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
}

/** Follows the segments by their lengths to the first frame header. */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  if (!startsWith(bytes, '\xff\xd8')) return undefined
  let at = 2
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    if (beginsFrame(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    // 0xff may be repeated before a marker.
    at += marker === 0xff ? 1 : 2 + Math.max(bytes.readUInt16BE(at + 2), 2)
  }
  return undefined
}

/** SOF0 to SOF15, without the three markers in that range that are tables. */
function beginsFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}
