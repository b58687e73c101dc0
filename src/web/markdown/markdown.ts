import { raw } from 'hono/html'
import MarkdownIt, { type StateBlock, type StateCore, type Token } from 'markdown-it'
import type { Html } from '../components/html.ts'
import { type AnswerMarks, type CitationMark, markAnswer, type QuotationMark } from './answer-marks.ts'

const blocks = new Set(['paragraph_open', 'heading_open', 'list_item_open', 'th_open', 'td_open'])

/** Maximum nesting of lists and quotations; the parser leaves out deeper levels. */
const maxNesting = 20

/**
 * Markdown from a model or a stranger: no HTML, no images (the browser would fetch them from other hosts),
 * only links to the web, to mail and to pages of the library. Link definitions are off, because they could give `[1]`
 * another meaning.
 */
const markdown = new MarkdownIt({ html: false, linkify: false, breaks: true })
markdown.set({ maxNesting })
markdown.disable(['reference'])
markdown.block.ruler.before('table', 'large_table', keepLargeTable, { alt: [] })
const { escapeHtml } = markdown.utils
markdown.renderer.rules['image'] = (tokens, at) => escapeHtml(tokens[at]?.content ?? '')
markdown.renderer.rules['table_open'] = (tokens, at) => {
  const direction = tokens[at]?.attrGet('dir')
  return `<div class="scroll"${direction ? ` dir="${direction}"` : ''}><table>\n`
}
markdown.renderer.rules['table_close'] = () => '</table></div>\n'
markdown.validateLink = (address) => /^(https?:\/\/|mailto:|\/library\/)/i.test(address.trim())
markdown.core.ruler.push('headings', orderHeadings)
markdown.core.ruler.push('directions', giveDirections)
markdown.core.ruler.push('links', markLinks)
markdown.core.ruler.push('citations', linkCitations)
markdown.core.ruler.push('answer_marks', markAnswer)

/** Paragraphs alone: a reader's signs are no Markdown. */
const plain = new MarkdownIt('zero')
plain.core.ruler.push('directions', giveDirections)
plain.core.ruler.push('answer_marks', markAnswer)

/** Renders Markdown as safe markup. No other output of the pages is inserted without escaping. */
export function renderMarkdown(text: string, marks: AnswerMarks = {}): Html {
  return raw(markdown.render(text, { ...marks }))
}

/** Renders words of a reader as they are, with the checks of their quotations. */
export function renderQuestion(text: string, quotations: readonly QuotationMark[]): Html {
  return raw(plain.render(text, { quotations }))
}

/** A block of the top level, such as a paragraph or a whole list: one element of the markup. */
export type RenderedBlock = { readonly markup: string; readonly firstLine: number }

/** What the blocks before leave to those after them, through several calls. */
export type Carried = {
  /** Cells of tables, see `keepLargeTable`. */
  readonly tableCells?: number
  /** The written levels of the headings that the text stands under. */
  readonly headings?: readonly number[]
}

export type BlockEnv = AnswerMarks & Carried

/** Renders each block of the top level by itself. Together they are what `renderMarkdown` gives. */
export function renderBlocks(
  text: string,
  env: BlockEnv,
): { readonly blocks: readonly RenderedBlock[]; readonly carried: Carried } {
  const used: BlockEnv = { ...env }
  const tokens = markdown.parse(text, used)
  const blocks: RenderedBlock[] = []
  let from = 0
  for (const [at, { nesting, level }] of tokens.entries()) {
    if (nesting === 1 || level > 0) continue
    const group = tokens.slice(from, at + 1)
    const markup = markdown.renderer.render(group, markdown.options, used)
    blocks.push({ markup, firstLine: group[0]?.map?.[0] ?? 0 })
    from = at + 1
  }
  const { tableCells = 0, headings = [] } = used
  return { blocks, carried: { tableCells, headings } }
}

/**
 * Headings begin at the third level, below those of the page, and leave none out: one is a level below the heading
 * that it belongs to, however many signs the model wrote.
 */
function orderHeadings({ tokens, env }: StateCore): void {
  const state = env as BlockEnv & { headings?: readonly number[] }
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue
    const written = Number(token.tag.slice(1))
    const above = (state.headings ?? []).filter((level) => level < written)
    state.headings = [...above, written]
    token.tag = `h${Math.min(above.length + 3, 6)}`
    const close = tokens[at + 2]
    if (close?.type === 'heading_close') close.tag = token.tag
  }
}

/** Each block gets its own direction; Hebrew quotations get the font of Hebrew texts. */
function giveDirections({ tokens }: StateCore): void {
  for (const token of tokens) {
    if (blocks.has(token.type)) token.attrSet('dir', 'auto')
  }
  markHebrewContainers(tokens)
}

function markLinks({ tokens }: StateCore): void {
  for (const token of inlineTokens(tokens)) {
    if (token.type === 'link_open') token.attrSet('rel', 'noopener noreferrer nofollow')
  }
}

