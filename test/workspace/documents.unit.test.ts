import { describe, expect, test, vi } from 'vitest'
import type { ChildLimits } from '../../src/workspace/children/guard.ts'
import { extractText } from '../../src/workspace/documents/extract.ts'
import { type DocumentKind, kindOf } from '../../src/workspace/documents/kinds.ts'
import { readDocument } from '../../src/workspace/documents/read.ts'
import { makeDocx, makePdf, makePdfOf, makePdfOfContents, makeZip, paragraph } from '../support/documents.ts'
import { rows } from '../support/full.ts'

/** PDFs are read by a process of their own; the machine may be busy. */
const patience = 300_000
vi.setConfig({ testTimeout: patience })

async function* piecesOf(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536)
}

const read = (kind: DocumentKind, content: Buffer | string) =>
  readDocument(kind, Buffer.from(content), () => false)

const readApart = (
  kind: DocumentKind,
  content: Buffer | string,
  limits?: ChildLimits,
  signal = AbortSignal.timeout(patience),
) => extractText(kind, piecesOf(Buffer.from(content)), signal, limits)

/** A PDF that computes for a minute. */
const endless = () => makePdfOfContents([Buffer.alloc(30_000_000, 'q ')])

describe('a PDF', () => {
  test('is read page by page, Hebrew lines in the order of reading', async () => {
    const pdf = makePdf([
      ['Page one', 'שלום עולם, פרק לב'],
      ['Second page'],
      [],
      ['בשנת 1796 נדפס Slavita הספר'],
    ])
    expect(await readApart('pdf', pdf)).toEqual({
      text: 'Page one\nשלום עולם, פרק לב\fSecond page\f\fבשנת 1796 נדפס Slavita הספר\f',
      problem: '',
    })
  })

  test('without any text is said to be pictures', async () => {
    const { text, problem } = await readApart('pdf', makePdf([[], []]))
    expect({ text, problem }).toEqual({ text: '', problem: expect.stringContaining('pictures') })
  })

  const locked = makePdfOf([
    { dictionary: '/Type /Catalog /Pages 2 0 R' },
    { dictionary: '/Type /Pages /Kids [] /Count 0' },
  ])
  const encryption =
    '/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <1234567812345678123456781234567812345678123456781234567812345678> /U <1234567812345678123456781234567812345678123456781234567812345678> >> /ID [<00> <00>] /Root'
  test.each([
    [
      'a locked one',
      Buffer.from(locked.toString('latin1').replace('/Root', encryption), 'latin1'),
      /password/,
    ],
    ['a cut one', makePdf([['text']]).subarray(0, 300), /damaged/],
    ['none at all', Buffer.from('%PDF-1.7 and nothing else'), /damaged/],
    [
      'one whose pages contain themselves',
      makePdfOf([
        { dictionary: '/Type /Catalog /Pages 2 0 R' },
        { dictionary: '/Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000000' },
      ]),
      /damaged/,
    ],
    ['one that unpacks to 400 MB', makePdfOfContents([Buffer.alloc(400_000_000, ' ')]), /too much memory/],
  ] as const)('that is %s is refused with a reason', async (_, pdf, says) => {
    const { text, problem } = await readApart('pdf', pdf)
    expect({ text, problem }).toEqual({ text: '', problem: expect.stringMatching(says) })
  })
})

const wordXml = (body: string): string =>
  `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`

