import { anyOfRole } from '../../refs/grammar/text-words.ts'
import type { Anchor, Quotation, QuotedText } from '../quotations/quotes.ts'
import { isSameSentence } from './anchors.ts'

const shortLine = 160

/** The ref of the line after a block, or the last ref of the words before it; for an item of a list all refs of that sentence. */
export function besideBlock(
  text: string,
  quotation: Quotation,
  { blocks }: QuotedText,
  byBlock: readonly (readonly Anchor[])[],
): readonly Anchor[] {
  const following = attributionBehind(text, quotation.block, blocks, byBlock)
  if (following !== undefined) return [following]
  const above = blockAbove(text, quotation.block, blocks, byBlock)
  const before = blocks[above]
  const last = byBlock[above]?.at(-1)
  if (before === undefined || last === undefined) return []
  const leads =
    isSameSentence(text, last.end, before.end) || /:\s*$/.test(text.slice(before.start, before.end))
  if (!leads) return []
  // Several refs above a list may each belong to one of its items.
  const isItem = blocks[quotation.block]?.kind === 'item'
  return isItem ? (byBlock[above] ?? []).filter(({ end }) => isSameSentence(text, end, last.end)) : [last]
}

/** The ref of the line after a block that names its source: `— Tanya, ch. 32`. */
function attributionBehind(
  text: string,
  at: number,
  blocks: QuotedText['blocks'],
  byBlock: readonly (readonly Anchor[])[],
): Anchor | undefined {
  const next = blocks[at + 1]
  const translation = isTranslated(at, blocks) ? at + 1 : undefined
  if (translation !== undefined)
    return byBlock[translation]?.at(-1) ?? attributionBehind(text, translation, blocks, byBlock)
  if (next === undefined || next.kind === 'quote') return undefined
  const line = text.slice(next.start, next.end)
  if (isWithinItem(text, at, blocks) && !label.test(line)) return undefined
  const ref = byBlock[at + 1]?.[0]
  const isAttribution =
    line.length <= shortLine &&
    !/[“„«"”]\S/.test(line) &&
    /^\s*[—–(-]|^[^.:]*\.?$/.test(plainLine(line, next.start, ref)) &&
    !isHeading(text, at + 1, blocks) &&
    !leadsOn(text, at + 1, blocks)
  return isAttribution ? ref : undefined
}

/** Whether a `>` block goes on in another script. A ref before or behind both belongs to both. */
function isTranslated(at: number, blocks: QuotedText['blocks']): boolean {
  const [block, next] = [blocks[at], blocks[at + 1]]
  return block?.kind === 'quote' && next?.kind === 'quote' && next.start - block.end === 1
}

/** Whether a block is part of a list, so that the item after it begins another matter. */
function isWithinItem(text: string, at: number, blocks: QuotedText['blocks']): boolean {
  if (blocks[at + 1]?.kind !== 'item') return false
  if (blocks[at]?.kind === 'item') return true
  return blocks[at - 1]?.kind === 'item' && indentOf(text, at, blocks) > 0
}

/** The block that leads to a block: for an item of a list the one that it is indented under, if that names a ref, or the words above the list. */
function blockAbove(
  text: string,
  at: number,
  blocks: QuotedText['blocks'],
  byBlock: readonly (readonly Anchor[])[],
): number {
  let above = at - 1
  while (isTranslated(above, blocks) && (byBlock[above]?.length ?? 0) === 0) above -= 1
  if (blocks[at]?.kind !== 'item') return above
  let indent = indentOf(text, at, blocks)
  while (blocks[above]?.kind === 'item') {
    const own = indentOf(text, above, blocks)
    if (own < indent && (byBlock[above]?.length ?? 0) > 0) return above
    indent = Math.min(indent, own)
    above -= 1
  }
  return above
}

function indentOf(text: string, at: number, blocks: QuotedText['blocks']): number {
  const start = blocks[at]?.start ?? 0
  return /^[ \t]*/.exec(text.slice(start, start + longestIndent))?.[0].replaceAll('\t', '    ').length ?? 0
}

const longestIndent = 40

/** A label before a ref: `Source: Tanya, ch. 32`. */
export const refLabel = `[*_]{0,2}${anyOfRole('source-label')}[*_]{0,2}:[*_]{0,2}\\s`
const label = new RegExp(`^\\s*(?:[-*+•]\\s+)?${refLabel}`, 'iu')

/** A line that consists of a ref, without its label and without the points that end no sentence: `Tanya, ch. 32`. */
function plainLine(line: string, start: number, ref: Anchor | undefined): string {
  if (ref === undefined) return line
  const plain = `${line.slice(0, ref.start - start)}#${line.slice(ref.end - start)}`.replace(label, '')
  return /[\p{L}\p{N}]/u.test(plain) ? line : plain
}

/** A line of Markdown's headings, or a whole line in bold like the one above the quotation or its list. */
const hashed = /^\s*#{1,6} /
const bold = /^\s*\*\*[^*\n]+\*\*:?\s*$/

/** Whether a block after a quotation is the heading of what follows: it says nothing of the quotation above it. */
export function isHeading(text: string, at: number, blocks: QuotedText['blocks']): boolean {
  let before = at - 2
  while (blocks[before]?.kind === 'item') before -= 1
  const [above = '', line = ''] = [blocks[before], blocks[at]].map(
    (one) => one && text.slice(one.start, one.end),
  )
  return hashed.test(line) || (bold.test(line) && bold.test(above))
}

/** Whether a line is the heading of the next quoted block or list: directly above it, and separated from the block before. */
function leadsOn(text: string, at: number, blocks: QuotedText['blocks']): boolean {
  const [before, line, next] = [blocks[at - 1], blocks[at], blocks[at + 1]]
  if (before === undefined || line === undefined || !next || next.kind === 'prose') return false
  return next.start - line.end === 1 && /\n[^\S\n]*\n/.test(text.slice(before.end, line.start))
}
