import type { Block } from '../quotations/blocks.ts'
import { type Reading, readBrackets, readParentheses } from '../quotations/marks.ts'
import type { Anchor, Quotation, QuotedText } from '../quotations/quotes.ts'

/**
 * The citation marks in a text as the model wrote it, in order; marks that follow each other are one anchor. Yields
 * wherever it may be interrupted.
 */
export function* findMarks(
  text: string,
  offered: (mark: string) => boolean,
): Generator<undefined, readonly Anchor[]> {
  const anchors: { start: number; end: number; keys: string[] }[] = []
  const bracket = /[[【(]/g
  for (let match = bracket.exec(text); match !== null; match = bracket.exec(text)) {
    yield
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

/** A mark is decided within 40 characters. */
const lookedAt = 200
const lookedAtLeast = 100

/** Reads a window of the text at a time: each mark of a group makes a new text of what is left. */
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

function readMarks(input: string, offered: (mark: string) => boolean, isEnd: boolean): Reading {
  return input.startsWith('(') ? readParentheses(input, offered, isEnd) : readBrackets(input, offered, isEnd)
}

/** The end of a sentence and the beginning of the next one. */
const sentenceEnd = /[.?!׃][”"“»״’)\]]*\s+[\p{L}"“„«‘״]/u
/** Further apart, two places are not looked at as one sentence. */
const longestSentence = 1000

/**
 * Finds for each quotation the anchor it belongs to, in this order: the mark behind it in its sentence, the mark
 * before it there, the next one in the paragraph, the last one before it there; for a quotation in a paragraph of its
 * own, a mark in the short line that follows it, then the last mark of the paragraph before.
 *
 * @param anchors in order and apart.
 * @returns the anchors, at the index of their quotation.
 */
export function attribute(
  text: string,
  { blocks, quotations }: QuotedText,
  anchors: readonly Anchor[],
): readonly (Anchor | undefined)[] {
  const byBlock = groupByBlock(blocks, anchors)
  return quotations.map((quotation, i) => {
    const near = neighbours(quotation, byBlock[quotation.block] ?? [])
    const next = quotations[i + 1]
    const previous = quotations[i - 1]
    const after = near.after && within(text, quotation.end, near.after.start) ? near.after : undefined
    const before = near.before && within(text, near.before.end, quotation.start) ? near.before : undefined
    const othersAfter = next !== undefined && after !== undefined && next.start < after.start
    const othersBefore = previous !== undefined && before !== undefined && previous.end > before.end
    if (after !== undefined && !(othersAfter && before !== undefined && !othersBefore)) return after
    return before ?? near.after ?? near.before ?? fromOtherBlocks(text, quotation, blocks, byBlock)
  })
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

/** The first anchor that ends behind the quotation's start and the last one that ends before, by halving. */
function neighbours(quotation: Quotation, anchors: readonly Anchor[]): { before?: Anchor; after?: Anchor } {
  let low = 0
  let high = anchors.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((anchors[middle]?.end ?? 0) <= quotation.start) low = middle + 1
    else high = middle
  }
  const before = anchors[low - 1]
  const after = anchors[low]
  return { ...(before && { before }), ...(after && { after }) }
}

/** Whether two places with this between them are in one sentence. */
export function within(text: string, from: number, to: number): boolean {
  return to - from <= longestSentence && !sentenceEnd.test(text.slice(from, to + 1))
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
