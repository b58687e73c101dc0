import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSourceMarks } from '../../../src/sources/citations/source-marks.ts'
import { openFolder } from '../../../src/sources/importers/sefaria/folder.ts'
import { openParser } from '../../../src/sources/importers/sefaria/format/parser.ts'
import { importExport } from '../../../src/sources/importers/sefaria/import-export.ts'
import { readPassage } from '../../../src/sources/library/passages.ts'
import { ensureSearchIndex } from '../../../src/sources/library/writing/reindex.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { sourceTools } from '../../../src/sources/tools/agent-tools.ts'
import { useDatabase } from '../../support/database.ts'
import { type ExportFiles, leaf, schemaFile, versionFile, writeExport } from '../../support/fake-sefaria.ts'
import { libraryIn, libraryTables } from '../../support/library-database.ts'
import { importLines } from '../../support/library-lines.ts'
import { libraryReader } from '../../support/library-reader.ts'

const db = useDatabase()
const { verify } = libraryReader(db)

/** Removes what another test has imported. */
const empty = () => db.database.systemPool.query(`truncate ${libraryTables.join(', ')} cascade`)

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

const chaptered = (part: string, hePart: string) => leaf(part, hePart, ['Integer', 'Integer'])

function book(title: string, heTitle: string, parts: readonly Part[], others: object = {}): ExportFiles {
  return {
    ...versionFile({
      ...{ title, heTitle, versionTitle: 'Only Edition', license: 'CC0' },
      text: Object.fromEntries(parts.map(([part, , chapters]) => [part, chapters])),
    }),
    ...schemaFile(title, heTitle, { nodes: parts.map(([part, hePart]) => chaptered(part, hePart)) }, others),
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
  beforeAll(async () => {
    await empty()
    await importFiles(old)
    await importFiles(book('Travels', 'מסעות', renamedParts))
  })

  const refs: readonly (readonly [written: string, now: string])[] = [
    ['Travels, Part One, The Book of Gates 1:2', 'Travels, Part I; Gates 1:2'],
    ['Travels, Letter of Roads 2', 'Travels, Part II; Roads 2:1'],
    ['מסעות, חלק ראשון, ספר השערים ב׳:א׳', 'Travels, Part I; Gates 2:1'],
    ['מסעות אגרת הדרכים פרק ב', 'Travels, Part II; Roads 2:1'],
  ]

  test.each(refs)('%s is read and searched where it stands now', async (text, now) => {
    expect(await first(text)).toBe(now)
    expect((await searchSources(db.database.system, { text, limit: 1 }))[0]?.ref).toBe(now)
  })

  test('what the old refs quote is verified against the present passages', async () => {
    const text =
      'It has “a gate of old wood”, as Travels, Part One, The Book of Gates 1:1 says. See Travels, Letter of Roads 9.'
    const { quotes, refs: named } = await verify(text)
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
    for (const name of ['resolve_ref', 'read_source'])
      expect(await call(name, { ref: 'Travels, Letter of Roads 2:2' })).toMatchObject({
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
    for (const gate of ['Part One, The Book of Gates 1:2', 'Part I; Gates 1:2'])
      expect(await first(`Travels, ${gate}`)).toBe('Travels, Gates and Doors 1:2')
    expect(await first('מסעות, חלק א; שערים א׳:ב׳')).toBe('Travels, Gates and Doors 1:2')
    expect(await first('Travels, Letter of Roads 3')).toBe('Travels, Part II; Roads 3:1')
  })
})

test('a part with other words at its numbers is no successor', async () => {
  await empty()
  await importFiles(old)
  const shifted = gates.toReversed()
  const doors: Part = ['Doors', 'דלתות', shifted]
  await importFiles(book('Travels', 'מסעות', [doors, ['Letter of Roads', 'אגרת הדרכים', roads]]))
  expect(await first('Travels, Part One, The Book of Gates 1:1')).toBeUndefined()
  expect(await first('Travels, Letter of Roads 1:1')).toBe('Travels, Letter of Roads 1:1')
})

test('a renamed work is found by its former title, with all its parts', async () => {
  await empty()
  await importFiles(old)
  await importFiles(book('Journeys', 'נסיעות', renamedParts, { titleVariants: ['Travels', 'Journeys'] }))
  // The next schema does not tell of the former title any more.
  await importFiles(book('Journeys', 'נסיעות', renamedParts))
  for (const gate of ['Part One, The Book of Gates 1:2', 'Part I; Gates 1:2'])
    expect(await first(`Travels, ${gate}`)).toBe('Journeys, Part I; Gates 1:2')
  expect(await first('מסעות, חלק א; שערים א׳:ב׳')).toBe('Journeys, Part I; Gates 1:2')
  expect(await first('מסעות אגרת הדרכים ב')).toBe('Journeys, Part II; Roads 2:1')
  const found = await searchSources(db.database.system, { text: 'reeds', work: 'Travels', limit: 5 })
  expect(found.map((hit) => hit.ref)).toEqual(['Journeys, Part I; Gates 2:1'])
})

test('a changed Hebrew title leaves the former one as another name', async () => {
  await empty()
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
  const text = { Gates: gates, Roads: roads, Hills: [['a hill']] }
  const files = (others: object, nodeTitles: readonly (readonly ['en' | 'he', string])[]): ExportFiles => ({
    ...versionFile({
      title: 'Travels',
      heTitle: 'מסעות',
      versionTitle: 'Only Edition',
      license: 'CC0',
      text,
    }),
    ...schemaFile(
      ...(['Travels', 'מסעות'] as const),
      {
        nodes: [
          titled('Gates', 'שערים', nodeTitles),
          chaptered('Roads', 'דרכים'),
          chaptered('Hills', 'גבעות'),
        ],
      },
      others,
    ),
  })

  beforeAll(async () => {
    await empty()
    const variants = { titleVariants: ['Travels', 'Voyages'], heTitleVariants: ['מסעות', 'נדודים'] }
    const nodeTitles = [['en', 'Portals'] as const, ['he', 'פתחים'] as const]
    await importFiles(files(variants, nodeTitles))
  })

  test.each([
    ['Voyages, Gates 1:2', 'Travels, Gates 1:2'],
    ['Travels, Portals 1:2', 'Travels, Gates 1:2'],
    ['נדודים, שערים ב׳:א׳', 'Travels, Gates 2:1'],
    ['מסעות פתחים ב', 'Travels, Gates 2:1'],
    ['נדודים פתחים ב א', 'Travels, Gates 2:1'],
    ['Voyages, Hills 1', 'Travels, Hills 1:1'],
  ])('resolve %s', async (written, now) => {
    expect(await first(written)).toBe(now)
  })

  test('give way to a real title, also where only the other work has the number', async () => {
    const refs = ['Voyages 1:1', 'Voyages, Gates 1:1', 'Voyages, At Sea, Roads 1:1']
    await importLines(db.database, [
      ...refs.map((ref) => ({ work: 'Voyages', ref, en: 'a ship' })),
      { work: 'Travels in Spring', ref: 'Travels, Portals 1:1', en: 'flowers' },
    ])
    const asked = ['Voyages 1:1', 'voyages gates 1:1', 'Voyages Roads 1:1', 'travels portals 1:1']
    expect(await Promise.all(asked.map(first))).toEqual([...refs, 'Travels, Portals 1:1'])
    expect(await Promise.all(['Voyages, Gates 1:2', 'travels portals 1:2'].map(first))).toEqual([
      undefined,
      undefined,
    ])
    const found = await searchSources(db.database.system, { text: 'gate ship', work: 'voyages', limit: 5 })
    expect([...new Set(found.map((hit) => hit.work))]).toEqual(['Voyages'])
  })

  test('change with the schema, though the text does not', async () => {
    const report = await importFiles(files({ titleVariants: ['Travels', 'Wanderings'] }, [['en', 'Doors']]))
    expect(report).toMatchObject({ versions: 0, unchanged: 1 })
    expect(await first('Wanderings, Doors 1:2')).toBe('Travels, Gates 1:2')
    expect(await first('Voyages, Gates 1:2')).toBeUndefined()
  })

  test('go with their work', async () => {
    await importFiles(files({}, []))
    const { rows } = await db.database.systemPool.query(
      `select 1 from headings where kind = 'title' and key = 'voyages'`,
    )
    expect(rows).toEqual([])
  })
})
