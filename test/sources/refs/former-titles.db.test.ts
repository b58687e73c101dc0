import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSourceMarks } from '../../../src/sources/citations/source-marks.ts'
import { verifyText } from '../../../src/sources/citations/verify.ts'
import { verifyLookups } from '../../../src/sources/citations/verify-lookups.ts'
import { openFolder } from '../../../src/sources/importers/sefaria/folder.ts'
import { openParser } from '../../../src/sources/importers/sefaria/format/parser.ts'
import { importExport } from '../../../src/sources/importers/sefaria/import-export.ts'
import { readPassage } from '../../../src/sources/library/passages.ts'
import { ensureSearchIndex } from '../../../src/sources/library/writing/reindex.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { sourceTools } from '../../../src/sources/tools/agent-tools.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { type ExportFiles, leaf, schemaFile, versionFile, writeExport } from '../../support/fake-sefaria.ts'
import { libraryIn } from '../../support/library-database.ts'
import { importLines } from '../../support/library-lines.ts'

let db: TestDatabase
beforeEach(async () => {
  db = await createTestDatabase()
})
afterEach(() => db.drop())

/** One for all imports: a thread of its own for each would be most of the work. */
const parser = openParser()
afterAll(() => parser.close())

async function importFiles(files: ExportFiles) {
  const folder = await writeExport(files)
  try {
    const options = { titles: [], categories: [], allowLicenses: [], parser }
    return await importExport(db.database, await openFolder(folder.path), options)
  } finally {
    await folder.remove()
  }
}

/** The ref of the first passage that a ref gives. */
async function first(ref: string): Promise<string | undefined> {
  const found = await readPassage(db.database.system, ref, {})
  return 'passages' in found ? found.passages[0]?.ref : undefined
}

/** A work in an export: its title, the English and the Hebrew title of its parts, and their chapters. */
type Part = readonly [title: string, heTitle: string, chapters: readonly (readonly string[])[]]

function book(title: string, heTitle: string, parts: readonly Part[], others: object = {}): ExportFiles {
  return {
    ...versionFile({
      title,
      heTitle,
      versionTitle: 'Only Edition',
      license: 'CC0',
      text: Object.fromEntries(parts.map(([part, , chapters]) => [part, chapters])),
    }),
    ...schemaFile(
      title,
      heTitle,
      { nodes: parts.map(([part, hePart]) => leaf(part, hePart, ['Integer', 'Integer'])) },
      others,
    ),
  }
}

const gates = [['a gate of old wood', 'a gate of iron'], ['a gate of reeds']]
const roads = [['a road of sand'], ['a road of stone', 'a road of water']]
const old = book('Travels', 'מסעות', [
  ['Part One, The Book of Gates', 'חלק ראשון, ספר השערים', gates],
  ['Letter of Roads', 'אגרת הדרכים', roads],
])
const renamedParts: readonly Part[] = [
  ['Part I; Gates', 'חלק א; שערים', gates],
  ['Part II; Roads', 'חלק ב; דרכים', roads],
]

