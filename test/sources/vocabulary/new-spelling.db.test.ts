import { afterAll, beforeAll, expect, test, vi } from 'vitest'

/** The table of works with one more spelling in the row of a work. */
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  const readFileSync = (...[file, ...rest]: Parameters<typeof real.readFileSync>) => {
    const text = real.readFileSync(file, ...rest)
    return String(file).endsWith('/data/works.tsv')
      ? String(text).replace('|Kedushas Levi|', '|Kedushas Levi|Levitical Sanctities|')
      : text
  }
  return { ...real, default: { ...real, readFileSync }, readFileSync }
})

const { resolveRef } = await import('../../../src/sources/refs/ref-lookup.ts')
const { searchSources } = await import('../../../src/sources/search/search.ts')
const { namesOfKnownWork } = await import('../../../src/sources/vocabulary/titles/known-works.ts')
const { createTestDatabase } = await import('../../support/database.ts')
const { importLines } = await import('../../support/library-lines.ts')

let db: Awaited<ReturnType<typeof createTestDatabase>>

beforeAll(async () => {
  db = await createTestDatabase()
  const line = { license: 'CC0', category: ['Chasidut'] }
  await importLines(db.database, [
    {
      ...line,
      work: 'Kedushat Levi',
      he_title: 'קדושת לוי',
      ref: 'Kedushat Levi 3',
      en: 'A man is to serve with joy.',
    },
    { ...line, work: 'Notes', ref: 'Notes 1', en: 'As the book Kedushas Levi has it.' },
    { ...line, work: 'Notes', ref: 'Notes 2', en: 'As the book of another has it.' },
  ])
})
afterAll(() => db.drop())

test('a ref in a new spelling of one row leads to the passage', async () => {
  const place = await resolveRef(db.database.system, 'Levitical Sanctities 3')
  expect(place).toBeDefined()
  expect(place).toEqual(await resolveRef(db.database.system, 'Kedushat Levi 3'))
})

test('a search in a new spelling of one row finds texts with another one', async () => {
  const hits = await searchSources(db.database.system, { text: 'Levitical Sanctities', limit: 3 })
  const refs = hits.map(({ ref }) => ref)
  expect(refs).toContain('Notes 1')
  expect(refs).not.toContain('Notes 2')
})

test('a new spelling of one row names the work where the library lacks it', () => {
  expect(namesOfKnownWork('levitical sanctities')).toContain('Kedushat Levi')
})

test('a new spelling changes the version of the index', async () => {
  const path = '../../../src/sources/vocabulary/terms-version.ts'
  const { termsVersion: amended } = await import(path)
  vi.doUnmock('node:fs')
  vi.resetModules()
  const { termsVersion: original } = await import(path)
  expect(amended()).not.toBe(original())
})
