import { beforeAll, expect, test } from 'vitest'
import { openFolder } from '../../../src/sources/importers/sefaria/folder.ts'
import { importExport } from '../../../src/sources/importers/sefaria/import-export.ts'
import { resolveRef } from '../../../src/sources/refs/ref-lookup.ts'
import { useDatabase } from '../../support/database.ts'
import { type ExportFiles, leaf, schemaFile, versionFile, writeExport } from '../../support/fake-sefaria.ts'
import { rows, times } from '../../support/full.ts'

const types = ['Integer', 'Talmud', 'Folio'] as const
const threeLevels = types.flatMap((a) => types.flatMap((b) => types.map((c) => [a, b, c])))
/** Every way to number one or two levels; the full tests also have every way to number three. */
const numberings = rows<readonly string[]>(
  [
    ...types.map((a) => [a]),
    ...types.flatMap((a) => types.map((b) => [a, b])),
    ['Integer', 'Talmud', 'Integer'],
  ],
  threeLevels.filter((levels) => levels.join() !== 'Integer,Talmud,Integer'),
)

/** Sections 4 to 7 of each level, in letters: two leaves of either kind are touched. */
function nested(depth: number, path: string): unknown {
  const below = [4, 5, 6, 7].map((n) => (depth === 1 ? `${path} ${n}` : nested(depth - 1, `${path} ${n}`)))
  return [...[1, 2, 3].map(() => (depth === 1 ? '' : [])), ...below]
}

function work(numbering: readonly string[]): ExportFiles {
  const [title, heTitle] = [`Book of ${numbering.join(' and ')}`, hebrewTitle(numbering)]
  return {
    ...versionFile({
      title,
      heTitle,
      versionTitle: 'Only Edition',
      license: 'CC0',
      text: { '': nested(numbering.length, 'here'), 'Part II': nested(numbering.length, 'there') },
    }),
    ...schemaFile(title, heTitle, {
      // A title that itself ends with a number.
      nodes: [leaf('', '', numbering), leaf('Part II', 'חלק ב׳', numbering)],
    }),
  }
}

const hebrewTitle = (numbering: readonly string[]): string =>
  `ספר ${numbering.map((type) => ({ Integer: 'פרקים', Talmud: 'דפים', Folio: 'טורים' })[type]).join(' ')}`

type Place = {
  readonly ref: string
  readonly he_ref: string
  readonly ordinal: number
  readonly work_id: number
}
let places: readonly Place[]

const db = useDatabase()
beforeAll(async () => {
  const folder = await writeExport(Object.assign({}, ...numberings.map(work)))
  const options = { titles: [], categories: [], allowLicenses: [] }
  await importExport(db.database, await openFolder(folder.path), options)
  await folder.remove()
  const found = await db.database.systemPool.query<Place>(
    'select ref, he_ref, ordinal, work_id from passages order by work_id, ordinal',
  )
  places = found.rows
})

/** Fixed steps through many places, so that the test takes seconds. */
const every = <T>(step: number, list: readonly T[]): readonly T[] =>
  list.filter((_, i) => i % times(Math.ceil(step / 3), step) === 0)

test('every way of numbering is there', () => {
  expect(new Set(places.map((place) => place.work_id)).size).toBe(numberings.length)
  expect(places.find(({ ref }) => ref === 'Book of Talmud and Folio, Part II 3a:2a')?.he_ref).toBe(
    'ספר דפים טורים, חלק ב׳ ג׳ א:ב׳ א',
  )
})

test('a printed Hebrew ref names its own place, however its levels are numbered', async () => {
  for (const { ref, he_ref, ordinal, work_id } of every(17, places)) {
    const place = await resolveRef(db.database.system, he_ref)
    expect([ref, he_ref, place]).toEqual([ref, he_ref, { workId: work_id, first: ordinal, last: ordinal }])
  }
})

test('the same with straight quotation marks or none but for sides', async () => {
  for (const { he_ref, ordinal, work_id } of every(37, places)) {
    const straight = he_ref.replaceAll('׳', "'").replaceAll('״', '"')
    const place = await resolveRef(db.database.system, straight)
    expect([straight, place]).toEqual([straight, { workId: work_id, first: ordinal, last: ordinal }])
  }
})

test('a section in Hebrew names all of it', async () => {
  const sections = Map.groupBy(places, ({ ref }) => ref.replace(/:[^:]*$/, ''))
  for (const [section, within] of every(5, [...sections])) {
    const [first, last] = [within[0], within.at(-1)]
    if (!first || !last || section === first.ref) continue
    const hebrew = first.he_ref.replace(/:[^:]*$/, '')
    const place = await resolveRef(db.database.system, hebrew)
    const whole = { workId: first.work_id, first: first.ordinal, last: last.ordinal }
    expect([hebrew, place]).toEqual([hebrew, whole])
  }
})

test('a range in Hebrew names all from its first to its last place', async () => {
  for (const [i, start] of places.entries()) {
    const end = places[i + 6]
    if (i % times(8, 23) !== 0 || !end || headingOf(end.he_ref) !== headingOf(start.he_ref)) continue
    const range = `${start.he_ref}-${differing(numbersOf(start.he_ref), numbersOf(end.he_ref))}`
    const place = await resolveRef(db.database.system, range)
    expect([range, place]).toEqual([
      range,
      { workId: start.work_id, first: start.ordinal, last: end.ordinal },
    ])
  }
})

const printedNumbers = / (?:[א-ת]׳(?: [א-ד])?(?::|$))+$/
const headingOf = (heRef: string): string => heRef.replace(printedNumbers, '')
const numbersOf = (heRef: string): readonly string[] => heRef.slice(headingOf(heRef).length + 1).split(':')

/** What of the end of a range is printed. */
function differing(from: readonly string[], to: readonly string[]): string {
  return to.slice(to.findIndex((part, i) => part !== from[i])).join(':')
}
