import { expect, test } from 'vitest'
import { listWorks } from '../../../src/sources/library/passages.ts'
import { countedHits, countFacets } from '../../../src/sources/search/facets.ts'
import { hitQuery, rankHits } from '../../../src/sources/search/hit-page.ts'
import { useLibrary } from '../../support/library-lines.ts'

/** Work, years, and whether each of its passages has English and Hebrew. The English of each has a lamp, the Hebrew נר. */
const [en, he, both] = [[true, false] as const, [false, true] as const, [true, true] as const]
const works = [
  ['Psalms of Lamps', '-500', [both]],
  ['Gate of Lamps', '1796', [en, both, both]],
  ['Road of Lamps', '1790-1812', [he, en]],
  ['Age of Lamps', '-50-20', [en]],
  ['House of Lamps', undefined, [he, he]],
] as const

function* lines(): Generator<object> {
  // Chapters of one passage each, so that no passage has a neighbour.
  for (const [work, composed, passages] of works)
    for (const [i, [hasEnglish, hasHebrew]] of passages.entries())
      yield {
        ...{ work, composed, ref: `${work} ${i + 1}:1` },
        ...(hasEnglish && { en: `A lamp burns in room ${i + 1} of ${work}.` }),
        ...(hasHebrew && { he: `נר דולק בחדר ${i + 1}` }),
      }
}

const db = useLibrary(lines())

const options = { semantic: undefined, signal: new AbortController().signal }
const search = (filter: object, q = 'lamp נר') =>
  rankHits(db.database.system, hitQuery.parse({ q, ...filter, limit: countedHits }), options)
const worksOf = async (filter: object) =>
  [...new Set((await search(filter)).hits.map(({ work }) => work.replace(' of Lamps', '')))].sort()
const facetsOf = async (filter: object = {}) => countFacets(db.database.system, await search(filter), {})

test.each([
  [{ period: '18' }, ['Gate', 'Road']],
  [{ period: '19' }, ['Road']],
  [{ period: '-5' }, ['Psalms']],
  [{ period: '-1' }, ['Age']],
  [{ period: '1' }, ['Age']],
  [{ period: '7' }, []],
  [{ period: 'undated' }, ['House']],
  [{ from: 1796 }, ['Gate', 'Road']],
  [{ from: 1797 }, ['Road']],
  [{ to: 1795 }, ['Age', 'Psalms', 'Road']],
  [{ from: -500, to: -1 }, ['Age', 'Psalms']],
  [{ from: 1797, to: 1797, period: '19' }, ['Road']],
  [{ period: '18', language: 'he', work: 'Gate of Lamps' }, ['Gate']],
])('the filter %j finds the works %j, in a search and in the list', async (filter, expected) => {
  expect(await worksOf(filter)).toEqual(expected)
  const { language: _, work: __, ...years } = filter as { language?: string; work?: string }
  const listed = await listWorks(db.database.system, { ...years, limit: 10 })
  expect(listed.map(({ title }) => title.replace(' of Lamps', ''))).toEqual(expect.arrayContaining(expected))
})

test.each([
  ['eighteenth', 'period'],
  ['0', 'period'],
  ['99', 'period'],
  ["18' or true", 'period'],
])('the period %j is refused with what to write', async (period, param) => {
  const refused = { code: 'invalid_value', param, message: expect.stringContaining('such as 18') }
  await expect(search({ period })).rejects.toMatchObject(refused)
  await expect(listWorks(db.database.system, { period, limit: 5 })).rejects.toMatchObject(refused)
})

test('years in the wrong order are refused with what to write', async () => {
  const message = expect.stringContaining('Give an earlier first year')
  const refused = { code: 'invalid_value', param: 'from', message }
  await expect(search({ from: 1812, to: 1790 })).rejects.toMatchObject(refused)
})

test('a language that the library lacks is refused, and the message lists its languages', async () => {
  const message = 'The library has no texts in the language "xx". Use one of: en, he.'
  const refused = { code: 'invalid_value', param: 'language', message }
  await expect(search({ language: 'xx' })).rejects.toMatchObject(refused)
  expect(await worksOf({ language: 'he', work: 'Age of Lamps' })).toEqual([])
})

test('a period counts the hits of works of that century, and of works without a date', async () => {
  const { period } = await facetsOf()
  const hitsOf = Object.fromEntries(period.values.map(({ name, hits }) => [name, hits]))
  expect(hitsOf).toEqual({ '-5': 1, '-1': 1, '1': 1, '18': 5, '19': 2, undated: 2 })
})

test.each([{}, { period: '18' }, { work: 'Gate of Lamps' }, { from: 1797 }])(
  'each count within %j is the number of hits that the value finds',
  async (filter) => {
    const facets = await facetsOf(filter)
    for (const name of ['period', 'language', 'work'] as const)
      for (const { name: value, hits } of facets[name].values)
        expect((await search({ ...filter, [name]: value })).hits.length, `${name} ${value}`).toBe(hits)
    expect(facets.language.values.length).toBeGreaterThan(0)
  },
)

test('a passage found in two languages counts in both, and one with a match in one only there', async () => {
  const { language } = await facetsOf()
  expect(language.values).toEqual([
    { name: 'en', hits: 6 },
    { name: 'he', hits: 6 },
  ])
  expect(language.counted).toBe(9)
})

test('passages at a ref count in each language that they have', async () => {
  const named = await search({}, 'Gate of Lamps 2:1')
  expect(Object.fromEntries(named.languages())).toMatchObject({ he: expect.any(Number) })
  for (const [language, hits] of named.languages())
    expect((await search({ language }, 'Gate of Lamps 2:1')).hits).toHaveLength(hits)
})
