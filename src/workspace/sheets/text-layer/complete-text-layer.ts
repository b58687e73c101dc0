import { cmapSections, statedTexts, utf16 } from './cmap.ts'
import { operationsOf } from './content-tokens.ts'
import { type Cluster, type GlyphTexts, glyphTexts } from './glyph-texts.ts'
import { decoded, objectsOf, type PdfObjects, referenceIn } from './objects.ts'

/**
 * Corrects the ToUnicode CMaps of a PDF from Typst, as an incremental update (ISO 32000-1, 7.5.6): the drawing stays byte
 * for byte. Typst writes no object streams and no compressed cross-reference table; a file of another form stays as
 * it is.
 */
export function completeTextLayer(pdf: Buffer): Buffer {
  const trailer = /trailer\n<<([\s\S]*?)>>\nstartxref\n(\d+)\n%%EOF\s*$/.exec(pdf.toString('latin1'))
  if (!trailer) return pdf
  const objects = objectsOf(pdf)
  const [, entries = '', previous = ''] = trailer
  const changed = [...clustersByFont(objects)].flatMap(([font, clusters]) => {
    const number = referenceIn(objects.get(font)?.dictionary ?? '', 'ToUnicode')
    const cmap = number === undefined ? undefined : objects.get(number)?.stream?.toString('latin1')
    if (number === undefined || cmap === undefined) return []
    return [{ number, cmap: withTexts(cmap, glyphTexts(statedTexts(cmap), clusters)) }]
  })
  if (changed.length === 0) return pdf
  return Buffer.concat([pdf, ...update(pdf.length, changed, `${entries}  /Prev ${previous}\n`)])
}

function* update(
  start: number,
  changed: readonly { readonly number: number; readonly cmap: string }[],
  trailer: string,
): Generator<Buffer> {
  let at = start + 1
  let table = 'xref\n'
  yield Buffer.from('\n')
  for (const { number, cmap } of changed) {
    const dictionary = `<< /Length ${cmap.length} /Type /CMap /WMode 0 >>`
    const object = `${number} 0 obj\n${dictionary}\nstream\n${cmap}\nendstream\nendobj\n`
    table += `${number} 1\n${String(at).padStart(10, '0')} 00000 n\r\n`
    at += object.length
    yield Buffer.from(object, 'latin1')
  }
  yield Buffer.from(`${table}trailer\n<<${trailer}>>\nstartxref\n${at}\n%%EOF\n`, 'latin1')
}

/** The clusters with `ActualText` of all pages, by the number of their font's object. */
function clustersByFont(objects: PdfObjects): ReadonlyMap<number, readonly Cluster[]> {
  const clusters = new Map<number, Cluster[]>()
  for (const { dictionary } of objects.values()) {
    const contents = referenceIn(dictionary, 'Contents')
    const content = /\/Type \/Page\n/.test(dictionary) ? decoded(objects.get(contents ?? -1)) : undefined
    if (content === undefined) continue
    for (const { font, ...cluster } of drawnClusters(content)) {
      const number = referenceIn(dictionary, font)
      if (number === undefined) continue
      const known = clusters.get(number)
      // Grows in place: a sheet can have 100,000 clusters of one font.
      if (known) known.push(cluster)
      else clusters.set(number, [cluster])
    }
  }
  return clusters
}

const span = /\/ActualText <FEFF([0-9A-F]+)>\s*>> BDC\n([\s\S]*?)\nEMC/g

/** The clusters of a page, with the name of their font on that page. */
function drawnClusters(content: string): readonly (Cluster & { readonly font: string })[] {
  return [...content.matchAll(span)].flatMap(([, hex = '', operators = '']) => {
    const font = /\/(f\d+) [\d.]+ Tf/.exec(operators)?.[1]
    return font === undefined ? [] : [{ font, text: utf16(hex), glyphs: glyphsOf(operators) }]
  })
}

/** The glyph numbers, two bytes each, of all strings that are drawn. */
function glyphsOf(operators: string): readonly number[] {
  const bytes = [...operationsOf(operators)]
    .flatMap(({ operands }) => operands.flatMap((one) => (one.kind === 'array' ? one.items : [one])))
    .flatMap((one) => (one.kind === 'string' ? [one.text] : []))
    .join('')
  return Array.from(
    { length: bytes.length / 2 },
    (_, i) => bytes.charCodeAt(2 * i) * 256 + bytes.charCodeAt(2 * i + 1),
  )
}

/** Sections of at most 100 entries, as the format demands. */
function withTexts(cmap: string, texts: GlyphTexts): string {
  const lines = [...texts]
    .sort(([a], [b]) => a - b)
    .map(([glyph, text]) => `<${glyph.toString(16).toUpperCase().padStart(4, '0')}> <${hexOf(text)}>\n`)
  const parts: string[] = []
  for (let at = 0; at < lines.length; at += 100) {
    const part = lines.slice(at, at + 100)
    parts.push(`${part.length} beginbfchar\n${part.join('')}endbfchar\n`)
  }
  const start = cmap.search(cmapSections)
  return start < 0
    ? cmap
    : cmap.slice(0, start) + parts.join('') + cmap.slice(start).replace(cmapSections, '')
}

function hexOf(text: string): string {
  return Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()
}
