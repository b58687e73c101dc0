/** A paragraph, list item, heading or run of `>` lines; `end` exclusive, in UTF-16 units. */
export type Block = { readonly kind: 'prose' | 'quote'; readonly start: number; readonly end: number }

const quoteLine = /^[ \t]{0,3}>/
const ownBlock = /^[ \t]*(?:[-*+•] |\d{1,3}[.)] |#{1,6} )/
const blankLine = /^\s*$/

/** Cuts a text into its blocks, in order. Only lines are looked at: this is no Markdown parser. */
export function splitBlocks(text: string): readonly Block[] {
  const blocks: Block[] = []
  let current: { kind: Block['kind']; start: number; end: number } | undefined
  for (const line of text.matchAll(/[^\n]+/g)) {
    const end = line.index + line[0].length
    const kind = quoteLine.test(line[0]) ? 'quote' : 'prose'
    const newParagraph = current === undefined || /\n\s*\n/.test(text.slice(current.end, line.index))
    if (blankLine.test(line[0])) {
      current = undefined
    } else if (current === undefined || newParagraph || current.kind !== kind || ownBlock.test(line[0])) {
      current = { kind, start: line.index, end }
      blocks.push(current)
    } else current.end = end
  }
  return blocks
}
