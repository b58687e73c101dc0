import { statedTexts } from './cmap.ts'
import { decoded, type PdfObjects, referenceIn, referencesIn } from './objects.ts'

/** A font of a page. Its glyphs have numbers of two bytes. */
export type PdfFont = {
  readonly texts: ReadonlyMap<number, string>
  /** In thousandths of the font size. Glyphs of points have no width and are missing. */
  readonly widths: ReadonlyMap<number, number>
}

/** The fonts of a page, by their names in its contents. */
export function fontsOf(objects: PdfObjects, page: string): ReadonlyMap<string, PdfFont> {
  return new Map(
    [...page.matchAll(/\/(f\d+) (\d+) 0 R/g)].map(([, name = '', number]) => [
      name,
      fontOf(objects, Number(number)),
    ]),
  )
}

function fontOf(objects: PdfObjects, number: number): PdfFont {
  const dictionary = objects.get(number)?.dictionary ?? ''
  const cmap = decoded(objects.get(referenceIn(dictionary, 'ToUnicode') ?? -1)) ?? ''
  const [descendant = -1] = referencesIn(dictionary, 'DescendantFonts')
  return { texts: statedTexts(cmap), widths: widthsIn(objects.get(descendant)?.dictionary ?? '') }
}

/** Maximum glyphs of a font that Typst numbers. */
const maxGlyphs = 65_536

/** Reads the array `W`, of which Typst writes only ranges: first glyph, last glyph, width. */
function widthsIn(dictionary: string): ReadonlyMap<number, number> {
  const widths = new Map<number, number>()
  const numbers = (/\/W \[([^\]]*)\]/.exec(dictionary)?.[1] ?? '').trim().split(/\s+/).map(Number)
  for (let at = 0; at + 2 < numbers.length; at += 3) {
    const [first = 0, last = 0, width = 0] = numbers.slice(at, at + 3)
    for (let glyph = first; glyph <= Math.min(last, maxGlyphs); glyph += 1) widths.set(glyph, width)
  }
  return widths
}
