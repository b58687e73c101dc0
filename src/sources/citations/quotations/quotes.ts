import { type Block, quoteSigns } from './blocks.ts'
import { Doc } from './doc.ts'
import { italicSpans } from './italics.ts'
import { quoteSpans } from './quote-marks.ts'
import { minLetters, type PreparedQuote, prepareQuote } from './readings.ts'
import type { Span } from './spans.ts'
import { filler } from './usual-marks.ts'

/** A mark or a written ref in the text, to which a quotation may belong. */
export type Anchor = { readonly start: number; readonly end: number; readonly keys: readonly string[] }

/** A quotation of at least 12 letters and three words. Range in UTF-16 units of its text. */
export type Quotation = {
  readonly text: string
  readonly start: number
  readonly end: number
  /** Index of its block. */
  readonly block: number
  /** Whether its block contains nothing else of importance. */
  readonly standsAlone: boolean
  readonly prepared: PreparedQuote
}

/** Words that look like a quotation and are none: few words, or emphasis. Range in UTF-16 units. */
export type NoQuotation = Span & { readonly reason: 'too_short' | 'emphasis' }

export type QuotedText = {
  readonly blocks: readonly Block[]
  readonly quotations: readonly Quotation[]
  /** At most 500. */
  readonly others: readonly NoQuotation[]
}

/** A text can have tens of thousands of short terms in quotation marks. */
const maxOthers = 500

/** In a `>` block, quoted parts with less than this fraction of its letters are part of the block's quotation. */
const shareOfBlock = 0.6

/** The quoted words of one block. */
type QuotedBlock = { readonly index: number; readonly block: Block; readonly spans: readonly Span[] }

/**
 * Finds the quotations of a text: in quotation marks, in italics that mark a quotation, and in `>` blocks. It skips
 * quotations with fewer than 12 letters or three words.
 * @param citationMarks the marks of the text. They are not part of a quotation; in a `>` block a mark ends one.
 * @param edges the refs at the edges of `>` blocks, treated in the same way.
 * @param refs the refs of the text. Italics before one, and a definition or a caption that has one, are quotations.
 */
export function findQuotations(
  whole: string | Doc,
  citationMarks: readonly Anchor[],
  edges: readonly Anchor[] = [],
  refs: readonly Anchor[] = [],
): QuotedText {
  const doc = Doc.of(whole)
  const marks = edges.length === 0 ? citationMarks : apart([...citationMarks, ...edges])
  const masked = withoutMarks(doc.text, marks)
  const quotations: Quotation[] = []
  const others: NoQuotation[] = []
  const skip = ({ start, end }: Span, reason: NoQuotation['reason']): void => {
    if (others.length < maxOthers) others.push({ start, end, reason })
  }
  for (const { index, block, spans } of quotedBlocks(doc, marks, refs, skip)) {
    const letters = lettersIn(masked.slice(block.start, block.end))
    for (const { start, end } of spans) {
      const prepared = prepareQuote(masked.slice(start, end))
      if (!isQuotation(prepared)) {
        skip({ start, end }, 'too_short')
        continue
      }
      const standsAlone = prepared.letters >= shareOfBlock * letters
      const words = masked.slice(start, end).replace(/\s+/g, ' ').trim()
      quotations.push({ text: words, start, end, block: index, standsAlone, prepared })
    }
  }
  return { blocks: doc.blocks, quotations, others }
}

/** The ranges of a text that are quoted, without preparing them for a comparison, which takes most of the time. */
export function quotedRanges(text: string): readonly Span[] {
  const doc = new Doc(text)
  const isLong = ({ start, end }: Span): boolean =>
    (text.slice(start, end).match(/\s+/g)?.length ?? 0) + 1 >= minWords
  return quotedBlocks(doc, [], [], () => undefined).flatMap(({ spans }) => spans.filter(isLong))
}

function quotedBlocks(
  { blocks, usual }: Doc,
  marks: readonly Anchor[],
  refs: readonly Anchor[],
  skip: (span: Span, reason: NoQuotation['reason']) => void,
): readonly QuotedBlock[] {
  const masked = withoutMarks(usual, marks)
  let nextMark = 0
  return blocks.map((block, index) => {
    const inBlock: Anchor[] = []
    for (let mark = marks[nextMark]; mark !== undefined && mark.start < block.end; mark = marks[nextMark]) {
      inBlock.push(mark)
      nextMark += 1
    }
    const quoted =
      block.kind === 'quote'
        ? blockSpans(masked, block, inBlock)
        : proseSpans(masked, block, blocks[index - 1], [inBlock, refs], (span) => skip(span, 'emphasis'))
    // Folding tens of thousands of short quoted terms would take longer than everything else.
    const spans = quoted
      .map((span) => withoutFillers(masked, span))
      .filter((span) => {
        const isLong = span.end - span.start >= minLetters
        if (!isLong) skip(span, 'too_short')
        return isLong
      })
    return { index, block, spans }
  })
}

/** One or two words in quotation marks are a term. A text without any space is in a script that has none. */
const minWords = 3
const longestWord = 40

function isQuotation({ letters, words }: PreparedQuote): boolean {
  return letters >= minLetters && (words >= minWords || letters > longestWord)
}

/** Returns the anchors in order, without those that overlap an earlier one. */
function apart(anchors: readonly Anchor[]): readonly Anchor[] {
  let end = 0
  return anchors
    .toSorted((a, b) => a.start - b.start)
    .filter((anchor) => {
      const isApart = anchor.start >= end
      if (isApart) end = anchor.end
      return isApart
    })
}

