/** A paragraph, a list item, a heading, a definition (`: …` below its term), or consecutive `>` lines in one script. Range in UTF-16 units; `end` is exclusive. */
export type Block = {
  readonly kind: 'prose' | 'item' | 'quote' | 'definition'
  readonly start: number
  readonly end: number
}

const quoteLine = /^[ \t]{0,3}>/
/** The signs of a `>` line before its words: further ones, and those of a list within it. */
const quoteSign = /^[ \t]{0,3}(?:>[ \t]?)+/
export const quoteSigns = new RegExp(`${quoteSign.source}(?:[-*+•] |\\d{1,3}[.)] )?`, 'gm')
const ownBlock = /^[ \t]*(?:[-*+•] |\d{1,3}[.)] |#{1,6} )/
const definitionLine = /^[ \t]{0,3}:[ \t]+\S/
const blankLine = /^\s*$/

/** Lines that do not begin with a dash or a bracket, as the source of a quotation does. */
const words = /^[ \t>*_]*(?:\([“"„«‘'])?[“"„«‘'״\p{L}]/u
const minLetters = 12

/** The script of the words in a `>` line, without brackets at its end, which may be its ref. Undefined for a short line, a mixed one and one that may name the source. */
function scriptOf(line: string): 'hebrew' | 'latin' | undefined {
  if (!quoteLine.test(line) || !words.test(line)) return undefined
  const bare = line.replace(/(?<=\s)[([](?!["“„«‘'])[^()[\]]{0,120}[)\]][\s.*_]*$/, '')
  return mainScript(bare)
}

/** The script of nearly all letters of a text. Undefined for few letters and for a mixed text. */
export function mainScript(text: string): 'hebrew' | 'latin' | undefined {
  const hebrew = text.match(/[א-ת]/g)?.length ?? 0
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0
  if (hebrew + latin < minLetters) return undefined
  if (hebrew >= 3 * latin) return 'hebrew'
  return latin >= 3 * hebrew ? 'latin' : undefined
}

/**
 * Cuts a text into its blocks, in order. It only looks at lines and does not parse Markdown. A `>` block in Hebrew with
 * its translation below is two blocks.
 */
export function splitBlocks(text: string): readonly Block[] {
  const blocks: Block[] = []
  let current: OpenBlock | undefined
  for (const line of text.matchAll(/[^\n]+/g)) {
    if (current !== undefined && line.index - current.end > 1) current = undefined
    const end = line.index + line[0].length
    if (blankLine.test(line[0])) current = undefined
    else if (current !== undefined && goesOn(current, line[0])) {
      current.end = end
      current.script ??= scriptOf(line[0])
    } else {
      const kind = kindOf(line[0], current?.kind)
      current = { kind, start: line.index, end, script: scriptOf(line[0]) }
      blocks.push(current)
    }
  }
  return blocks.map(({ kind, start, end }) => ({ kind, start, end }))
}

type OpenBlock = { kind: Block['kind']; start: number; end: number; script: ReturnType<typeof scriptOf> }

/** Whether a line belongs to the block before it. */
function goesOn({ kind, script }: OpenBlock, line: string): boolean {
  if (kindOf(line, kind) !== kind || ownBlock.test(line.replace(quoteSign, '')) || definitionLine.test(line))
    return false
  if (kind !== 'quote' || script === undefined) return true
  return (scriptOf(line) ?? script) === script
}

/** A line that continues a list item belongs to the item. */
function kindOf(line: string, current: Block['kind'] | undefined): Block['kind'] {
  if (quoteLine.test(line)) return 'quote'
  if (definitionLine.test(line) && current !== undefined && current !== 'quote') return 'definition'
  if (ownBlock.test(line) || current === 'item') return 'item'
  return current === 'definition' ? 'definition' : 'prose'
}