function inlineTokens(tokens: readonly Token[]): readonly Token[] {
  return tokens.flatMap((token) => (token.type === 'inline' ? (token.children ?? []) : []))
}

/** Turns citation numbers in brackets into links to their sources; other numbers stay text. */
function linkCitations(state: StateCore): void {
  const { citations } = state.env as AnswerMarks
  if (!citations || citations.size === 0) return
  for (const token of state.tokens) {
    if (token.type !== 'inline' || !token.children) continue
    let inLink = 0
    token.children = token.children.flatMap((child) => {
      inLink += child.type === 'link_open' ? 1 : child.type === 'link_close' ? -1 : 0
      return child.type === 'text' && inLink === 0 ? withLinks(state, child, citations) : [child]
    })
  }
}

function withLinks(state: StateCore, token: Token, citations: ReadonlyMap<number, CitationMark>): Token[] {
  // The non-breaking space keeps a citation number on the line of its sentence.
  const content = token.content.replaceAll(/ (?=\[\d{1,3}\])/g, '\u00a0')
  return content.split(/(\[\d{1,3}\])/).flatMap((part) => {
    const mark = /^\[\d+\]$/.test(part) ? citations.get(Number(part.slice(1, -1))) : undefined
    if (mark === undefined) return part === '' ? [] : [textToken(state, part)]
    const open = new state.Token('link_open', 'a', 1)
    open.attrs = [
      ['href', mark.href],
      ['class', 'cite'],
      ['aria-label', mark.label],
    ]
    return [open, textToken(state, part.slice(1, -1)), new state.Token('link_close', 'a', -1)]
  })
}

function textToken(state: StateCore, content: string): Token {
  const token = new state.Token('text', '', 0)
  token.content = content
  return token
}

/**
 * Blocks that contain blocks. `dir="auto"` ignores text inside elements with their own `dir`, so it would
 * find no text here.
 */
const containers = new Set(['blockquote_open', 'bullet_list_open', 'ordered_list_open', 'table_open'])

/** Number of letters in a container, nested containers included. */
type Letters = { hebrew: number; latin: number }

/**
 * Gives quotations, lists and tables the direction of most of their letters: the page may have the other one. Takes one
 * pass at any depth of nesting.
 */
function markHebrewContainers(tokens: readonly Token[]): void {
  const open: { readonly token: Token; readonly letters: Letters }[] = []
  for (const token of tokens) {
    if (containers.has(token.type)) open.push({ token, letters: { hebrew: 0, latin: 0 } })
    else if (containers.has(token.type.replace(/_close$/, '_open'))) close(open)
    else if (open.length > 0 && token.content !== '') count(token.content, open.at(-1)?.letters)
  }
}

function close(open: { readonly token: Token; readonly letters: Letters }[]): void {
  const closed = open.pop()
  if (!closed) return
  const { token, letters } = closed
  if (letters.hebrew > letters.latin) {
    token.attrSet('dir', 'rtl')
    if (token.type === 'blockquote_open') token.attrSet('lang', 'he')
  } else if (letters.latin > 0) token.attrSet('dir', 'ltr')
  const outer = open.at(-1)?.letters
  if (!outer) return
  outer.hebrew += letters.hebrew
  outer.latin += letters.latin
}

function count(text: string, letters: Letters | undefined): void {
  if (!letters) return
  letters.hebrew += text.match(/[\u05d0-\u05ea]/g)?.length ?? 0
  letters.latin += text.match(/[a-z]/gi)?.length ?? 0
}

/**
 * Cells that all tables of one text may have. The parser fills short rows up to the number of columns, so that a few
 * bytes of text would become any number of cells.
 */
const maxCells = 4_000

/** Matches a delimiter row such as `|---|:-:|`, in linear time for a long row. */
const delimiters = /^[|:\-\s]+$/

/** A block rule that runs before the rule of tables: a table with too many cells is shown as source text. */
function keepLargeTable(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (silent || startLine + 1 >= endLine || !lineOf(state, startLine).includes('|')) return false
  const below = lineOf(state, startLine + 1)
  if (!below.includes('-') || !delimiters.test(below)) return false
  const env = state.env as { tableCells?: number }
  const columns = below.split('|').length
  const left = maxCells - (env.tableCells ?? 0)
  const end = endOfTable(state, startLine, Math.min(endLine, startLine + 2 + Math.ceil(left / columns)))
  const cells = columns * (end - startLine)
  if (cells <= left) {
    env.tableCells = (env.tableCells ?? 0) + cells
    return false
  }
  const last = endOfTable(state, end, endLine)
  const token = state.push('code_block', 'code', 0)
  token.content = state.getLines(startLine, last, state.blkIndent, true)
  token.map = [startLine, last]
  state.line = last
  return true
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line])
}

/** Number of the first empty line, or `limit`. */
function endOfTable(state: StateBlock, from: number, limit: number): number {
  let line = from
  while (line < limit && !state.isEmpty(line)) line += 1
  return line
}
