import { describe, expect, it } from 'vitest'
import { searchSources } from '../../../src/sources/search/search.ts'
import { useLibrary } from '../../support/library-lines.ts'

/** Short passages full of the words of the phrases, in another order: they score best by words. */
const decoys = Array.from({ length: 60 }, (_, i) => ({
  work: 'Decoys',
  ref: `Decoys ${i + 1}:1`,
  he: `הלב הלב שליט המוח המוח הלב מספר ${i}`,
  en: `the river carries silver, silver river, river that carries number ${i}`,
}))
const long = 'words about something else that make a passage long and its score low '.repeat(8)
const passages = [
  ...decoys,
  {
    work: 'Mind',
    ref: 'Mind 1:1',
    he: `${'ועוד דברים אחרים שמאריכים את הפסקה '.repeat(8)} כי המוח שליט על הלב בתולדתו`,
  },
  { work: 'Love', ref: 'Love 1:1', he: `${'ועוד דברים אחרים שמאריכים '.repeat(8)} ואהבת לרעך כמוך אני ה'` },
  { work: 'Love', ref: 'Love 2:1', he: 'אהבה לרעים ואהבת הבריות ואהבת ישראל' },
  { work: 'River', ref: 'River 1:1', en: `${long} the silver that the river carries` },
  { work: 'Editions', ref: 'Editions 1:1', he: 'שער הזהב אשר על השער', en: `gold upon the gate ${long}` },
]

const db = useLibrary(passages)

const search = (text: string) => searchSources(db.database.system, { text, limit: 10 })
const first = async (text: string): Promise<string | undefined> => (await search(text))[0]?.ref

describe('exact phrases come first', () => {
  it.each([
    ['in double quotation marks', 'what is "המוח שליט על הלב" about?', 'Mind 1:1'],
    ['in typographic quotation marks', 'הסבר “המוח שליט על הלב”', 'Mind 1:1'],
    ['as the whole query, with a stop word', 'המוח שליט על הלב', 'Mind 1:1'],
    ['of few words, with points', 'וְאָהַבְתָּ לְרֵעֲךָ כָּמוֹךָ', 'Love 1:1'],
    ['in English, with stop words', '"the silver that the river carries"', 'River 1:1'],
  ])('%s: %s', async (_, text, ref) => expect(await first(text)).toBe(ref))

  it('a run of four content words in a longer question comes before scattered words', async () => {
    expect(await first('מדוע בעצם נאמר המוח שליט על הלב בתולדתו, הלב והמוח והלב?')).toBe('Mind 1:1')
  })

  it('the version that has the phrase is shown', async () => {
    expect((await search('השער הזהב "gold upon the gate"'))[0]?.language).toBe('en')
  })

  it('scores fall from hit to hit', async () => {
    const scores = (await search('"המוח שליט על הלב" המוח')).map((hit) => hit.score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  })

  it('gershayim and a single quoted word make no phrase', async () => {
    expect((await search('הרמב"ם והרמב"ן "הלב"')).length).toBeGreaterThan(0)
  })
})
