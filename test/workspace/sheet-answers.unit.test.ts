import { getDocumentProxy } from 'unpdf'
import { expect, test } from 'vitest'
import { openArchive } from '../../src/workspace/documents/archive.ts'
import { readDocument } from '../../src/workspace/documents/read.ts'
import { type Block, blocksOf } from '../../src/workspace/sheets/answers/blocks.ts'
import { renderSheet } from '../../src/workspace/sheets/render.ts'
import { renderers } from '../../src/workspace/sheets/renderers.ts'
import { isShort } from '../support/full.ts'
import { pointed, sheet, source } from '../support/sheets.ts'

const answer = `# What it teaches

A **small lamp** and *an emphasis*, see [the site](https://example.org/a) [1].

- one

  4. nested
  5. again

     second paragraph
- two

> נר קטן **מאיר**

| he | en |
|---|---|
| נר | lamp |

## כותרת בעברית

פסקה עם Latin words באמצע.

\`\`\`
let x = 1
\`\`\`
`
const textOf = (block: Block) =>
  block.kind === 'paragraph' || block.kind === 'heading' ? block.content.map(({ text }) => text).join('') : ''

test('an answer is read as headings, lists with their numbers, quotations, tables and code', () => {
  const blocks = blocksOf(answer)
  expect(
    blocks.map(({ kind, depth, marker, isQuoted, direction }) => [kind, depth, marker, isQuoted, direction]),
  ).toEqual([
    ['heading', 0, '', false, 'ltr'],
    ['paragraph', 0, '', false, 'ltr'],
    ['paragraph', 1, '•', false, 'ltr'],
    ['paragraph', 2, '4.', false, 'ltr'],
    ['paragraph', 2, '5.', false, 'ltr'],
    ['paragraph', 2, '', false, 'ltr'],
    ['paragraph', 1, '•', false, 'ltr'],
    ['paragraph', 0, '', true, 'rtl'],
    ['table', 0, '', false, 'ltr'],
    ['heading', 0, '', false, 'rtl'],
    ['paragraph', 0, '', false, 'rtl'],
    ['code', 0, '', false, 'ltr'],
  ])
  expect(textOf(blocks[1] as Block)).toBe('A small lamp and an emphasis, see the site [1].')
})

test('formats of words are kept, and no link leads elsewhere than to the web and mail', () => {
  const [block] = blocksOf(
    '**b** *i* `c` [w](https://e.org) [j](javascript:x) ![p](https://e.org/p.png) <b>h</b>',
  )
  const content = block?.kind === 'paragraph' ? block.content : []
  expect(content.filter((one) => one.bold || one.italic || one.code || one.url)).toEqual([
    { text: 'b', bold: true, italic: false, code: false, url: '' },
    { text: 'i', bold: false, italic: true, code: false, url: '' },
    { text: 'c', bold: false, italic: false, code: true, url: '' },
    { text: 'w', bold: false, italic: false, code: false, url: 'https://e.org' },
  ])
  expect(textOf(block as Block)).toContain('[j](javascript:x) p <b>h</b>')
})

const conversation = sheet({ intro: '', exchanges: [{ question: 'What?\nWhy?', answer }] })
const textOfPdf = async (of = conversation) => {
  const { text } = await readDocument('pdf', await render('pdf', of), () => false)
  return text.replace(/[\u2066-\u2069]/g, '')
}
const render = async (format: 'docx' | 'pdf', of = conversation) => Buffer.from(await renderers[format](of))

