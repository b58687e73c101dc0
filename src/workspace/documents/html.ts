import { type MarkupReader, markupParser } from './markup.ts'
import type { TextWriter } from './text-writer.ts'

const blocks = new Set(
  'address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table title tr ul'.split(
    ' ',
  ),
)
const dropped = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'svg',
  'math',
  'iframe',
  'object',
  'select',
])

/** Elements without a closing tag. */
const empty = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))

/** Extracts the text of an HTML page, without scripts, styles and hidden elements. */
export function readHtml(content: Buffer, writer: TextWriter): void {
  const parser = markupParser(new HtmlReader(writer), { decodeEntities: true })
  parser.write(decodeHtml(content))
  parser.end()
}

class HtmlReader implements MarkupReader {
  readonly #writer: TextWriter
  /** Number of open elements within omitted content, including its root. */
  #droppedDepth = 0
  #preDepth = 0

  constructor(writer: TextWriter) {
    this.#writer = writer
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#droppedDepth > 0 || isDropped(name, attributes)) {
      if (!empty.has(name)) this.#droppedDepth += 1
      return
    }
    if (blocks.has(name)) this.#endBlock(name)
    if (name === 'br') this.#writer.line()
    if (name === 'li') this.#writer.text('- ')
    if (name === 'pre') this.#preDepth += 1
  }

  close(name: string): void {
    if (this.#droppedDepth > 0) {
      if (!empty.has(name)) this.#droppedDepth -= 1
      return
    }
    if (blocks.has(name)) this.#endBlock(name)
    if (name === 'td' || name === 'th') this.#writer.text(' | ')
    if (name === 'pre') this.#preDepth = Math.max(0, this.#preDepth - 1)
  }

  text(text: string): void {
    if (this.#droppedDepth > 0) return
    const lines = this.#preDepth > 0 ? text.split('\n') : [text]
    for (const [i, line] of lines.entries()) {
      if (i > 0) this.#writer.line()
      this.#writer.text(line)
    }
  }

  /** Ends a block. Rows and list items have no empty line between them. */
  #endBlock(name: string): void {
    if (name === 'tr' || name === 'li') this.#writer.line()
    else this.#writer.block()
  }
}

function isDropped(name: string, attributes: Readonly<Record<string, string>>): boolean {
  return dropped.has(name) || attributes['hidden'] !== undefined
}

/** Decodes by byte-order mark, otherwise by the encoding that the page declares, otherwise as UTF-8. */
function decodeHtml(content: Buffer): string {
  const named = /charset\s*=\s*["']?([\w-]+)/i.exec(content.subarray(0, 2_048).toString('latin1'))?.[1]
  const mark = content.subarray(0, 2).toString('hex')
  const label = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : (named ?? 'utf-8')
  try {
    return new TextDecoder(label).decode(content)
  } catch {
    return new TextDecoder().decode(content)
  }
}
