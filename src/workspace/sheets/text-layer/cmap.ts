const entry = /<([0-9A-F]{4})> <([0-9A-F]+)>/g

/** The sections of a ToUnicode CMap that list glyphs one by one. */
export const cmapSections = /\d+ beginbfchar\n[\s\S]*?endbfchar\n/g

/** What a ToUnicode CMap says of each glyph, by its number. */
export function statedTexts(cmap: string): ReadonlyMap<number, string> {
  const listed = (cmap.match(cmapSections) ?? []).join('')
  return new Map(
    [...listed.matchAll(entry)].map(([, glyph = '', text = '']) => [Number.parseInt(glyph, 16), utf16(text)]),
  )
}

/** Text that stands in a PDF as hexadecimal UTF-16, big-endian. */
export function utf16(hex: string): string {
  const even = hex.length % 4 === 0 ? hex : hex.slice(0, -(hex.length % 4))
  return Buffer.from(even, 'hex').swap16().toString('utf16le')
}
