import { describe, expect, it } from 'vitest'
import { listWorks, readPassage } from '../../../src/sources/library/passages.ts'
import { nearestRefs } from '../../../src/sources/refs/nearest-refs.ts'
import { type SearchQuery, searchSources } from '../../../src/sources/search/search.ts'
import { useLibrary } from '../../support/library-lines.ts'

/** Passages by their refs; the work is what stands before the number. */
const texts: Readonly<Record<string, object>> = {
  'Garden 1:1': { he: 'האדם צריך כוונה שלימה בלבו', category: 'Prayer' },
  'Garden 1:2': { he: 'ובתשובה מתוך אהבה זדונות נעשות כזכויות' },
  'Garden 1:3': { he: 'אמר הקב"ה לישראל שובו אלי' },
  'Garden 2:1': { he: 'הקדוש ברוך הוא מלך העולם' },
  'Garden 2:2': { he: 'עניין הביטחון הגמור של החסיד' },
  'River 1:1': { en: 'A person must have complete intention in prayer', author: 'Sailor' },
  'River 1:2': { en: 'The Baal Shem Tov taught that a melody lifts the soul' },
  'River 1:3': { en: 'Chassidus speaks of the hidden light' },
  'River 2:1': { en: 'light hidden and light revealed, the light of the sun', license: 'own' },
  'River 2:2': { en: 'The silver river of light runs to the sea of wisdom' },
  'River 3:1': { en: 'of light The wisdom sea silver to runs the river' },
  'People, Baal Shem Tov 1': {
    en: 'He lived in Medzhibozh and healed the sick',
    he_ref: 'אישים, בעל שם טוב א',
  },
  'Both 1': { he: 'נהר יוצא מעדן', en: 'A river goes out of Eden', license: 'CC0' },
  'Likutei Moharan 282:1:1': { en: 'lookup target' },
  'Likutei Moharan 282:1:2': { en: 'lookup target, continued' },
  'Likutei Moharan 283:1:1': { en: 'next lesson' },
  'Likutei Moharan, Part II 48:1:1': { en: 'second part' },
}
const passages = Object.entries(texts).map(([ref, text]) => {
  const [work] = ref.split(/,| \d/)
  return { work, ref, ...(work === 'Garden' && { author: 'Gardener' }), ...text }
})
const fillers = Array.from({ length: 40 }, (_, i) => ({
  ...{ work: 'Filler', ref: `Filler ${i + 1}:1`, he: `פסקה נוספת על ענין אחר לגמרי מספר ${i}` },
  en: `another paragraph about something quite different, number ${i}`,
}))

const db = useLibrary([...passages, ...fillers])

const search = (query: Partial<SearchQuery> & { text: string }) =>
  searchSources(db.database.system, { limit: 10, ...query })
const refs = async (query: Partial<SearchQuery> & { text: string }): Promise<readonly string[]> =>
  (await search(query)).map((hit) => hit.ref)
const first = async (text: string): Promise<string | undefined> => (await refs({ text }))[0]

