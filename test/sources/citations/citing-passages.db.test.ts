import { describe, expect, it, vi } from 'vitest'
import { readHits } from '../../../src/sources/search/hit-page.ts'
import { missingStatement } from '../../../src/sources/search/missing/statement.ts'
import { isRelevant } from '../../../src/sources/search/relevance/relevance-floor.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { useLibrary } from '../../support/library-lines.ts'
import { libraryReader } from '../../support/library-reader.ts'

const lines = [
  { work: 'Wells', ref: 'Wells 1', en: 'Forever the word stands in the heavens (Psalms 119:89), as taught.' },
  { work: 'Wells', ref: 'Wells 2', he: 'כמו שכתוב [תהלים קי"ט] נצב בשמים, וכן בברכות דף ה ע"א' },
  { work: 'Wells', ref: 'Wells 3', en: 'The letters stand in the firmament.', refs: ['Psalms 119:89'] },
  { work: 'Wells', ref: 'Wells 4', en: 'From the midst of straits (Psalms 118:5) I called.' },
  { work: 'Wells', ref: 'Wells 5', en: 'A lamp (Psalms 119:105) is the word, 89 times over; Psalms.' },
  { work: 'Wells', ref: 'Wells 6', en: 'Trust as a child does.', refs: ['Psalms 119:88-90'] },
  { work: 'Wells', ref: 'Wells 7', en: 'Suffering of love is a gift.', refs: ['Berakhot 5a:12'] },
  { work: 'Wells', ref: 'Wells 8', en: 'He took the psalms and 119 candles and 89 books to town.' },
  { work: 'Genesis', ref: 'Genesis 1:1', en: 'In the beginning.' },
  { work: 'Wells', ref: 'Wells 9', en: 'Of creation.', refs: ['Genesis 1:1'] },
  { work: 'Wells', ref: 'Wells 10', en: 'Long words of a sermon. '.repeat(180), refs: ['Jonah 2:3'] },
]

const db = useLibrary(lines)
const { missingIn } = libraryReader(db)

const refs = async (text: string, limit = 20) =>
  (await searchSources(db.database.system, { text, limit })).map(({ ref }) => ref)

describe('a verse that the library lacks brings the passages that cite it first:', () => {
  it.each(['Psalms 119:89', 'Ps. 119:89', 'Tehillim 119:89', 'תהילים קיט פט', 'תהלים קי"ט, פ"ט'])(
    '%s',
    async (query) => {
      const found = await refs(query)
      expect(found.slice(0, 4)).toEqual(['Wells 1', 'Wells 3', 'Wells 6', 'Wells 2'])
    },
  )
})

it.each(['Berakhot 5a', 'ברכות ה ע"א', 'Berachos 5a'])('a leaf of the Talmud does so: %s', async (query) => {
  expect((await refs(query)).slice(0, 2).sort()).toEqual(['Wells 2', 'Wells 7'])
})

it('a question that names a verse finds the passages that cite it, as relevant', async () => {
  const hits = await searchSources(db.database.system, { text: 'How is Psalms 119:89 explained?', limit: 3 })
  expect(hits.map(({ ref }) => ref)).toContain('Wells 3')
  expect(hits.every(({ coverage }) => isRelevant(coverage))).toBe(true)
})

it('a verse of the library itself comes before those that cite it', async () => {
  expect((await refs('Genesis 1:1')).slice(0, 2)).toEqual(['Genesis 1:1', 'Wells 9'])
})

it('all pieces of a text that an import has cut cite what the text cites', async () => {
  expect((await refs('Jonah 2:3', 1))[0]).toMatch(/^Wells 10 §\d$/)
})

it('a filter holds for passages that cite a verse', async () => {
  const hits = await searchSources(db.database.system, { text: 'Psalms 119:89', limit: 5, work: 'Genesis' })
  expect(hits).toEqual([])
})

it('the reply says that the library lacks the verse, and who cites it', async () => {
  const signal = new AbortController().signal
  const page = await readHits(
    db.database.system,
    { q: 'Psalms 119:89', limit: 3 },
    { semantic: undefined, signal },
  )
  expect(page.unknownRef).toEqual({
    ref: 'Psalms 119:89',
    nearest: null,
    cited_by: ['Wells 1', 'Wells 3', 'Wells 6', 'Wells 2'],
  })
  const missing = await missingIn('What is in Psalms 119:89?')
  expect(missing).toMatchObject([{ written: 'Psalms 119:89', kind: 'unheld' }])
  expect(missingStatement(missing, 'en')).toContain('passages here that cite it: Wells 1 · Wells 3')
})

it('a search for a verse looks up its citing passages once, for all its names', async () => {
  const query = vi.spyOn(db.database.systemPool, 'query')
  const signal = new AbortController().signal
  await readHits(db.database.system, { q: 'Psalms 119:89', limit: 3 }, { semantic: undefined, signal })
  const sent = query.mock.calls.map(([statement]) => (statement as unknown as { text: string }).text)
  query.mockRestore()
  expect(sent.filter((text) => text.includes('from links'))).toHaveLength(1)
  expect(sent.filter((text) => text.includes('as postings from search_postings'))).toHaveLength(2)
})

it('an uncited verse has an empty list, and an existing verse no remark', async () => {
  expect(await missingIn('Ruth 1:1')).toMatchObject([{ kind: 'unheld', citedBy: [] }])
  expect(await missingIn('Genesis 1:1')).toEqual([])
  expect(await missingIn('Genesis 1:7')).toMatchObject([{ kind: 'place', nearest: ['Genesis 1:1'] }])
})
