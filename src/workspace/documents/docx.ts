import { type Archive, openArchive } from './archive.ts'
import { type MarkupReader, markupParser, Unreadable } from './markup.ts'
import type { TextWriter } from './text-writer.ts'

/**
 * Extracts the text of a Word document (ECMA-376): paragraphs, lists, tables as lines, then footnotes and endnotes.
 * Tracked deletions and hidden text are left out. Note references are left out too, because a quotation across one
 * would not match.
 * @returns whether a part is another document (`altChunk`), which is not read.
 * @throws Unreadable when it is not a Word document.
 */
export async function readDocx(content: Buffer, writer: TextWriter): Promise<boolean> {
  const archive = await openArchive(content)
  const parts = await partsOf(archive)
  if (parts.length === 0) throw new Unreadable('It is an archive without a Word document in it.')
  let hasOther = false
  for (const part of parts) {
    const reader = new BodyReader(writer)
    writer.block()
    await readXml(archive, part, reader)
    hasOther ||= reader.hasOther
  }
  return hasOther
}

const mainType =
  /(wordprocessingml\.(document|template)|ms-word\.(document|template)\.macroenabled\w*)\.main\+xml$/
const noteTypes = [/wordprocessingml\.footnotes\+xml$/, /wordprocessingml\.endnotes\+xml$/]

/**
 * The parts with text, in reading order. Their names are free, so they are identified by the types that the archive declares
 * for them or for their extension (ECMA-376 part 2, 7.2.3), in any case. A type of all `.xml` names many parts; the main one
 * is then the one to which the archive points.
 */
async function partsOf(archive: Archive): Promise<readonly string[]> {
  const ofPart = new Map<string, string>()
  const ofExtension = new Map<string, string>()
  await readXml(archive, '[Content_Types].xml', {
    ...ignored,
    open(name, { PartName = '', ContentType = '', Extension = '' }) {
      const type = ContentType.toLowerCase()
      if (localName(name) === 'Override') ofPart.set(PartName.replace(/^\//, '').toLowerCase(), type)
      if (localName(name) === 'Default') ofExtension.set(Extension.toLowerCase(), type)
    },
  })
  const named = (pattern: RegExp) => [...ofPart].find(([, type]) => pattern.test(type))?.[0]
  const main = named(mainType) ?? (await pointedAt(archive, ofPart, ofExtension))
  if (main === undefined) return []
  return [main, ...noteTypes.map(named).filter((part) => part !== undefined)]
}

/** The main part by the relationships of the archive, if the type of its extension is that of a Word document. */
async function pointedAt(
  archive: Archive,
  ofPart: ReadonlyMap<string, string>,
  ofExtension: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  let target: string | undefined
  await readXml(archive, '_rels/.rels', {
    ...ignored,
    open(_, { Type = '', Target = '' }) {
      if (/\/officedocument$/i.test(Type)) target ??= Target.replace(/^\//, '').toLowerCase()
    },
  })
  const isHeld = archive.names.some((name) => name.toLowerCase() === target)
  if (target === undefined || !isHeld || ofPart.has(target)) return undefined
  return mainType.test(ofExtension.get(target.split('.').at(-1) ?? '') ?? '') ? target : undefined
}

const ignored: MarkupReader = { open: () => undefined, close: () => undefined, text: () => undefined }

/** Parts are in UTF-8, or in UTF-16 with a mark or with their declaration in it. */
async function readXml(archive: Archive, part: string, reader: MarkupReader): Promise<void> {
  const parser = markupParser(reader, { xmlMode: true })
  let label: string | undefined
  let decoder = new TextDecoder()
  for await (const piece of archive.read(part)) {
    if (label === undefined) {
      label = xmlEncodings[piece.subarray(0, 2).toString('hex')] ?? 'utf-8'
      decoder = new TextDecoder(label)
    }
    parser.write(decoder.decode(piece, { stream: true }))
  }
  parser.end(decoder.decode())
}

/** By the first two bytes, see XML 1.0 appendix F: a mark, or `<` in 16 bits. */
const xmlEncodings: Readonly<Record<string, string>> = {
  fffe: 'utf-16le',
  '3c00': 'utf-16le',
  feff: 'utf-16be',
  '003c': 'utf-16be',
}

/** Reads WordprocessingML by the local names of its elements, without their namespaces. */
class BodyReader implements MarkupReader {
  readonly #writer: TextWriter
  #cellDepth = 0
  /** Number of open elements within omitted content, including its root. */
  #droppedDepth = 0
  #hiddenRun = false
  #inText = false
  /** Whether a part of the document is another one. */
  hasOther = false

  constructor(writer: TextWriter) {
    this.#writer = writer
  }

  open(qualified: string, attributes: Readonly<Record<string, string>>): void {
    const name = localName(qualified)
    if (this.#droppedDepth > 0 || isDropped(name, attributes)) {
      this.#droppedDepth += 1
      return
    }
    if (name === 'altChunk') this.hasOther = true
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
