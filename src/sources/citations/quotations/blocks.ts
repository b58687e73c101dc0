/** A paragraph, a list item, a heading, or consecutive `>` lines. Range in UTF-16 units; `end` is exclusive. */
export type Block = {
  readonly kind: 'prose' | 'item' | 'quote'
  readonly start: number
  readonly end: number
}

const quoteLine = /^[ \t]{0,3}>/
const ownBlock = /^[ \t]*(?:[-*+•] |\d{1,3}[.)] |#{1,6} )/
const blankLine = /^\s*$/

/** Cuts a text into its blocks, in order. It only looks at lines and does not parse Markdown. */
export function splitBlocks(text: string): readonly Block[] {
  const blocks: Block[] = []
  let current: { kind: Block['kind']; start: number; end: number } | undefined
  for (const line of text.matchAll(/[^\n]+/g)) {
    if (current !== undefined && line.index - current.end > 1) current = undefined
    const end = line.index + line[0].length
    const kind = kindOf(line[0], current?.kind)
    if (blankLine.test(line[0])) {
      current = undefined
    } else if (current === undefined || current.kind !== kind || ownBlock.test(line[0])) {
      current = { kind, start: line.index, end }
      blocks.push(current)
    } else current.end = end
  }
  return blocks
}

/** A line that continues a list item belongs to the item. */
function kindOf(line: string, current: Block['kind'] | undefined): Block['kind'] {
  if (quoteLine.test(line)) return 'quote'
  return ownBlock.test(line) || current === 'item' ? 'item' : 'prose'
}
