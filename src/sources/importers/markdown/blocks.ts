import MarkdownIt, { type StateCore, type Token } from 'markdown-it'
import { readSegment } from '../markup.ts'

/** A heading (level 1 to 6) or a paragraph (level 0) of a Markdown text, without markup. */
export type MarkdownBlock = { readonly level: number; readonly text: string }

/**
 * Indented text counts as a paragraph, because word processors indent paragraphs. `[1]: Ibid.` counts as a note; as the
 * definition of a link it would be removed.
 */
const markdown = new MarkdownIt({ html: true }).disable(['code', 'reference'])
markdown.core.ruler.push('item_numbers', writeItemNumbers)

const alone = /^(?:fence|html_block)$/
const boundary = /^(?:heading|paragraph|table)_(?:open|close)$/
const list = /^(?:bullet|ordered)_list_(?:open|close)$/

/** Returns headings and paragraphs in order. A list without blank lines, with its inner lists, is one paragraph. */
export function markdownBlocks(body: string): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = []
  let held: string[] = []
  let lists = 0
  const flush = (level: number): void => {
    const text = held.join(' ').replace(/\s+/g, ' ').trim()
    if (text !== '') blocks.push({ level, text })
    held = []
  }
  for (const token of tokensOf(body)) {
    if (list.test(token.type)) lists += token.nesting
    if (endsBlock(token, lists)) flush(token.type === 'heading_close' ? Number(token.tag.slice(1)) : 0)
    held.push(textOf(token))
    if (alone.test(token.type)) flush(0)
  }
  return blocks
}

/** Whether a token ends a block. Paragraphs in a list without blank lines are `hidden`, so its items stay together. */
function endsBlock(token: Token, lists: number): boolean {
  if (list.test(token.type)) return lists === 0 || (lists === 1 && token.nesting === 1)
  return alone.test(token.type) || (boundary.test(token.type) && !token.hidden)
}

/**
 * Writes the numbers of list items back into the text. The parser removes them, but many books number their paragraphs.
 */
function writeItemNumbers({ tokens, Token }: StateCore): void {
  for (const [at, token] of tokens.entries()) {
    const inline = tokens[at + 2]
    if (token.type !== 'list_item_open' || token.info === '' || !inline?.children) continue
    const number = new Token('text', '', 0)
    number.content = `${token.info}${token.markup} `
    inline.children.unshift(number)
  }
}

/** Parses a text. A line of any white space, such as the no-break space, separates paragraphs too. */
function tokensOf(body: string): readonly Token[] {
  return markdown.parse(body.replace(/^[^\S\r\n]+$/gm, ''), {})
}

/** The text of a token; empty if it has no text of its own. */
function textOf(token: Token): string {
  if (token.type === 'fence') return token.content
  if (token.type === 'html_block') return readSegment(markdown.renderInline(token.content)).text
  if (token.type !== 'inline') return ''
  return readSegment(markdown.renderer.renderInline(token.children ?? [], markdown.options, {})).text
}