test('Word has an answer with its headings, lists, tables, formats and directions', {
  timeout: 300_000,
}, async () => {
  const archive = await openArchive(await render('docx'))
  const part = async (name: string) => (await Array.fromAsync(archive.read(name))).map(String).join('')
  const xml = await part('word/document.xml')
  const paragraphWith = (text: string) =>
    xml
      .split('<w:p>')
      .find((one) => one.includes(text))
      ?.split('</w:p>')[0] ?? ''
  expect(paragraphWith('What it teaches')).toContain('"Heading2"')
  expect(paragraphWith('small lamp')).toMatch(/<w:b\/>(?:(?!<\/w:r>).)*small lamp/)
  expect(paragraphWith('an emphasis')).toMatch(/<w:i\/>(?:(?!<\/w:r>).)*an emphasis/)
  expect(paragraphWith('>one<')).toContain('<w:numPr>')
  expect(paragraphWith('>nested')).toContain('<w:ilvl w:val="1"/>')
  expect(paragraphWith('second paragraph')).not.toContain('<w:numPr>')
  expect(paragraphWith('נר קטן')).toContain('<w:bidi/>')
  expect(paragraphWith('נר קטן')).toContain('<w:shd')
  expect(paragraphWith('כותרת')).toContain('<w:bidi/>')
  expect(paragraphWith('>lamp<')).not.toContain('<w:bidi/>')
  expect(xml).toContain('<w:tbl>')
  expect(xml).not.toMatch(/\*\*|\|---|&gt; |^#/)
  const numbering = await part('word/numbering.xml')
  expect(numbering).toContain('<w:start w:val="4"/>')
})

test('PDF has an answer without the signs of Markdown, in the order of reading', {
  timeout: 300_000,
}, async () => {
  const words = (await textOfPdf()).replace(/\s+/g, ' ')
  for (const shown of [
    'What it teaches',
    'small lamp and an emphasis',
    '4. nested',
    'lamp',
    'let x = 1',
    'Latin words',
  ])
    expect(words).toContain(shown)
  expect(words).not.toMatch(/\*\*|\|---|```/)
  expect(words.indexOf('What it teaches')).toBeLessThan(words.indexOf('4. nested'))
  expect(words.indexOf('5. again')).toBeLessThan(words.indexOf('let x = 1'))
})

test('headings of an answer leave no level out', () => {
  const levels = blocksOf('#### a\n\n## b\n\n###### c').map(
    (block) => block.kind === 'heading' && block.level,
  )
  expect(levels).toEqual([1, 1, 2])
})

test('a PDF has the number after a Hebrew quotation of an English sentence', {
  timeout: 300_000,
}, async () => {
  const exchanges = [{ question: 'Q?', answer: 'It begins “נר קטן הנכנס לחדר” [7].' }]
  const pdf = await getDocumentProxy(new Uint8Array(await render('pdf', sheet({ exchanges, sources: [] }))))
  const { items } = await (await pdf.getPage(1)).getTextContent()
  const leftOf = (text: string) =>
    items.flatMap((item) => ('str' in item && item.str.includes(text) ? [Number(item.transform[4])] : []))[0]
  expect(leftOf('[7]')).toBeGreaterThan(leftOf('נר') ?? 0)
})

test('a conversation without sources has no list of versions', async () => {
  const bare = sheet({
    title: 'Talk',
    intro: '',
    sources: [],
    exchanges: [{ question: 'Hi?', answer: 'Yes.' }],
  })
  const text = await textOfPdf(bare)
  expect(text).toContain('Yes.')
  expect(text).not.toContain('Versions and licences')
})

test.skipIf(isShort)(
  'the largest conversation of formatted words ends at a limit of work, not at the patience of others',
  {
    timeout: 300_000,
  },
  async () => {
    const long = '**a** b '.repeat(7_500)
    const exchanges = Array.from({ length: 50 }, () => ({ question: 'Q?', answer: long }))
    const rendered = renderSheet(sheet({ exchanges }), ['docx'], AbortSignal.timeout(240_000))
    await expect(rendered).rejects.toMatchObject({ name: 'RenderingFailed', isTooLarge: true })
  },
)

test.skipIf(isShort)(
  'fifty full notes of pointed Hebrew are a PDF within the processor time of one sheet',
  {
    timeout: 300_000,
  },
  async () => {
    const note = `${pointed} `.repeat(40).slice(0, 4_000)
    const sources = Array.from({ length: 50 }, () => source({ note, rows: [] }))
    expect((await render('pdf', sheet({ sources }))).subarray(0, 5).toString()).toBe('%PDF-')
  },
)
