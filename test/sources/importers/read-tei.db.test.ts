import { expect, test } from 'vitest'
import { importText } from '../../../src/sources/importers/import-text.ts'
import { readMarkdown } from '../../../src/sources/importers/read-markdown.ts'
import { readTei } from '../../../src/sources/importers/read-tei.ts'
import { useEmptyLibrary } from '../../support/library-database.ts'

const db = useEmptyLibrary()

const tei = `<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc>
<titleStmt><title>Lamps of Night</title><author>A Scribe</author></titleStmt>
<publicationStmt><availability><licence>CC0</licence></availability></publicationStmt>
</fileDesc></teiHeader>
<text xml:lang="en-GB"><front><div><head>Preface</head><p>Why it was <hi rend="i">written</hi>.</p></div></front>
<body>
<div n="1"><head>On Oil</head>
<p>Oil rises <pb n="2"/>above water<note>So in the print.</note>, as <foreign xml:lang="he">שמן</foreign> does.</p>
<p>Pure &amp; pressed.</p>
<div n="2"><l>A first line<milestone unit="x"/></l><l>and a second.</l></div>
</div>
</body></text></TEI>`

const texts = async () =>
  (
    await db.database.systemPool.query(
      'select p.ref, t.text, t.notes from passages p join passage_texts t on t.passage_id = p.id order by ordinal',
    )
  ).rows

test('a TEI text is imported with its properties, divisions, paragraphs, lines and notes', async () => {
  const report = await importText(db.database, readTei(tei, {}), { allowLicenses: [] })
  expect(report).toMatchObject({
    work: 'Lamps of Night',
    language: 'en',
    license: 'CC0',
    segments: 5,
    notes: 1,
  })
  expect(await texts()).toEqual([
    { ref: 'Lamps of Night, Preface 1', text: 'Why it was written.', notes: [] },
    {
      ref: 'Lamps of Night, On Oil 1',
      text: 'Oil rises above water, as שמן does.',
      notes: ['So in the print.'],
    },
    { ref: 'Lamps of Night, On Oil 2', text: 'Pure & pressed.', notes: [] },
    { ref: 'Lamps of Night, On Oil, 2 1', text: 'A first line', notes: [] },
    { ref: 'Lamps of Night, On Oil, 2 2', text: 'and a second.', notes: [] },
  ])
})

test('an option takes precedence over the header of a TEI text', async () => {
  expect(readTei(tei, { title: 'Other', language: 'he' })).toMatchObject({
    work: { title: 'Other', author: 'A Scribe' },
    language: 'he',
  })
})

test('XML that is no TEI is refused, and so is XML as Markdown', () => {
  expect(() => readTei('<html><body><p>Words</p></body></html>', { title: 'T' })).toThrow(/not TEI/)
  expect(() => readMarkdown(tei, { title: 'T' })).toThrow(/sources import tei/)
  expect(() => readMarkdown('<div>Words in a block.</div>', { title: 'T' })).not.toThrow()
})
