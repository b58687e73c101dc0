import { StringDecoder } from 'node:string_decoder'
import { type Archive, openArchive } from './archive.ts'
import { type MarkupReader, markupParser, Unreadable } from './markup.ts'
import type { TextWriter } from './text-writer.ts'

/**
 * Extracts the text of a Word document (ECMA-376): paragraphs, lists, tables as lines, then footnotes and endnotes.
 * Tracked deletions and hidden text are left out. Note references are left out too, because a quotation across one
 * would not match.
 * @throws Unreadable when it is not a Word document.
 */
export async function readDocx(content: Buffer, writer: TextWriter): Promise<void> {
  const archive = await openArchive(content)
  const parts = await partsOf(archive)
  if (parts.length === 0) throw new Unreadable('It is an archive without a Word document in it.')
  for (const part of parts) {
    writer.block()
    await readXml(archive, part, new BodyReader(writer))
  }
}

const mainType =
  /(wordprocessingml\.(document|template)|ms-word\.(document|template)\.macroEnabled\w*)\.main\+xml$/
const noteTypes = [/wordprocessingml\.footnotes\+xml$/, /wordprocessingml\.endnotes\+xml$/]

/**
 * The parts with text, in reading order. They are identified by the types that the archive declares, because their
 * names are free.
 */
async function partsOf(archive: Archive): Promise<readonly string[]> {
  const types: { readonly name: string; readonly type: string }[] = []
  await readXml(archive, '[Content_Types].xml', {
    open(name, { PartName = '', ContentType = '' }) {
      if (name === 'Override') types.push({ name: PartName.replace(/^\//, ''), type: ContentType })
    },
    close: () => undefined,
    text: () => undefined,
  })
  const named = (pattern: RegExp) => types.find(({ type }) => pattern.test(type))?.name ?? []
  const main = named(mainType)
  return main.length === 0 ? [] : [main, ...noteTypes.map(named)].flat()
}

async function readXml(archive: Archive, part: string, reader: MarkupReader): Promise<void> {
  const parser = markupParser(reader, { xmlMode: true })
  const decoder = new StringDecoder('utf8')
  for await (const piece of archive.read(part)) parser.write(decoder.write(piece))
  parser.end(decoder.end())
}

/** Reads WordprocessingML by the local names of its elements, without their namespaces. */
class BodyReader implements MarkupReader {
  readonly #writer: TextWriter
  #cellDepth = 0
  /** Number of open elements within omitted content, including its root. */
  #droppedDepth = 0
  #hiddenRun = false
  #inText = false

  constructor(writer: TextWriter) {
    this.#writer = writer
  }

  open(qualified: string, attributes: Readonly<Record<string, string>>): void {
    const name = localName(qualified)
    if (this.#droppedDepth > 0 || isDropped(name, attributes)) {
      this.#droppedDepth += 1
      return
    }
    if (name === 'r') this.#hiddenRun = false
    else if (name === 'vanish') this.#hiddenRun = !/^(0|false|off)$/.test(attributes['w:val'] ?? '')
    else if (name === 't') this.#inText = !this.#hiddenRun
    else if (name === 'tc') this.#cellDepth += 1
    else this.#separate(name)
  }

  #separate(name: string): void {
    if (name === 'numPr') this.#writer.text('- ')
    else if (name === 'tab') this.#writer.text(' ')
    else if (name === 'noBreakHyphen') this.#writer.text('-')
    else if (name === 'br' || name === 'cr') this.#endLine()
    else if (name === 'tbl' || name === 'footnote' || name === 'endnote') this.#endBlock()
  }

  close(qualified: string): void {
    if (this.#droppedDepth > 0) {
      this.#droppedDepth -= 1
      return
    }
    const name = localName(qualified)
    if (name === 't') this.#inText = false
    else if (name === 'p' || name === 'tbl') this.#endBlock()
    else if (name === 'tr') this.#endLine()
    else if (name === 'tc') {
      this.#cellDepth -= 1
      this.#writer.text(' | ')
    }
  }

  text(text: string): void {
    if (this.#inText && this.#droppedDepth === 0) this.#writer.text(text)
  }

  /** Ends a line. Within a table cell it does not, because a cell is part of a line. */
  #endLine(): void {
    if (this.#cellDepth > 0) this.#writer.text(' ')
    else this.#writer.line()
  }

  #endBlock(): void {
    if (this.#cellDepth > 0) this.#writer.text(' ')
    else this.#writer.block()
  }
}

function localName(qualified: string): string {
  return qualified.slice(qualified.indexOf(':') + 1)
}

/** Whether an element is omitted: deleted or moved text, the second form of drawings, and separators of notes. */
function isDropped(name: string, attributes: Readonly<Record<string, string>>): boolean {
  if (name === 'footnote' || name === 'endnote') return attributes['w:type'] !== undefined
  return name === 'del' || name === 'moveFrom' || name === 'Fallback'
}