describe('a Word document', () => {
  test('is read by paragraphs, lists, tables and notes, without deleted or hidden text', async () => {
    const run = (text: string, properties = '') => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`
    const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`
    const docx = makeDocx(
      [
        paragraph('כותרת & ראש'),
        `<w:p>${run('בּ')}${run('רֵאשִׁית')}<w:r><w:tab/><w:t>second</w:t><w:br/><w:t>line</w:t></w:r></w:p>`,
        `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/></w:numPr></w:pPr>${run('item')}</w:p>`,
        `<w:p>${run('kept ')}<w:del>${run('deleted')}</w:del>${run('hidden', '<w:vanish/>')}${run('shown', '<w:vanish w:val="0"/>')}</w:p>`,
        `<w:tbl><w:tr>${cell('a')}${cell('b')}</w:tr><w:tr>${cell('c')}${cell('d')}</w:tr></w:tbl>`,
        '<w:p><mc:AlternateContent><mc:Choice><w:r><w:t>once</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t>once</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>',
      ].join(''),
      {
        footnotes: `<w:footnote w:type="separator">${paragraph('rule')}</w:footnote><w:footnote w:id="2">${paragraph('A note.')}</w:footnote>`,
      },
    )
    expect(await read('docx', docx)).toEqual({
      text: 'כותרת & ראש\n\nבּרֵאשִׁית second\nline\n\n- item\n\nkept shown\n\na | b |\nc | d |\n\nonce\n\nA note.',
      problem: '',
    })
  })

  test('is found by its declared type, whatever its part is called', async () => {
    expect(await read('docx', makeDocx(paragraph('here'), { name: 'word/document2.bin' }))).toMatchObject({
      text: 'here',
    })
  })

  const mainType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'
  const word = (
    types: string,
    part = 'word/document.xml',
    content: string | Buffer = wordXml(paragraph('here')),
  ) =>
    makeZip([
      { name: '[Content_Types].xml', content: `<Types>${types}</Types>` },
      {
        name: '_rels/.rels',
        content:
          '<Relationships><Relationship Id="1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
      },
      { name: part, content },
    ])
  const override = `<Override PartName="/word/document.xml" ContentType="${mainType}"/>`
  const forms = rows<readonly [string, Buffer]>(
    [
      [
        'declares its type for all parts, and others for some',
        word(
          `<Default Extension="XML" ContentType="${mainType}"/><Override PartName="/word/styles.xml" ContentType="styles+xml"/>`,
        ),
      ],
      [
        'writes the name of its part in another case, and is in UTF-16',
        word(override, 'Word/Document.XML', Buffer.from(`\ufeff${wordXml(paragraph('here'))}`, 'utf16le')),
      ],
    ],
    [
      ['declares its type for all parts', word(`<Default Extension="xml" ContentType="${mainType}"/>`)],
      ['writes its type in capitals', word(override.replace(mainType, mainType.toUpperCase()))],
      ['has its types under a prefix', word(override.replace('Override', 'ct:Override'))],
      [
        'is in UTF-16 without a mark',
        word(override, undefined, Buffer.from(wordXml(paragraph('here')), 'utf16le')),
      ],
    ],
  )
  test.each(forms)('that %s is read', async (_, docx) => {
    expect(await read('docx', docx)).toEqual({ text: 'here', problem: '' })
  })

  test.each([
    ['nothing else', '', ''],
    ['words of its own', paragraph('here'), 'here'],
  ])('with another document inside it and %s says so', async (_, own, text) => {
    const problem = expect.stringContaining('another document inside it, which was not read')
    expect(await read('docx', makeDocx(`${own}<w:altChunk r:id="a"/>`))).toEqual({ text, problem })
  })

  const body = paragraph('x')
  test.each([
    ['an archive of something else', makeZip([{ name: 'a.txt', content: 'x' }]), /without a Word document/],
    ['a cut archive', makeDocx(body).subarray(0, 200), /damaged/],
    ['one that unpacks to 150 MB', makeDocx(' '.repeat(150 * 1024 * 1024)), /unpacks to more/],
    ['one that lies about what it unpacks to', makeDocx(body, { declaredBytes: 10 }), /damaged/],
    [
      'one of 50,000 entries',
      makeZip(Array.from({ length: 50_000 }, (_, i) => ({ name: `e${i}`, content: '' }))),
      /50000 entries/,
    ],
    ['one nested 100,000 deep', makeDocx('<w:p>'.repeat(100_000)), /nested too deeply/],
    [
      'one whose entries climb out of the archive',
      makeZip([{ name: '../../etc/passwd', content: 'x' }]),
      /damaged/,
    ],
  ] as const)('that is %s is refused with a reason', async (_, docx, says) => {
    const { text, problem } = await read('docx', docx)
    expect({ text, problem }).toEqual({ text: '', problem: expect.stringMatching(says) })
  })

  test('expands no entities of its own', async () => {
    const docx = makeZip([
      {
        name: '[Content_Types].xml',
        content:
          '<!DOCTYPE t [<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><Types><Override PartName="/d.xml" ContentType="x.wordprocessingml.document.main+xml"/></Types>',
      },
      {
        name: 'd.xml',
        content: '<!DOCTYPE t [<!ENTITY f SYSTEM "file:///etc/passwd">]><w:p><w:t>&f;&b;.</w:t></w:p>',
      },
    ])
    expect(await read('docx', docx)).toMatchObject({ text: '&f;&b;.' })
  })
})

