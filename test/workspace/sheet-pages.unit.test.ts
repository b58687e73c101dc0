import { constants, inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { openArchive } from '../../src/workspace/documents/archive.ts'
import { readDocument } from '../../src/workspace/documents/read.ts'
import { sheetToHtml } from '../../src/workspace/sheets/html.ts'
import { sheetToMarkdown } from '../../src/workspace/sheets/markdown.ts'
import { renderers } from '../../src/workspace/sheets/renderers.ts'
import { type Sheet, type SheetFormat, sheetFormats } from '../../src/workspace/sheets/sheet.ts'
import { completeTextLayer } from '../../src/workspace/sheets/text-layer/complete-text-layer.ts'
import { headingOf, refsBelow, wordsOf } from '../../src/workspace/sheets/words.ts'
import { cantillated, english, pointed, sheet, source, version } from '../support/sheets.ts'

const hostile = '<script>alert(1)</script> [x](javascript:alert) *b* <img src=x onerror=1> "q" & #1'
const hostileSheet = sheet({
  title: hostile,
  intro: hostile,
  sources: [
    source({
      heading: hostile,
      note: hostile,
      ref: hostile,
      heRef: hostile,
      rows: [{ label: { he: hostile, en: hostile }, texts: { he: hostile, en: hostile } }],
      versions: [version('he', { title: hostile, license: hostile, work: hostile }), version('en')],
    }),
  ],
})
const plain = 'אל תאמר מחר אתחיל, שמא לא יהיה פנאי'
const manySources = sheet({
  title: 'אור וחושך',
  sources: [
    source(),
    source({
      heading: 'שאלה',
      note: 'הערה בעברית (with English)',
      rows: [{ label: { he: '', en: '' }, texts: { he: plain, en: '' } }],
      versions: [version('he')],
    }),
    source({
      heading: '',
      note: '',
      heRef: '',
      rows: [{ label: { he: '', en: '' }, texts: { he: cantillated, en: '' } }],
      versions: [version('he', { license: 'own', url: '' })],
    }),
  ],
})

const render = async (made: Sheet, format: SheetFormat): Promise<Buffer> =>
  Buffer.from(await renderers[format](made))
const textOf = async (kind: 'docx' | 'pdf' | 'html', content: Buffer): Promise<string> => {
  const { text, problem } = await readDocument(kind, content, () => false)
  expect(problem).toBe('')
  return text
}
const partOf = async (docx: Buffer, part: string): Promise<string> => {
  const archive = await openArchive(docx)
  return (await Array.fromAsync(archive.read(part))).map(String).join('')
}

test('a page of a sheet runs nothing and loads nothing, whatever its texts say', () => {
  const html = sheetToHtml(hostileSheet, [])
  expect(html).not.toMatch(/<script|<img|<[^>]+\sonerror|href="javascript/i)
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; [x](javascript:alert)')
  expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; font-src data:"`)
  expect(html.match(/<a href="[^"]*"/g)).toHaveLength(4)
})

test('each text of a page has its language and direction', () => {
  const html = sheetToHtml(manySources, [])
  expect(html).toContain('<html lang="he" dir="rtl">')
  expect(html).toContain('<div class="text he" lang="he" dir="rtl">')
  expect(html).toContain('<div class="text en" lang="en" dir="ltr">')
  expect(html).toContain('<div class="text he cantillated" lang="he" dir="rtl">')
  expect(html).toContain('<aside dir="ltr">\n<h3>הערה</h3>')
  expect(html).toContain('<aside dir="rtl">\n<h3>הערה</h3>')
  expect(sheetToHtml(sheet(), [])).toContain('<aside dir="ltr">\n<h3>Note</h3>')
})

test('Markdown shows texts to the letter: nothing of them is read as markup', () => {
  const markdown = sheetToMarkdown(hostileSheet)
  expect(markdown).not.toMatch(/<(?!\/?div|\/?sup>|https:)|[^\\]\[x[^\\]\]|[^\\*]\*b[^\\]/)
  expect(sheetToMarkdown(sheet({ intro: '# no heading\n1. no list\n- none' }))).toContain(
    '\\# no heading\n\n1\\. no list\n\n\\- none',
  )
  expect(sheetToMarkdown(sheet())).toContain(`<div dir="rtl" lang="he">\n\n> ${pointed}\n\n</div>`)
})

test('in Word every Hebrew paragraph and run is right-to-left, with both fonts', async () => {
  const docx = await render(manySources, 'docx')
  const xml = await partOf(docx, 'word/document.xml')
  const paragraphs = xml.match(/<w:p>.*?<\/w:p>/gs) ?? []
  const hebrew = paragraphs.find((one) => one.includes('נֵר קָטָן'))!
  expect(hebrew).toContain('<w:bidi/>')
  const runs = hebrew.match(/<w:r>.*?<\/w:r>/gs) ?? []
  expect(runs.map((run) => [/<w:t[^>]*>(.*)<\/w:t>/s.exec(run)?.[1], run.includes('<w:rtl/>')])).toEqual([
    [pointed.split('Book')[0]?.replaceAll('"', '&quot;'), true],
    ['Book of Lamps', expect.anything()],
    [pointed.split('Lamps')[1], true],
  ])
  expect(runs[1]).not.toContain('<w:rtl/>')
  for (const run of runs) {
    expect(run).toMatch(/<w:rFonts [^>]*w:cs="Frank Ruhl Libre"/)
    expect(run).toContain('w:bidi="he-IL"')
    expect(run).toContain('<w:szCs w:val="25"/>')
  }
  expect(paragraphs.find((one) => one.includes('A small lamp'))).not.toContain('<w:bidi/>')
  expect(xml).toContain('<w:bidiVisual/>')
  expect(xml).toContain(`w:cs="Noto Serif Hebrew"`)
  expect(await partOf(docx, 'word/footer1.xml')).toContain('NUMPAGES')
})

test('a sheet in Word, PDF and HTML says every text, ref, note, version and licence', async () => {
  for (const format of ['docx', 'pdf', 'html'] as const) {
    const text = (await textOf(format, await render(manySources, format))).replace(/\s+/g, ' ')
    for (const part of [
      'השער א׳:א׳',
      'The Gate 1:1',
      'Why only a small one?',
      'Plain translation',
      'CC BY 4.0',
    ]) {
      expect(text, format).toContain(part)
    }
    expect(text, format).toContain('example.org/gate/en')
    // How pointed letters of a PDF are read is in pdf-round-trip.
    const readable = format === 'pdf' ? [plain, 'Book of Lamps'] : [plain, pointed, english, cantillated]
    for (const part of readable) expect(text, format).toContain(part)
  }
})

test('a Hebrew sheet has Hebrew headings, refs and labels in each format', async () => {
  const own = { title: 'מהדורה מנוקדת', url: '' }
  const made = sheet({
    language: 'he',
    title: 'Lamps',
    intro: '',
    sources: [
      source({
        heading: '',
        note: 'Why?',
        rows: [{ label: { he: '', en: '' }, texts: { he: plain, en: 'Flame.' } }],
        versions: [
          version('he', { ...own, license: 'Public Domain' }),
          version('en', { ...own, title: 'Starter library, English', license: 'own' }),
        ],
      }),
      source({ heading: 'פתיחה', note: '', versions: [version('he', { ...own, license: 'own' })] }),
    ],
  })
  for (const format of sheetFormats) {
    const content = await render(made, format)
    const text = format === 'md' ? String(content) : await textOf(format, content)
    const latin = text
      .replace(/<[^>]*>|Lamps|Why\?|Flame\.|Book of|pp\.|12|A small lamp.*/g, ' ')
      .match(/[A-Za-z]{2,}/g)
    expect(latin, format).toBeNull()
    for (const part of ['1', 'השער א׳:א׳', 'הערה', 'השער, אנגלית', 'נחלת הכלל', 'הספרייה ההתחלתית, אנגלית'])
      expect(text, format).toContain(part)
  }
  const [first] = made.sources
  const hebrew = wordsOf(made)
  expect(first && refsBelow(first, hebrew)).toEqual({ he: '', en: '' })
  expect(headingOf(source({ heading: '', heRef: '' }), hebrew)).toBe('The Gate 1:1')
  const english = wordsOf(sheet())
  expect(refsBelow(source(), english)).toEqual({ he: 'השער א׳:א׳', en: 'The Gate 1:1' })
  expect(headingOf(source({ heading: '' }), english)).toBe('The Gate 1:1')
})

test('a PDF embeds the Hebrew font and maps each cluster to its letters and points', async () => {
  const pdf = await render(sheet(), 'pdf')
  expect(pdf.toString('latin1')).toMatch(/\/BaseFont ?\/[A-Z]{6}\+FrankRuhlLibre-Regular/)
  const drawn = streamsOf(pdf).join('')
  const said = [...drawn.matchAll(/ActualText <FEFF([0-9A-F]+)>/g)].map(([, hex = '']) =>
    Buffer.from(hex, 'hex').swap16().toString('utf16le'),
  )
  expect(said).toEqual(expect.arrayContaining(['רָ', 'אֲ']))
})

test('the text layer is corrected in an update that leaves the drawing byte for byte', async () => {
  const pdf = await render(sheet(), 'pdf')
  const at = pdf.indexOf('\n%%EOF', pdf.indexOf('\ntrailer\n')) + '\n%%EOF'.length
  expect(at).toBeLessThan(pdf.length - 5)
  expect(completeTextLayer(pdf.subarray(0, at)).equals(pdf)).toBe(true)
  const damaged = pdf.subarray(0, at / 2)
  expect(completeTextLayer(damaged)).toBe(damaged)
})

const streamsOf = (pdf: Buffer): readonly string[] => {
  const streams: string[] = []
  for (let at = pdf.indexOf('stream\n'); at >= 0; at = pdf.indexOf('\nstream\n', at + 1)) {
    const content = pdf.subarray(pdf.indexOf('\n', at + 1) + 1)
    try {
      streams.push(inflateSync(content, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1'))
    } catch {
      // Not a deflated one.
    }
  }
  return streams
}

test('what a text says is never read as the language of the PDF template', async () => {
  const text = await textOf(
    'pdf',
    await render(sheet({ intro: '#panic("x") $x$ *b* @r \\u{41} #read("/etc/hostname")' }), 'pdf'),
  )
  expect(text).toContain('#panic("x") $x$ *b* @r \\u{41} #read("/etc/hostname")')
})
