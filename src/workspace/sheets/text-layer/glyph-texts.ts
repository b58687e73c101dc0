/** A letter with its points as the PDF draws it: the glyphs from left to right, and the text that they show. */
export type Cluster = { readonly glyphs: readonly number[]; readonly text: string }

/** What each glyph of a font means, by its number. */
export type GlyphTexts = ReadonlyMap<number, string>

const pointed = /^[\u05d0-\u05ea\ufb1d-\ufb4f][\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]+$/

/** Points that fonts draw in one glyph with their letter: dagesh, and the dots of shin. */
const fused = /[\u05bc\u05c1\u05c2]/

/**
 * Finds what each glyph of pointed letters means. Typst gives a glyph the text of the whole cluster in which it was first
 * drawn, or none: the glyph of qamats then means `רָ` everywhere. In a right-to-left cluster the points are drawn
 * first and the letter last.
 * @param stated what the font's CMap says.
 * @param clusters clusters that the file marks with `ActualText`.
 */
export function glyphTexts(stated: GlyphTexts, clusters: readonly Cluster[]): GlyphTexts {
  const split = lettersLast(
    stated,
    [...clusters, ...unmarkedClusters(stated, clusters)].filter(
      ({ glyphs, text }) => glyphs.length > 1 && pointed.test(text),
    ),
  )
  const points = pointGlyphs(split)
  const found = new Map(stated)
  for (const [glyph, point] of points) found.set(glyph, point)
  for (const { glyphs, text } of split) {
    const letter = glyphs.at(-1)
    const drawn = new Set(glyphs.slice(0, -1).map((glyph) => points.get(glyph)))
    if (letter !== undefined) found.set(letter, [...text].filter((char) => !drawn.has(char)).join(''))
  }
  return new Map([...found].map(([glyph, text]) => [glyph, composed(text)]))
}

/**
 * Some fonts draw some points after the letter. A glyph that was also drawn alone as the letter is the letter; one that
 * stands with several letters is a point.
 */
function lettersLast(stated: GlyphTexts, clusters: readonly Cluster[]): readonly Cluster[] {
  const letters = new Map<number, Set<string>>()
  for (const { glyphs, text } of clusters)
    for (const glyph of glyphs)
      letters.set(glyph, new Set([...(letters.get(glyph) ?? []), ...text.slice(0, 1)]))
  return clusters.map(({ glyphs, text }) => {
    const likely = glyphs.filter((glyph) => letters.get(glyph)?.size === 1)
    const letter = glyphs.find((glyph) => stated.get(glyph) === text[0]) ?? likely.at(-1) ?? glyphs.at(-1)
    const others = glyphs.filter((glyph) => glyph !== letter)
    return { glyphs: letter === undefined ? glyphs : [...others, letter], text }
  })
}

/** Letters with a point as one character, by the characters that they stand for (Alphabetic Presentation Forms). */
const presentationForms: ReadonlyMap<string, string> = new Map(
  Array.from({ length: 0xfb4e - 0xfb1d + 1 }, (_, i) => String.fromCodePoint(0xfb1d + i)).map((form) => [
    form.normalize('NFD'),
    form,
  ]),
)

/**
 * A letter and its point in one glyph as one character: readers reverse the characters of a glyph in a right-to-left
 * line, and normalise this form to the letter followed by the point.
 */
function composed(text: string): string {
  return presentationForms.get(text.normalize('NFD')) ?? text
}

/**
 * Clusters that were drawn once and have no `ActualText`: all their glyphs state the same text. Glyphs are numbered in
 * the order in which they are drawn first.
 */
function unmarkedClusters(stated: GlyphTexts, clusters: readonly Cluster[]): readonly Cluster[] {
  const points = new Set(clusters.flatMap(({ glyphs }) => glyphs.slice(0, -1)))
  const byText = Map.groupBy(
    [...stated].filter(([, text]) => pointed.test(text)),
    ([, text]) => text,
  )
  return [...byText].flatMap(([text, entries]) => {
    const glyphs = entries.map(([glyph]) => glyph).sort((a, b) => a - b)
    const letters = glyphs.filter((glyph) => !points.has(glyph))
    // A glyph of a point may have stated the text of a marked cluster, whose letter is known.
    if (glyphs.length < 2 || letters.length === 0) return []
    const ordered = [...glyphs.filter((glyph) => points.has(glyph)), ...letters]
    return [{ glyphs: ordered, text }]
  })
}

/** What the glyphs of points mean: clusters with as many points as glyphs for them are certain, and come first. */
function pointGlyphs(clusters: readonly Cluster[]): GlyphTexts {
  const points = new Map<number, string>()
  const spare = ({ glyphs, text }: Cluster) => [...text].length - glyphs.length
  for (const { glyphs, text } of clusters.toSorted((a, b) => spare(a) - spare(b))) {
    const unknown = glyphs.slice(0, -1).filter((glyph) => !points.has(glyph))
    const known = new Set(glyphs.flatMap((glyph) => points.get(glyph) ?? []))
    const left = [...text].slice(1).filter((char) => !known.has(char))
    const candidates = left.toSorted((a, b) => Number(fused.test(a)) - Number(fused.test(b)))
    for (const [at, glyph] of unknown.entries()) {
      const point = candidates[at]
      if (point !== undefined) points.set(glyph, point)
    }
  }
  return points
}