describe('searchSources', () => {
  it.each([
    ['a word under prefixes in the text', 'תשובה', 'Garden 1:2'],
    ['a word under prefixes in the query', 'ובכוונה', 'Garden 1:1'],
    ['points in the query', 'כַּוָּנָה שְׁלֵימָה', 'Garden 1:1'],
    ['an abbreviation by its words', 'קדוש ברוך', 'Garden 2:1'],
    ['defective for plene spelling', 'הבטחון', 'Garden 2:2'],
    ['a transliteration spelled otherwise', 'hasidut', 'River 1:3'],
    ['another name of a person in the text', 'melody of the Besht', 'River 1:2'],
    ['a name in the other language', 'נגון של הבעש"ט', 'River 1:2'],
    [
      'the entry about a person before a place that names him',
      'Who was the Besht?',
      'People, Baal Shem Tov 1',
    ],
    ['a stem', 'intentions', 'River 1:1'],
  ])('finds %s', async (_, text, ref) => {
    expect(await first(text)).toBe(ref)
  })

  it('finds both the abbreviation and its words by either', async () => {
    for (const text of ['הקב״ה', 'הקדוש ברוך הוא']) {
      expect(await refs({ text })).toEqual(expect.arrayContaining(['Garden 1:3', 'Garden 2:1']))
    }
  })

  it('puts the very wording before the same words in another order', async () => {
    const found = await refs({ text: 'silver river of light runs to the sea' })
    expect(found.indexOf('River 2:2')).toBe(0)
    expect(found.indexOf('River 3:1')).toBeGreaterThan(0)
  })

  it('shows a passage that has both languages once, in the language of the query', async () => {
    const hebrew = (await search({ text: 'נהר מעדן' })).filter((hit) => hit.ref === 'Both 1')
    const english = (await search({ text: 'river Eden' })).filter((hit) => hit.ref === 'Both 1')
    expect(hebrew.map((hit) => hit.language)).toEqual(['he'])
    expect(english.map((hit) => hit.language)).toEqual(['en'])
  })

  it('collapses neighbours of one section into the best of them, not passages of other sections', async () => {
    const found = await refs({ text: 'hidden light' })
    expect(found).toContain('River 1:3')
    expect(found).toContain('River 2:1')
    expect(found.filter((ref) => ref === 'River 2:1' || ref === 'River 2:2')).toHaveLength(1)
  })

  it('keeps to work, author, category, language and licence', async () => {
    expect(await refs({ text: 'light', work: 'Garden' })).toEqual([])
    expect(await refs({ text: 'lesson', work: 'likutey moharan' })).toEqual(['Likutei Moharan 283:1:1'])
    expect(await refs({ text: 'lesson', work: 'ליקוטי מוהר"ן' })).toEqual(['Likutei Moharan 283:1:1'])
    expect(await refs({ text: 'כוונה', author: 'gardener' })).toEqual(['Garden 1:1'])
    expect(await refs({ text: 'כוונה', category: 'prayer' })).toEqual(['Garden 1:1'])
    const onlyHebrew = await search({ text: 'river נהר', language: 'he' })
    expect(onlyHebrew.map((hit) => hit.language)).toEqual(['he'])
    expect(await refs({ text: 'river', license: 'cc0' })).toEqual(['Both 1'])
  })

  it('pages without losing or repeating anything, in one order every time', async () => {
    const all = await refs({ text: 'paragraph different', limit: 40 })
    const page = (limit: number, offset: number) => refs({ text: 'paragraph different', limit, offset })
    expect([...(await page(15, 0)), ...(await page(25, 15))]).toEqual(all)
    expect(new Set(all).size).toBe(40)
  })

  it('scores fall from first to last', async () => {
    const scores = (await search({ text: 'hidden light of the sun' })).map((hit) => hit.score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(new Set(scores).size).toBeGreaterThan(1)
  })

  it.each([
    '',
    '?!',
    '\u0000',
    '"',
    "'; drop table passages; --",
    '%',
    '\\',
    '(((',
    '\ud800',
    'xylophonic zzyzx',
  ])('finds nothing for the query %j', async (text) => {
    expect(await search({ text })).toEqual([])
  })

  it.each([
    ...['Garden 1\u0000', '\u0000 5', 'Garden \ud800 1', 'x'.repeat(100_000), '%E0%A4%A 1'],
    'Garden 99999999999999',
  ])('has nothing under %j, as a ref or as a filter', async (text) => {
    const read = await readPassage(db.database.system, text, { language: text })
    expect('passages' in read ? read.passages : []).toEqual([])
    const unknown = { code: 'invalid_value' }
    for (const param of ['work', 'author', 'category', 'language'])
      await expect(search({ text, [param]: text })).rejects.toMatchObject({ ...unknown, param })
    for (const param of ['author', 'category'])
      await expect(listWorks(db.database.system, { [param]: text, limit: 5 })).rejects.toMatchObject(unknown)
    const works = listWorks(db.database.system, { after: text, limit: 100 })
    await expect(works).rejects.toMatchObject({ ...unknown, param: 'after' })
  })
})

describe('a query that is a ref', () => {
  it.each(['Likutei Moharan 282', 'ליקוטי מוהר"ן תורה רפ"ב'])(
    '%s is looked up before anything is searched',
    async (text) => {
      expect((await refs({ text })).slice(0, 2)).toEqual([
        'Likutei Moharan 282:1:1',
        'Likutei Moharan 282:1:2',
      ])
    },
  )

  it('keeps the second part apart from the first', async () => {
    expect(await first('LM II 48')).toBe('Likutei Moharan, Part II 48:1:1')
  })
})

describe('readPassage', () => {
  const read = async (ref: string, options: Parameters<typeof readPassage>[2] = {}) => {
    const found = await readPassage(db.database.system, ref, options)
    return 'passages' in found ? found.passages.map((p) => `${p.ref} ${p.language}`) : found
  }

  it('gives every version, and neighbours in reading order across sections', async () => {
    expect(await read('Both 1')).toEqual(['Both 1 he', 'Both 1 en'])
    expect(await read('Both 1', { language: 'en' })).toEqual(['Both 1 en'])
    const three = ['Garden 1:2 he', 'Garden 1:3 he', 'Garden 2:1 he']
    expect(await read('Garden 1:3', { before: 1, after: 1 })).toEqual(three)
  })

  it('gives a section and a range whole', async () => {
    expect(await read('Garden 1')).toEqual(['Garden 1:1 he', 'Garden 1:2 he', 'Garden 1:3 he'])
    expect(await read('Garden 1:2-2:1')).toEqual(['Garden 1:2 he', 'Garden 1:3 he', 'Garden 2:1 he'])
  })

  it('offers the nearest numbers under a known heading, and the likest heading for an unknown one', async () => {
    expect(await read('LM 300')).toEqual({ nearest: ['Likutei Moharan 283', 'Likutei Moharan 282'] })
    expect((await nearestRefs(db.database.system, 'Rivver 9:9'))[0]).toMatch(/^River/)
    expect(await read('Nothing at all like it')).toEqual({ nearest: [] })
  })
})