describe('an HTML page', () => {
  test('is read without scripts, styles and hidden parts', async () => {
    const page = `<!doctype html><title>Sheet</title><style>p{}</style><script>alert(1)</script>
      <h1>Joy &amp; light</h1><p>One<br>two <b>bold</b>er.<p hidden>Obey me.<template>no</template></p>
      <ul><li>a<li>b</ul><table><tr><td>1<td>2<tr><td>3<td>4</table><pre>x\n  y</pre>`
    expect(await read('html', page)).toEqual({
      text: 'Sheet\n\nJoy & light\n\nOne\ntwo bolder.\n\n- a\n- b\n\n1 | 2 |\n3 | 4 |\n\nx\ny',
      problem: '',
    })
  })

  test('in an old encoding is read by it', async () => {
    const page = Buffer.concat([
      Buffer.from('<meta charset=windows-1255><p>'),
      Buffer.from([0xf9, 0xec, 0xe5, 0xed]),
    ])
    expect(await read('html', page)).toEqual({ text: 'שלום', problem: '' })
  })

  test('that is too long gives its beginning, and says so', async () => {
    const { text, problem } = await read('html', '<p>word '.repeat(1_000_000))
    expect(text.length).toBeGreaterThan(1_999_000)
    expect(problem).toMatch(/first 2000000 characters/)
  })

  test('nested a million deep is refused', async () => {
    expect(await read('html', '<div>'.repeat(1_000_000))).toEqual({
      text: '',
      problem: expect.stringMatching(/nested/),
    })
  })
})

test('a document that computes without end is stopped without blocking the service', async () => {
  const pdf = endless()
  let ticks = 0
  const ticking = setInterval(() => {
    ticks += 1
  }, 10)
  const before = process.memoryUsage.rss()
  const { text, problem } = await readApart('pdf', pdf, { cpuMs: 800, memoryBytes: 4_000_000_000 })
  clearInterval(ticking)
  expect({ text, problem }).toEqual({ text: '', problem: 'It would take too long to read.' })
  // A reader in this process would let none of them happen.
  expect(ticks).toBeGreaterThan(10)
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024)
})

test('a PDF that takes too long keeps the pages read by then and names the rest', async () => {
  const pdf = makePdf(Array.from({ length: 4_000 }, (_, i) => [`page ${i + 1}`]))
  const within = (cpuMs: number) => readApart('pdf', pdf, { cpuMs, memoryBytes: 4_000_000_000 })
  let { text, problem } = await within(1_000)
  const start = 'page 1\fpage 2\f'
  // On a busy machine the start of the reader alone takes more.
  for (let cpuMs = 1_300; !text.startsWith(start) && cpuMs < 10_000; cpuMs *= 1.3)
    ({ text, problem } = await within(cpuMs))
  const pages = text.split('\f').length - 1
  expect(text.slice(0, start.length)).toBe(start)
  expect(problem).toBe(`Its last ${4_000 - pages} pages were not read: that would take too long.`)
})

test('the reading ends with the turn, also while it waits for others', async () => {
  const turn = new AbortController()
  const pdf = endless()
  const readings = Array.from({ length: 4 }, () => readApart('pdf', pdf, undefined, turn.signal))
  setImmediate(() => turn.abort(new Error('the turn was stopped')))
  const outcomes = await Promise.allSettled(readings)
  expect(outcomes).toEqual(
    Array(4).fill({
      status: 'rejected',
      reason: expect.objectContaining({ message: 'the turn was stopped' }),
    }),
  )
  expect(await readApart('html', '<p>next')).toMatchObject({ text: 'next' })
})

test('a content that breaks off is a fault, not a damaged document', async () => {
  async function* broken(): AsyncGenerator<Buffer> {
    yield Buffer.from('<p>text')
    throw new Error('connection lost')
  }
  const reading = extractText('html', broken(), AbortSignal.timeout(patience))
  await expect(reading).rejects.toThrow('connection lost')
})

const zip = makeZip([{ name: 'a', content: 'x' }])
test.each([
  ['a.txt', 'text/plain', makePdf([['x']]), 'pdf'],
  ['a.pdf', 'application/pdf', Buffer.from('plain words'), 'text'],
  ['a.pdf', 'application/pdf', zip, 'docx'],
  ['a.html', '', Buffer.from('words'), 'html'],
  ['a', 'text/html; charset=utf-8', Buffer.from('words'), 'html'],
  ['a.txt', 'text/plain', Buffer.from('\n <!DOCTYPE html><p>x'), 'html'],
  ['a.docx', '', Buffer.from('words'), 'text'],
  ['a', '', Buffer.alloc(0), 'text'],
  ['a', '', Buffer.from('\ufeffwords', 'utf16le'), 'text'],
] as const)('%s of type "%s" is known by what is in it', (name, contentType, content, kind) => {
  expect(kindOf(Buffer.from(content), { name, contentType })).toBe(kind)
})

test.each([
  [Buffer.from('d0cf11e0a1b11ae100', 'hex'), /old Word/],
  [Buffer.from('{\\rtf1 text}'), /RTF/],
  [Buffer.from('\x7fELF\0\0'), /neither/],
] as const)('what holds no text is refused with a reason', (content, says) => {
  expect(kindOf(content, { name: 'a.txt', contentType: 'text/plain' })).toEqual({
    problem: expect.stringMatching(says),
  })
})
