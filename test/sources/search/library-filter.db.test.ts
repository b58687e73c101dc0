import { describe, expect, it } from 'vitest'
import { listWorks } from '../../../src/sources/library/passages.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { useLibrary } from '../../support/library-lines.ts'

const works = [
  ['Lamp of One', 'Rabbi Schneur Zalman of Liadi', 'Chabad'],
  ['Lamp of Two', 'רבי שניאור זלמן מלאדי', 'Chabad'],
  ['Lamp of Three', 'Levi Yitzchak of Berditchev', 'Chassidut'],
  ['Lamp of Four', 'R. Dov Baer of Mezhirichi', 'Chassidut'],
  ['Lamp of Five', 'Miriam of the Lamps, Asher the Builder', 'Chassidut'],
  ['Lamp of Six', 'Maimonides', 'Halakhah'],
  ['Lamp of Seven', 'Menachem Mendel of Rymanov', 'Chassidut'],
  ['Lamp of Eight', 'Menachem Mendel of Kotzk', 'Chassidut'],
] as const

function* lines(): Generator<object> {
  for (const [work, author, category] of works)
    yield { work, ref: `${work} 1:1`, en: 'a lamp burns', author, category, license: 'own' }
}

const db = useLibrary(lines())

const worksOf = async (filter: { author?: string; category?: string; work?: string }): Promise<string[]> =>
  (await searchSources(db.database.system, { text: 'lamp', limit: 20, ...filter }))
    .map((hit) => hit.work)
    .sort()

describe('an author filter', () => {
  it.each([
    ['Alter Rebbe', ['Lamp of One', 'Lamp of Two']],
    ['the Baal HaTanya', ['Lamp of One', 'Lamp of Two']],
    ['אדמו"ר הזקן', ['Lamp of One', 'Lamp of Two']],
    ['Shneur Zalman of Lyady', ['Lamp of One', 'Lamp of Two']],
    ['רבי שניאור זלמן מלאדי', ['Lamp of One', 'Lamp of Two']],
    ['Berditchever', ['Lamp of Three']],
    ['רבי לוי יצחק מברדיטשוב', ['Lamp of Three']],
    ['המגיד ממזריטש', ['Lamp of Four']],
    ['Asher the Builder', ['Lamp of Five']],
    ['Miriam', ['Lamp of Five']],
    ['רמב״ם', ['Lamp of Six']],
    ['Menachem Mendel', ['Lamp of Eight', 'Lamp of Seven']],
  ])('%s means its author in every spelling', async (author, expected) => {
    expect(await worksOf({ author })).toEqual([...expected].sort())
    const listed = await listWorks(db.database.system, { author, limit: 20 })
    expect(listed.map((work) => work.title)).toEqual([...expected].sort())
  })

  it('that the library does not know is refused and names near authors', async () => {
    await expect(worksOf({ author: 'Levi Yitzchak of Berlin' })).rejects.toMatchObject({
      code: 'invalid_value',
      param: 'author',
      message: expect.stringContaining('Levi Yitzchak of Berditchev'),
    })
    await expect(worksOf({ author: 'Mickey' })).rejects.toMatchObject({ param: 'author' })
    await expect(worksOf({ author: 'of' })).rejects.toMatchObject({ param: 'author' })
  })
})

describe('a category or work filter', () => {
  it('reads a category in any case and spelling', async () => {
    expect(await worksOf({ category: 'halakha' })).toEqual(['Lamp of Six'])
    expect(await worksOf({ category: 'CHABAD' })).toEqual(['Lamp of One', 'Lamp of Two'])
  })

  it('that the library does not know is refused and names near ones', async () => {
    await expect(worksOf({ category: 'Chasidism' })).rejects.toMatchObject({
      param: 'category',
      message: expect.stringContaining('Chassidut'),
    })
    await expect(worksOf({ work: 'Lamp of Threes' })).rejects.toMatchObject({
      param: 'work',
      message: expect.stringContaining('Lamp of Three'),
    })
  })
})
