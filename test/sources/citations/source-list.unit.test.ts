import { expect, it } from 'vitest'
import { type ListedSource, renderSourceList } from '../../../src/sources/citations/source-list.ts'

const source = {
  ...{ mark: 'S3', ref: 'Book of Rivers 3:4', heRef: 'ספר הנהרות ג׳, ד׳', title: 'Book of Rivers' },
  ...{ work: 'Book of Rivers', language: 'he', version: 'דפוס ראשון', license: 'CC0' },
  ...{ url: 'https://example.org/rivers', text: 'The river does not hurry.' },
}

const linesOf = (list: string) => list.split('\n').map((line) => line.trimEnd())

it('every source has its own lines, in order, after a blank line', () => {
  const plain = { ...source, ref: 'Notes', heRef: 'Notes', version: '', license: '', url: '' }
  const lines = ['[1] Book of Rivers 3:4  ', 'ספר הנהרות ג׳, ד׳  ', 'דפוס ראשון  ', 'Licence: CC0  ']
  const listed = ['', '', 'Sources:', '', ...lines, 'https://example.org/rivers', '', '[2] Notes']
  const sources = [source, plain].map((one, i) => ({ source: one, n: i + 1 }))
  expect(renderSourceList(sources)).toBe(listed.join('\n'))
})

it('no line of the English list holds Hebrew and Latin letters', () => {
  const misattributed = { result: 'misattributed', found_ref: 'ספר ההרים ב' } as const
  const verification = [misattributed, { result: 'verbatim' } as const]
  for (const line of linesOf(renderSourceList([{ source, n: 1, verification }])))
    expect(/[א-ת]/.test(line) && /[A-Za-z]/.test(line)).toBe(false)
})

it.each([
  [[{ result: 'verbatim' }], ['Quotation: word for word']],
  [[{ result: 'verbatim' }, { result: 'verbatim' }], ['2 quotations: word for word']],
  [[{ result: 'fuzzy' }], ['Quotation: close to the text, not word for word']],
  [[{ result: 'not_found' }], ['Quotation: not found in this passage']],
  [
    [{ result: 'misattributed', found_ref: 'Sayings 54' }],
    ['Quotation: not in this passage, but in', 'Sayings 54'],
  ],
  [
    [{ result: 'misattributed', found_ref: source.ref, named_ref: 'Sayings 54' }],
    ['Quotation: the answer names another place', 'Sayings 54', 'It stands in', source.ref],
  ],
  [[{ result: 'paraphrase' }], ['No quotation']],
  [
    [{ result: 'not_found' }, { result: 'verbatim' }],
    ['Quotation: word for word', 'Quotation: not found in this passage'],
  ],
] satisfies [ListedSource['verification'], string[]][])(
  'says what was compared: %j',
  (verification, words) => {
    const lines = linesOf(renderSourceList([{ source, n: 1, verification }]))
    expect(lines.slice(lines.indexOf(source.url) + 1)).toEqual(words)
  },
)

it('stands in Hebrew words on request', () => {
  const listed = [{ source, n: 1, verification: [{ result: 'verbatim' as const }] }]
  const lines = linesOf(renderSourceList(listed, { language: 'he' }))
  expect(lines).toContain('מקורות:')
  expect(lines).toContain('ציטוט: מילה במילה')
  expect(lines.indexOf('[1] ספר הנהרות ג׳, ד׳') + 1).toBe(lines.indexOf('Book of Rivers 3:4'))
})

it('has isolates around foreign runs only on request', () => {
  expect(renderSourceList([{ source, n: 1 }])).not.toMatch(/[\u2066-\u2069]/)
  const isolated = renderSourceList([{ source, n: 1 }], { isolates: true })
  expect(isolated).toContain('[1] \u2066Book of Rivers 3:4\u2069')
  expect(isolated).toContain('\u2067ספר הנהרות ג׳, ד׳\u2069')
})

it('keeps a name with line breaks on one line, and is empty for no sources', () => {
  const broken = { ...source, ref: 'Book\n\nof  Rivers' }
  expect(renderSourceList([{ source: broken, n: 1 }])).toContain('[1] Book of Rivers')
  expect(renderSourceList([])).toBe('')
})