/** The rest of a mark of several characters is not quoted. */
function withoutFillers(usual: string, { start, end }: Span): Span {
  let [first, last] = [start, end]
  while (first < last && usual.charAt(first) === filler) first += 1
  while (last > first && (usual.charAt(last - 1) === filler || usual.charAt(last - 1) === ' ')) last -= 1
  return { start: first, end: last }
}

/** Replaces marks and the `>` of quoted lines by spaces, so that offsets stay valid. */
function withoutMarks(text: string, marks: readonly Anchor[]): string {
  const parts: string[] = []
  let from = 0
  for (const { start, end } of marks) {
    parts.push(text.slice(from, start), ' '.repeat(end - start))
    from = end
  }
  return [...parts, text.slice(from)].join('').replace(quoteSigns, (line) => ' '.repeat(line.length))
}

/** Finds quotations in quotation marks or italics, in order. Without one, a definition of a ref and captions are read. */
function proseSpans(
  masked: string,
  block: Block,
  before: Block | undefined,
  [marks, refs]: readonly [marks: readonly Anchor[], refs: readonly Anchor[]],
  onEmphasis: (span: Span) => void,
): readonly Span[] {
  const quoted = quoteSpans(masked, block.start, block.end)
  const italic = italicSpans(masked, block, quoted, { marks, refs, onEmphasis })
  if (quoted.length + italic.length === 0) return captions(masked, block, before, refs)
  return italic.length === 0 ? quoted : [...quoted, ...italic].toSorted((a, b) => a.start - b.start)
}

/** Elements whose whole text is a quotation if a ref belongs to it. */
const caption = /<(?<tag>dd|figcaption|caption)(?:\s[^<>]{0,300})?>(?<words>[^<>]{1,4000})<\/\k<tag>>/giu
const longestTerm = 200

/** The words of definitions and captions with a ref: their term is the ref, or they end with it in brackets or behind a dash. */
function captions(
  masked: string,
  block: Block,
  before: Block | undefined,
  refs: readonly Anchor[],
): readonly Span[] {
  if (refs.length === 0) return []
  const isRef = ({ start, end }: Span): boolean => {
    const inside = refs.find((ref) => ref.start >= start && ref.end <= end)
    const rest = inside && masked.slice(start, inside.start) + masked.slice(inside.end, end)
    return rest !== undefined && !/[\p{L}\p{N}]/u.test(rest.replace(/<[^<>]*>/g, ''))
  }
  if (block.kind === 'definition') {
    const start = block.start + masked.slice(block.start, block.end).indexOf(':') + 1
    return before !== undefined && isRef(before) ? [{ start, end: block.end }] : []
  }
  return [...masked.slice(block.start, block.end).matchAll(caption)].flatMap(
    ({ 0: whole, index, groups }) => {
      const end = block.start + index + whole.lastIndexOf('<')
      const start = end - (groups?.['words']?.length ?? 0)
      const last = refs.findLast((ref) => ref.start >= start && ref.end <= end)
      const closes = last !== undefined && !/[\p{L}\p{N}]/u.test(masked.slice(last.end, end))
      const lead = closes ? /\s*[([—–-]\s*$/u.exec(masked.slice(start, last.start)) : null
      if (lead !== null) return [{ start, end: start + lead.index }]
      const [opens] = [
        ...masked
          .slice(Math.max(0, block.start + index - longestTerm), block.start + index)
          .matchAll(/<dt[\s>]/gi),
      ].slice(-1)
      const term = opens && {
        start: Math.max(0, block.start + index - longestTerm) + opens.index,
        end: block.start + index,
      }
      return term !== undefined && isRef(term) ? [{ start, end }] : []
    },
  )
}

/** Matches an attribution line at the end of a quotation, such as `— Tanya 32:4`. */
const attribution = /\n[ \t]*[—–-][^\n]{0,160}$/

/** What stands before the words of a `>` block in two languages: `**Hebrew:** …`. */
const languageLabel =
  /^[\s*_]*(?:hebrew|english|aramaic|yiddish|original|translation|source|עברית|אנגלית|מקור|תרגום|בתרגום)(?: (?:text|translation))?[*_]{0,2}\s?:[*_]{0,2}\s*/iu

/**
 * Finds the quotations of a `>` block, which its marks cut into pieces. A piece that is mostly in quotation marks gives
 * the quoted parts; any other piece is one quotation.
 */
function blockSpans(masked: string, block: Block, marks: readonly Anchor[]): readonly Span[] {
  const label = languageLabel.exec(masked.slice(block.start, block.end))?.[0].length ?? 0
  const starts = [block.start + label, ...marks.map((mark) => mark.end)]
  const edges = [...marks.map((mark) => mark.start), block.end]
  const all: Span[] = []
  for (const [i, edge] of edges.entries()) {
    const start = starts[i] ?? block.start
    const piece = masked.slice(start, edge)
    // Blanks at the end are cut first; an expression that also matches them tries each split of a long row of blanks.
    const end = start + (attribution.exec(piece.trimEnd())?.index ?? piece.length)
    const spans = quoteSpans(masked, start, end)
    const inMarks = spans.reduce((sum, span) => sum + lettersIn(masked.slice(span.start, span.end)), 0)
    const isInMarks = inMarks >= shareOfBlock * lettersIn(masked.slice(start, end))
    for (const span of isInMarks ? spans : [{ start, end }]) all.push(span)
  }
  return all
}

function lettersIn(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
}