describe('after parts of a work were renamed', () => {
  beforeEach(async () => {
    await importFiles(old)
    await importFiles(book('Travels', 'מסעות', renamedParts))
  })

  const refs: readonly (readonly [written: string, now: string])[] = [
    ['Travels, Part One, The Book of Gates 1:2', 'Travels, Part I; Gates 1:2'],
    ['Travels, Letter of Roads 2', 'Travels, Part II; Roads 2:1'],
    ['travels letter of roads 2.2', 'Travels, Part II; Roads 2:2'],
    ['מסעות, חלק ראשון, ספר השערים ב׳:א׳', 'Travels, Part I; Gates 2:1'],
    ['מסעות אגרת הדרכים פרק ב', 'Travels, Part II; Roads 2:1'],
  ]

  test.each(refs)('%s is read where it stands now', async (written, now) => {
    expect(await first(written)).toBe(now)
  })

  test.each(refs)('%s is searched where it stands now', async (text, now) => {
    expect((await searchSources(db.database.system, { text, limit: 1 }))[0]?.ref).toBe(now)
  })

  test('what the old refs quote is verified against the present passages', async () => {
    const text =
      'It has “a gate of old wood”, as Travels, Part One, The Book of Gates 1:1 says. See Travels, Letter of Roads 9.'
    const { quotes, refs: named } = await verifyText(text, verifyLookups(db.database.system))
    expect(quotes).toMatchObject([{ result: 'verbatim', ref: 'Travels, Part I; Gates 1:1' }])
    expect(named).toMatchObject([
      { ref: 'Travels, Part One, The Book of Gates 1:1', exists: true, nearest: null },
      { ref: 'Travels, Letter of Roads 9', exists: false, nearest: 'Travels, Part II; Roads 2' },
    ])
  })

  test('the tools of the agent know them', async () => {
    const tools = sourceTools(libraryIn(db.database), createSourceMarks())
    const call = async (name: string, args: Record<string, unknown>) => {
      const tool = tools.find((one) => one.spec.name === name)
      return JSON.parse((await tool?.execute(args, new AbortController().signal))?.content ?? '{}')
    }
    await db.database.system.execute(
      `insert into links (from_ref, to_ref) values ('Travels, Part II; Roads 2:1', 'Elsewhere 1')`,
    )
    expect(await call('resolve_ref', { ref: 'Travels, Letter of Roads 2:2' })).toMatchObject({
      found: true,
      passages: [{ ref: 'Travels, Part II; Roads 2:2' }],
    })
    expect(await call('read_source', { ref: 'Travels, Letter of Roads 2:2' })).toMatchObject({
      passages: [{ ref: 'Travels, Part II; Roads 2:2' }],
    })
    expect(await call('find_parallels', { ref: 'Travels, Letter of Roads 2' })).toMatchObject({
      links: [{ ref: 'Elsewhere 1', direction: 'to' }],
    })
    expect(await call('search_sources', { query: 'Travels, Letter of Roads 7' })).toMatchObject({
      missing: [{ kind: 'place', nearest: ['Travels, Part II; Roads 2', 'Travels, Part II; Roads 1'] }],
    })
  })

  test('they outlast further imports, another renaming and a new index', async () => {
    const again: readonly Part[] = [
      ['Gates and Doors', 'שערים ודלתות', gates],
      ['Part II; Roads', 'חלק ב; דרכים', [...roads, ['a new road']]],
    ]
    await importFiles(book('Travels', 'מסעות', again))
    await ensureSearchIndex(db.database, { force: true })
    for (const [written, now] of [
      ['Travels, Part One, The Book of Gates 1:2', 'Travels, Gates and Doors 1:2'],
      ['Travels, Part I; Gates 1:2', 'Travels, Gates and Doors 1:2'],
      ['מסעות, חלק א; שערים א׳:ב׳', 'Travels, Gates and Doors 1:2'],
      ['Travels, Letter of Roads 3', 'Travels, Part II; Roads 3:1'],
    ] as const) {
      expect([written, await first(written)]).toEqual([written, now])
    }
  })
})

test('a part with other words at its numbers is no successor', async () => {
  await importFiles(old)
  const shifted = gates.toReversed()
  await importFiles(
    book('Travels', 'מסעות', [
      ['Doors', 'דלתות', shifted],
      ['Letter of Roads', 'אגרת הדרכים', roads],
    ]),
  )
  expect(await first('Travels, Part One, The Book of Gates 1:1')).toBeUndefined()
  expect(await first('Travels, Letter of Roads 1:1')).toBe('Travels, Letter of Roads 1:1')
})

test('a renamed work is found by its former title, with all its parts', async () => {
  await importFiles(old)
  await importFiles(book('Journeys', 'נסיעות', renamedParts, { titleVariants: ['Travels', 'Journeys'] }))
  // The next schema does not tell of the former title any more.
  await importFiles(book('Journeys', 'נסיעות', renamedParts))
  for (const [written, now] of [
    ['Travels, Part I; Gates 1:2', 'Journeys, Part I; Gates 1:2'],
    ['Travels, Part One, The Book of Gates 1:2', 'Journeys, Part I; Gates 1:2'],
    ['מסעות, חלק א; שערים א׳:ב׳', 'Journeys, Part I; Gates 1:2'],
    ['מסעות אגרת הדרכים ב', 'Journeys, Part II; Roads 2:1'],
  ] as const) {
    expect([written, await first(written)]).toEqual([written, now])
  }
  const found = await searchSources(db.database.system, { text: 'reeds', work: 'Travels', limit: 5 })
  expect(found.map((hit) => hit.ref)).toEqual(['Journeys, Part I; Gates 2:1'])
})

