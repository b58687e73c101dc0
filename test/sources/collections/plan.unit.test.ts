import { expect, test } from 'vitest'
import { collections, findCollection } from '../../../src/sources/collections/collections.ts'
import { exportPlace } from '../../../src/sources/collections/export-place.ts'
import { planCollection } from '../../../src/sources/collections/plan.ts'
import type { ExportSource } from '../../../src/sources/importers/sefaria/export-source.ts'

const exportOf = (...titles: readonly string[]): ExportSource => ({
  entries: titles.map((title) => ({
    id: title,
    title,
    categories: title === 'Genesis' ? ['Tanakh'] : ['Chasidut'],
    name: title,
    location: title,
  })),
  merged: 0,
  read: () => Promise.reject(new Error('not read')),
  head: () => Promise.reject(new Error('not read')),
  schema: () => Promise.resolve(undefined),
  links: () => [],
})

const titlesOf = (name: string, source: ExportSource) =>
  planCollection(findCollection(name), source).works.map(({ title }) => title)

test('a plan takes the works in the order of the collection, not of the index', () => {
  const source = exportOf('Torah Ohr', 'Genesis', 'Derekh Mitzvotekha', 'Tanya')
  expect(titlesOf('chabad', source)).toEqual(['Tanya', 'Torah Ohr', 'Derekh Mitzvotekha'])
})

test('a plan finds works under former titles and other spellings, and says so', () => {
  const source = exportOf('Sefer HaMidot', "Likkutei Mo'haran", 'Likutei Halachot')
  const plan = planCollection(findCollection('breslov'), source)
  expect(plan.works.map(({ title }) => title)).toEqual([
    "Likkutei Mo'haran",
    'Sefer HaMidot',
    'Likutei Halachot',
  ])
  expect(plan.renamed).toContainEqual({ listed: 'Sefer HaMiddot', found: 'Sefer HaMidot' })
  expect(plan.missing).toContain('Sichot HaRan')
  expect(plan.missing).not.toContain('Likutei Halakhot')
})

test('a title of the index is taken before a former title of the same work', () => {
  expect(titlesOf('early-masters', exportOf('Noam Elimelech', 'Noam Elimelekh'))).toEqual(['Noam Elimelekh'])
})

test('the collection of everything also takes works that no list has', () => {
  const source = exportOf('Genesis', 'A Book Published Tomorrow', 'Tanya')
  expect(titlesOf('chassidut', source)).toEqual(['Tanya', 'A Book Published Tomorrow'])
})

test('each collection has its facts in both languages, and no title twice', () => {
  for (const { name, title, description, works, languages, licenses } of collections) {
    const titles = works.flatMap((work) => [work.title, ...(work.formerTitles ?? [])])
    expect(new Set(titles).size, name).toBe(titles.length)
    for (const text of [title.he, description.he, ...works.map(({ heTitle }) => heTitle)])
      expect(text, name).toMatch(/[\u05d0-\u05ea]/)
    expect(title.en && description.en, name).toBeTruthy()
    expect(languages.length * licenses.length, name).toBeGreaterThan(0)
  }
})

test('an unknown collection is refused with the names of all', () => {
  expect(() => findCollection('tanja')).toThrow(/"tanja".*tanya, chabad, breslov.*chassidut/)
})

test('a mirror is named by its folder or by its list of books', () => {
  const mirror = 'https://mirror.example/export'
  expect(exportPlace(`${mirror}/`)).toEqual({ kind: 'web', booksUrl: `${mirror}/books.json`, mirror })
  expect(exportPlace(`${mirror}/list.json`)).toEqual({ kind: 'web', booksUrl: `${mirror}/list.json`, mirror })
  expect(exportPlace('/srv/export')).toEqual({ kind: 'folder', path: '/srv/export' })
})
