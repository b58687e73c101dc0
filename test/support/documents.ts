import { crc32, deflateRawSync, deflateSync } from 'node:zlib'

/**
 * Small documents of the kinds that people upload. Tests build them byte by byte, so that they can also build
 * broken ones.
 */

export type ZipEntry = {
  readonly name: string
  readonly content: string | Buffer
  /** Unpacked size that the archive claims; default: the real one. */
  readonly declaredBytes?: number
}

/** Some documents are bombs of hundreds of megabytes: how small they get does not matter. */
const fastest = { level: 1 }

/** Deflating nothing costs as much as deflating a page, and an archive can have many thousand empty entries. */
const packedNothing = deflateRawSync('', fastest)

/** A ZIP archive with deflated entries. */
export function makeZip(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const { name, content, declaredBytes } of entries) {
    const bytes = Buffer.from(content)
    const packed = bytes.length === 0 ? packedNothing : deflateRawSync(bytes, fastest)
    const fileName = Buffer.from(name)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(0x0800, 2)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(crc32(bytes), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(declaredBytes ?? bytes.length, 18)
    facts.writeUInt16LE(fileName.length, 22)
    locals.push(Buffer.from('PK\x03\x04', 'latin1'), facts, fileName, packed)
    const where = Buffer.alloc(14)
    where.writeUInt32LE(offset, 10)
    central.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), facts, where, fileName)
    offset += 4 + facts.length + fileName.length + packed.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 8)
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}

const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml'
const namespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'

/** A Word document with this body, and with footnotes if there are some. */
export function makeDocx(
  body: string,
  options: Partial<ZipEntry> & { readonly footnotes?: string } = {},
): Buffer {
  const { footnotes, name = 'word/document.xml', declaredBytes } = options
  const override = (part: string, type: string) =>
    `<Override PartName="/${part}" ContentType="${wordType}.${type}+xml"/>`
  const types = [
    override(name, 'document.main'),
    ...(footnotes === undefined ? [] : [override('word/footnotes.xml', 'footnotes')]),
  ]
  return makeZip([
    {
      name: '[Content_Types].xml',
      content: `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${types.join('')}</Types>`,
    },
    {
      name,
      content: `<?xml version="1.0"?><w:document ${namespace}><w:body>${body}</w:body></w:document>`,
      ...(declaredBytes !== undefined && { declaredBytes }),
    },
    ...(footnotes === undefined
      ? []
      : [{ name: 'word/footnotes.xml', content: `<w:footnotes ${namespace}>${footnotes}</w:footnotes>` }]),
  ])
}

/** A paragraph of a Word document. */
export const paragraph = (text: string): string =>
  `<w:p><w:r><w:t xml:space="preserve">${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</w:t></w:r></w:p>`

export type PdfObject = { readonly dictionary: string; readonly stream?: Buffer }

/** A PDF with these objects, numbered from 1; the first one is the catalogue. */
export function makePdfOf(objects: readonly PdfObject[]): Buffer {
  const pieces: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const offsets: number[] = []
  let length = pieces[0]?.length ?? 0
  const push = (piece: Buffer) => {
    pieces.push(piece)
    length += piece.length
  }
  for (const [i, { dictionary, stream }] of objects.entries()) {
    offsets.push(length)
    push(
      Buffer.from(
        `${i + 1} 0 obj\n${stream ? `<< ${dictionary} /Length ${stream.length} >>` : `<< ${dictionary} >>`}\n`,
      ),
    )
    if (stream) push(Buffer.concat([Buffer.from('stream\n'), stream, Buffer.from('\nendstream\n')]))
    push(Buffer.from('endobj\n'))
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  const start = length
  push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join('')}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(pieces)
}

const deflated = (text: string | Buffer): PdfObject => ({
  dictionary: '/Filter /FlateDecode',
  stream: deflateSync(text, fastest),
})

/**
 * Maps each code of the font to the character with that number, so that a PDF can show any text of the basic
 * plane.
 */
const toUnicode = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
1 begincodespacerange <0000> <ffff> endcodespacerange
${Array.from({ length: 256 }, (_, high) => high.toString(16).padStart(2, '0'))
  .reduce<string[][]>((groups, high, i) => {
    if (i % 100 === 0) groups.push([])
    groups.at(-1)?.push(`<${high}00> <${high}ff> <${high}00>`)
    return groups
  }, [])
  .map((group) => `${group.length} beginbfrange\n${group.join('\n')}\nendbfrange`)
  .join('\n')}
endcmap end end`

/**
 * A PDF with one page per list of lines. Hebrew lines are drawn as programs draw them, from left to right:
 * their letters are reversed, but numbers and Latin words are not.
 */
export function makePdf(pages: readonly (readonly string[])[]): Buffer {
  const reversed = (text: string) => [...text].reverse().join('')
  const draw = (line: string) =>
    /[\u05d0-\u05ea]/.test(line) ? reversed(line).replaceAll(/[A-Za-z0-9]+/g, reversed) : line
  const hex = (line: string) => Buffer.from(draw(line), 'utf16le').swap16().toString('hex')
  return makePdfOfContents(
    pages.map((lines) =>
      lines.map((line, i) => `BT /F1 12 Tf 72 ${720 - 16 * i} Td <${hex(line)}> Tj ET`).join('\n'),
    ),
  )
}

/** A PDF with one page per content stream. */
export function makePdfOfContents(contents: readonly (string | Buffer)[]): Buffer {
  const first = 6
  const kids = contents.map((_, i) => `${first + 2 * i} 0 R`)
  return makePdfOf([
    { dictionary: '/Type /Catalog /Pages 2 0 R' },
    { dictionary: `/Type /Pages /Kids [${kids.join(' ')}] /Count ${contents.length}` },
    {
      dictionary:
        '/Type /Font /Subtype /Type0 /BaseFont /Plain /Encoding /Identity-H /DescendantFonts [4 0 R] /ToUnicode 5 0 R',
    },
    {
      dictionary:
        '/Type /Font /Subtype /CIDFontType2 /BaseFont /Plain /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 500',
    },
    deflated(toUnicode),
    ...contents.flatMap((content, i) => [
      {
        dictionary: `/Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${first + 2 * i + 1} 0 R`,
      },
      deflated(content),
    ]),
  ])
}