test('a changed Hebrew title leaves the former one as another name', async () => {
  const line = { work: 'Wells', ref: 'Wells 1:1', en: 'deep' }
  await importLines(db.database, [{ ...line, he_ref: 'באר א:א', he_title: 'באר' }])
  await importLines(db.database, [{ ...line, he_ref: 'בארות א:א', he_title: 'בארות' }])
  expect(await first('בארות א')).toBe('Wells 1:1')
  expect(await first('באר א')).toBe('Wells 1:1')
})

describe('titles that a schema gives', () => {
  const titled = (title: string, heTitle: string, others: readonly (readonly ['en' | 'he', string])[]) => ({
    ...leaf(title, heTitle, ['Integer', 'Integer']),
    titles: [
      { lang: 'en', text: title, primary: true },
      { lang: 'he', text: heTitle, primary: true },
      ...others.map(([lang, text]) => ({ lang, text })),
    ],
  })
  const files = (others: object, nodeTitles: readonly (readonly ['en' | 'he', string])[]): ExportFiles => ({
    ...versionFile({
      title: 'Travels',
      heTitle: 'מסעות',
      versionTitle: 'Only Edition',
      license: 'CC0',
      text: { Gates: gates, Roads: roads, Hills: [['a hill']] },
    }),
    ...schemaFile(
      'Travels',
      'מסעות',
      {
        nodes: [
          titled('Gates', 'שערים', nodeTitles),
          leaf('Roads', 'דרכים', ['Integer', 'Integer']),
          leaf('Hills', 'גבעות', ['Integer', 'Integer']),
        ],
      },
      others,
    ),
  })

  beforeEach(() =>
    importFiles(
      files({ titleVariants: ['Travels', 'Voyages'], heTitleVariants: ['מסעות', 'נדודים'] }, [
        ['en', 'Portals'],
        ['he', 'פתחים'],
      ]),
    ),
  )

  test.each([
    ['Voyages, Gates 1:2', 'Travels, Gates 1:2'],
    ['Travels, Portals 1:2', 'Travels, Gates 1:2'],
    ['Voyages Portals 2', 'Travels, Gates 2:1'],
    ['נדודים, שערים ב׳:א׳', 'Travels, Gates 2:1'],
    ['מסעות פתחים ב', 'Travels, Gates 2:1'],
    ['נדודים פתחים ב א', 'Travels, Gates 2:1'],
    ['Voyages, Hills 1', 'Travels, Hills 1:1'],
  ])('resolve %s', async (written, now) => {
    expect(await first(written)).toBe(now)
  })

  test('change with the schema, though the text does not', async () => {
    const report = await importFiles(files({ titleVariants: ['Travels', 'Wanderings'] }, [['en', 'Doors']]))
    expect(report).toMatchObject({ versions: 0, unchanged: 1 })
    expect(await first('Wanderings, Doors 1:2')).toBe('Travels, Gates 1:2')
    expect(await first('Voyages, Gates 1:2')).toBeUndefined()
  })

  test('give way to a real title, also where only the other work has the number', async () => {
    await importLines(db.database, [
      { work: 'Voyages', ref: 'Voyages 1:1', en: 'a ship' },
      { work: 'Voyages', ref: 'Voyages, Gates 1:1', en: 'a harbour' },
      { work: 'Voyages', ref: 'Voyages, At Sea, Roads 1:1', en: 'a wave' },
      { work: 'Travels in Spring', ref: 'Travels, Portals 1:1', en: 'flowers' },
    ])
    expect(await first('Voyages 1:1')).toBe('Voyages 1:1')
    expect(await first('voyages gates 1:1')).toBe('Voyages, Gates 1:1')
    expect(await first('Voyages, Gates 1:2')).toBeUndefined()
    expect(await first('Voyages Roads 1:1')).toBe('Voyages, At Sea, Roads 1:1')
    expect(await first('travels portals 1:1')).toBe('Travels, Portals 1:1')
    expect(await first('travels portals 1:2')).toBeUndefined()
    const found = await searchSources(db.database.system, { text: 'gate ship', work: 'voyages', limit: 5 })
    expect([...new Set(found.map((hit) => hit.work))]).toEqual(['Voyages'])
  })

  test('go with their work', async () => {
    await importFiles(files({}, []))
    const { rows } = await db.database.systemPool.query(
      `select 1 from headings where kind = 'title' and key = 'voyages'`,
    )
    expect(rows).toEqual([])
  })
})
