import MarkdownIt, { type Token } from 'markdown-it'
import { type Direction, directionOf } from '../sheet.ts'

/** A part of a line with one format. A line break is an inline with the text `\n`. */
export type Inline = {
  readonly text: string
  readonly bold: boolean
  readonly italic: boolean
  readonly code: boolean
  /** A web or mail address; empty if it is no link. */
  readonly url: string
}

/** Where a block stands. */
type Placed = {
  readonly direction: Direction
  /** Number of lists around it. */
  readonly depth: number
  /** The sign before the first block of a list item: `•` or `3.`; empty for the others. */
  readonly marker: string
  /** Identifies the innermost list of the text; 0 outside lists. */
  readonly list: number
  readonly isQuoted: boolean
}

/** A block of the top level, or one of a list or a quotation: those are flat, with their depth. */
export type Block = Placed &
  (
    | { readonly kind: 'heading'; readonly level: number; readonly content: readonly Inline[] }
    | { readonly kind: 'paragraph'; readonly content: readonly Inline[] }
    | { readonly kind: 'code'; readonly lines: readonly string[] }
    | { readonly kind: 'table'; readonly rows: readonly (readonly (readonly Inline[])[])[] }
    | { readonly kind: 'rule' }
  )

/** As on the pages: no HTML, no images, only web and mail links. */
const markdown = new MarkdownIt({ html: false, linkify: false, breaks: true })
markdown.set({ maxNesting: 20 })
markdown.disable(['reference'])
markdown.validateLink = (address) => /^(https?:\/\/|mailto:)/i.test(address.trim())

/** Reads Markdown as blocks, in order. */
export function blocksOf(text: string): readonly Block[] {
  const reader = new Reader()
  const tokens = markdown.parse(text, {})
  for (const [at, token] of tokens.entries()) reader.take(token, tokens[at + 1])
  return reader.blocks
}

type List = { readonly id: number; readonly isOrdered: boolean; next: number }

class Reader {
  readonly blocks: Block[] = []
  readonly #lists: List[] = []
  /** The written levels of the headings that the text stands under: a heading is one level below its own, as on the pages. */
  #headings: readonly number[] = []
  #listCount = 0
  #quotes = 0
  #marker = ''
  #row: (readonly Inline[])[] = []
  #rows: (readonly (readonly Inline[])[])[] | undefined

  take(token: Token, next: Token | undefined): void {
    switch (token.type) {
      case 'bullet_list_open':
      case 'ordered_list_open':
        this.#listCount += 1
        this.#lists.push({
          id: this.#listCount,
          isOrdered: token.type === 'ordered_list_open',
          next: Number(token.attrGet('start') ?? 1),
        })
        break
      case 'bullet_list_close':
      case 'ordered_list_close':
        this.#lists.pop()
        break
      case 'list_item_open':
        this.#beginItem()
        break
      case 'blockquote_open':
        this.#quotes += 1
        break
      case 'blockquote_close':
        this.#quotes -= 1
        break
      case 'heading_open':
      case 'paragraph_open':
        this.#addText(token, inlinesOf(next?.children ?? []))
        break
      case 'fence':
      case 'code_block': {
        const lines = token.content.replace(/\n$/, '').split('\n')
        this.blocks.push({ kind: 'code', lines, ...this.#place('ltr') })
        break
      }
      case 'hr':
        this.blocks.push({ kind: 'rule', ...this.#place('ltr') })
        break
      default:
        this.#takeTable(token, next)
    }
  }

  #takeTable(token: Token, next: Token | undefined): void {
    if (token.type === 'table_open') this.#rows = []
    if (token.type === 'tr_open') this.#row = []
    if (token.type === 'th_open' || token.type === 'td_open') this.#row.push(inlinesOf(next?.children ?? []))
    if (token.type === 'tr_close') this.#rows?.push(this.#row)
    if (token.type !== 'table_close' || !this.#rows) return
    const direction = directionOfMost(this.#rows.flat(2))
    this.blocks.push({ kind: 'table', rows: this.#rows, ...this.#place(direction) })
    this.#rows = undefined
  }

  #beginItem(): void {
    const list = this.#lists.at(-1)
    if (!list) return
    this.#marker = list.isOrdered ? `${list.next}.` : '•'
    list.next += 1
  }

  #addText({ type, tag }: Token, content: readonly Inline[]): void {
    const place = this.#place(directionOf(content.map(({ text }) => text).join('')))
    if (type === 'paragraph_open') this.blocks.push({ kind: 'paragraph', content, ...place })
    else {
      const written = Number(tag.slice(1))
      this.#headings = [...this.#headings.filter((level) => level < written), written]
      this.blocks.push({ kind: 'heading', level: this.#headings.length, content, ...place })
    }
  }

  #place(direction: Direction): Placed {
    const marker = this.#marker
    this.#marker = ''
    const list = this.#lists.at(-1)?.id ?? 0
    return { direction, depth: this.#lists.length, marker, list, isQuoted: this.#quotes > 0 }
  }
}

/** Right to left when most letters are Hebrew. */
function directionOfMost(content: readonly Inline[]): Direction {
  const text = content.map((one) => one.text).join('')
  const hebrew = text.match(/[\u05d0-\u05ea]/g)?.length ?? 0
  return hebrew > (text.match(/[a-z]/gi)?.length ?? 0) ? 'rtl' : 'ltr'
}

function inlinesOf(children: readonly Token[]): readonly Inline[] {
  let [bold, italic, url] = [0, 0, '']
  return children.flatMap((token): readonly Inline[] => {
    const inline = (text: string, code = false) =>
      text === '' ? [] : [{ text, bold: bold > 0, italic: italic > 0, code, url }]
    switch (token.type) {
      case 'strong_open':
      case 'strong_close':
        bold += token.nesting
        return []
      case 'em_open':
      case 'em_close':
        italic += token.nesting
        return []
      case 'link_open':
      case 'link_close':
        url = String(token.attrGet('href') ?? '')
        return []
      case 'softbreak':
      case 'hardbreak':
        return inline('\n')
      case 'code_inline':
        return inline(token.content, true)
      default:
        return inline(token.content)
    }
  })
}
