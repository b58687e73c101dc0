import { type Archive, openArchive } from './archive.ts'
import { type MarkupReader, markupParser, Unreadable } from './markup.ts'
import type { TextWriter } from './text-writer.ts'

/**
 * Extracts the text of a Word document (ECMA-376): paragraphs, lists, tables as lines, then footnotes and endnotes.
 * Tracked deletions and hidden text are left out. Note references are left out too, because a quotation across one
 * would not match.
 * @returns what is missing in the text; empty if nothing is.
 * @throws Unreadable when it is not a Word document.
 */
export async function readDocx(content: Buffer, writer: TextWriter): Promise<string> {
  const archive = await openArchive(content)
  const parts = await partsOf(archive)
  if (parts.length === 0) throw new Unreadable('It is an archive without a Word document in it.')
  const reader = new BodyReader(writer)
  for (const part of parts) {
    writer.block()
    await readXml(archive, part, reader)
  }
  return reader.hasChunks ? notRead : ''
}

const notRead =
  'Parts of it are other documents inside it (altChunk), which were not read. Save it once in Word, which takes their text over.'

const mainType =
  /(wordprocessingml\.(document|template)|ms-word\.(document|template)\.macroenabled\w*)\.main\+xml$/
const noteTypes = [/wordprocessingml\.footnotes\+xml$/, /wordprocessingml\.endnotes\+xml$/]

/**
 * The parts with text, in reading order. They are identified by the types that the archive declares, because their
 * names are free: for a part, or for all parts with an ending. Types and names have no case.
 */
async function partsOf(archive: Archive): Promise<readonly string[]> {
  const byPart = new Map<string, string>()
  const byEnding = new Map<string, string>()
  let related = ''
  await readXml(archive, '[Content_Types].xml', {
    open(name, { PartName = '', Extension = '', ContentType = '' }) {
      const type = ContentType.toLowerCase()
      if (localName(name) === 'Override') byPart.set(partName(PartName), type)
      if (localName(name) === 'Default') byEnding.set(Extension.toLowerCase(), type)
    },
    close: () => undefined,
    text: () => undefined,
  })
  await readXml(archive, '_rels/.rels', {
    open(_, { Type = '', Target = '' }) {
      if (/\/officedocument$/i.test(Type)) related = partName(Target)
    },
    close: () => undefined,
    text: () => undefined,
  })
  const names = archive.names.map(partName)
  const typeOf = (name: string) => byPart.get(name) ?? byEnding.get(name.split('.').at(-1) ?? '') ?? ''
  const named = (pattern: RegExp) => names.filter((name) => pattern.test(typeOf(name)))
  // One type for all parts with an ending says nothing of which is the main one.
  const found = named(mainType)
  const main = found.find((name) => name === related) ?? found[0]
  if (main === undefined) return []
  return [
    main,
    ...noteTypes.flatMap((type) =>
      named(type)
        .filter((name) => byPart.has(name))
        .slice(0, 1),
    ),
  ]
}

const partName = (name: string): string => name.replace(/^\/+/, '').replaceAll('\\', '/').toLowerCase()

async function readXml(archive: Archive, part: string, reader: MarkupReader): Promise<void> {
  const parser = markupParser(reader, { xmlMode: true })
  let decoder: InstanceType<typeof TextDecoder> | undefined
  for await (const piece of archive.read(part)) {
    decoder ??= new TextDecoder(xmlEncodingOf(piece))
    parser.write(decoder.decode(piece, { stream: true }))
  }
  parser.end(decoder?.decode() ?? '')
}

/** XML is UTF-8 or UTF-16 (ECMA-376 part 2, 6.2.5): with a mark, or known by the zero beside its first character. */
function xmlEncodingOf([first, second]: Buffer): string {
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || first === 0 ? 'utf-16be' : 'utf-8'
}

/** Reads WordprocessingML by the local names of its elements, without their namespaces. */
class BodyReader implements MarkupReader {
  /** Whether it holds other documents. */
  hasChunks = false
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
    if (name === 'altChunk') this.hasChunks = true
    else if (name === 'r') this.#hiddenRun = false
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
