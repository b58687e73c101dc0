import type { Block } from '../quotations/blocks.ts'
import { type BracketReading, readBrackets, readParentheses } from '../quotations/marks.ts'
import type { Anchor, Quotation, QuotedText } from '../quotations/quotes.ts'
import { firstAfter } from '../quotations/spans.ts'

/** Finds the citation marks in a model's text, in order. Consecutive marks form one anchor. */
export function findMarks(text: string, offered: (mark: string) => boolean): readonly Anchor[] {
  const anchors: { start: number; end: number; keys: string[] }[] = []
  const bracket = /[[【(]/g
  for (let match = bracket.exec(text); match !== null; match = bracket.exec(text)) {
    const found = readGroup(text, match.index, offered)
    if (found === undefined) continue
    const { end } = found
    const last = anchors.at(-1)
    if (
      last !== undefined &&
      /^[ ,;]{0,3}$/.test(text.slice(last.end, Math.min(match.index, last.end + 4)))
    ) {
      last.end = end
      for (const mark of found.marks) last.keys.push(mark)
    } else anchors.push({ start: match.index, end, keys: [...found.marks] })
    bracket.lastIndex = end
  }
  return anchors
}

/** `readBrackets` decides about a mark within 40 characters, so this window is large enough. */
const lookedAt = 200
const lookedAtLeast = 100

/** Reads a group of marks in a window of the text, because each mark copies the rest of the string. */
function readGroup(
  text: string,
  from: number,
  offered: (mark: string) => boolean,
): { readonly marks: ReadonlySet<string>; readonly end: number } | undefined {
  const marks = new Set<string>()
  let to = Math.min(from + lookedAt, text.length)
  let input = text.slice(from, to)
  for (;;) {
    const reading = readMarks(input, offered, to === text.length)
    if (reading.kind === 'worded') return { marks: marks.add(reading.mark), end: to - reading.rest.length }
    if (reading.kind !== 'marks') return marks.size === 0 ? undefined : { marks, end: to - input.length }
    for (const mark of reading.marks) marks.add(mark)
    if (!reading.more) return { marks, end: to - reading.rest.length }
    const next = reading.rest.length < lookedAtLeast ? Math.min(to + lookedAt, text.length) : to
    input = reading.rest + text.slice(to, next)
    to = next
  }
}

function readMarks(input: string, offered: (mark: string) => boolean, isEnd: boolean): BracketReading {
  return input.startsWith('(') ? readParentheses(input, offered, isEnd) : readBrackets(input, offered, isEnd)
}

/** Matches the end of a sentence and the beginning of the next one. The dot of `cf.` or `ch.` ends none. */
const sentenceEnd = /(?<!(?<![\p{L}\p{N}])(?:cf|ch|vol|pp?|R))[.?!׃][”"“»״’)\]]*\s+[\p{L}"“„«‘״]/u
/** Maximum distance of two positions in one sentence, in UTF-16 units. */
const longestSentence = 1000

/**
 * Finds the anchor of each quotation. If every quotation of a block has a mark of its own before it, that mark. Otherwise
 * the first that exists: the next mark in its sentence, the one before it there, the next one in the paragraph, the last one
 * before it there. A quotation in a paragraph of its own tries the mark in the short line after it, and then the last mark of
 * the paragraph before.
 * @param anchors in order, without overlaps.
 * @returns the anchors, at the index of their quotation.
 */
export function attributeQuotations(
  text: string,
  { blocks, quotations }: QuotedText,
  anchors: readonly Anchor[],
): readonly (Anchor | undefined)[] {
  const byBlock = groupByBlock(blocks, anchors)
  const led = new Map(
    [...Map.groupBy(quotations, ({ block }) => block)].flatMap(([block, quoted]) =>
      leadsEach(text, byBlock[block] ?? [], quoted) ? quoted.map((one, i) => [one, byBlock[block]?.[i]]) : [],
    ),
  )
  const anchorOf = (quotation: Quotation, i: number): Anchor | undefined => {
    const near = neighbours(quotation, byBlock[quotation.block] ?? [])
    const next = quotations[i + 1]
    const previous = quotations[i - 1]
    const after = near.after && isSameSentence(text, quotation.end, near.after.start) ? near.after : undefined
    const before =
      near.before && isSameSentence(text, near.before.end, quotation.start) ? near.before : undefined
    const othersAfter = next !== undefined && after !== undefined && next.start < after.start
    const othersBefore = previous !== undefined && before !== undefined && previous.end > before.end
    if (after !== undefined && !(othersAfter && before !== undefined && !othersBefore)) return after
    return before ?? near.after ?? near.before ?? fromOtherBlocks(text, quotation, blocks, byBlock)
  }
  return quotations.map((quotation, i) => led.get(quotation) ?? anchorOf(quotation, i))
}

/** Whether several quotations have one mark each, before them in their sentences: `[S1] says “…”, and [S2] “…”`. */
function leadsEach(text: string, marks: readonly Anchor[], quoted: readonly Quotation[]): boolean {
  return (
    quoted.length > 1 &&
    quoted.length === marks.length &&
    quoted.every(({ start }, i) => {
      const [mark, before] = [marks[i], quoted[i - 1]]
      const isBefore = mark !== undefined && mark.end <= start && isSameSentence(text, mark.end, start)
      return isBefore && (before === undefined || /[\p{L}\n]/u.test(text.slice(before.end, mark.start)))
    })
  )
}

/** The anchors of each block. */
export function groupByBlock(
  blocks: readonly Block[],
  anchors: readonly Anchor[],
): readonly (readonly Anchor[])[] {
  let at = 0
  return blocks.map((block) => {
    const from = at
    while (at < anchors.length && (anchors[at]?.start ?? 0) < block.end) at += 1
    return anchors.slice(from, at)
  })
}

/** Returns the first anchor that ends after the start of the quotation, and the last one that ends before it. */
function neighbours(quotation: Quotation, anchors: readonly Anchor[]): { before?: Anchor; after?: Anchor } {
  const next = firstAfter(anchors, ({ end }) => end <= quotation.start)
  const [before, after] = [anchors[next - 1], anchors[next]]
  return { ...(before && { before }), ...(after && { after }) }
}

/** Brackets directly behind a quotation, not closed yet. A point within them abbreviates: `“…” (b. Shabbat 30b)`. */
const inBrackets = /^["”“»״’'›*_.,;:!?…]{0,4}\s?[([][^()[\]\n]{0,160}$/

/** Whether two positions with this text between them are in one sentence. */
export function isSameSentence(text: string, from: number, to: number): boolean {
  if (to - from > longestSentence) return false
  const between = text.slice(from, to + 1)
  return !sentenceEnd.test(between) || inBrackets.test(between.slice(0, -1))
}

const longestAttribution = 160

function fromOtherBlocks(
  text: string,
  quotation: Quotation,
  blocks: readonly Block[],
  byBlock: readonly (readonly Anchor[])[],
): Anchor | undefined {
  if (!quotation.standsAlone || blocks[quotation.block]?.kind === 'item') return undefined
  const next = blocks[quotation.block + 1]
  const nextText = next?.kind === 'prose' ? text.slice(next.start, next.end) : undefined
  const isAttribution =
    nextText !== undefined && nextText.length <= longestAttribution && !/[“„«"]/.test(nextText)
  const following = isAttribution ? byBlock[quotation.block + 1]?.[0] : undefined
  return following ?? byBlock[quotation.block - 1]?.at(-1)
}
