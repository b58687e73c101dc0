import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { withTx } from '../../../src/db/client.ts'
import { ensureStarterLibrary } from '../../../src/sources/importers/starter.ts'
import { listWorks, readPassage } from '../../../src/sources/library/passages.ts'
import { lockLibrary, removeWork } from '../../../src/sources/library/writing/library.ts'
import { ensureSearchIndex } from '../../../src/sources/library/writing/reindex.ts'
import { mergeOrder } from '../../../src/sources/library/writing/save-passages.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { useDatabase } from '../../support/database.ts'
import { importLines } from '../../support/library-lines.ts'

type Line = Readonly<Record<string, unknown>>

const db = useDatabase()

const load = (lines: readonly (Line | string)[], allowLicenses: readonly ('cc-by-nc' | 'unknown')[] = []) =>
  importLines(db.database, lines, { allowLicenses })

const found = async (text: string, work?: string): Promise<readonly string[]> =>
  (await searchSources(db.database.system, { text, limit: 10, ...(work && { work }) })).map((hit) => hit.ref)

const count = async (table: string): Promise<number> => {
  const result = await db.database.system.execute<{ n: number }>(
    sql`select count(*)::int as n from ${sql.identifier(table)}`,
  )
  return result.rows[0]?.n ?? 0
}

describe('importJsonl', () => {
  it('stores both languages of a line under one ref, with what a citation must show', async () => {
    const report = await load([
      {
        ...{ work: 'Sample One', ref: 'Sample One 1', he_ref: 'דוגמה א', he: 'פרדס נסתר' },
        ...{ en: 'A hidden orchard', author: 'Somebody', category: 'Samples', license: 'CC-BY' },
        ...{ version_he: 'First printing', source_url: 'https://example.org/one', refs: ['Elsewhere 3'] },
      },
    ])
    expect(report).toEqual({ works: 1, versions: 2, unchanged: 0, passages: 2, skipped: [] })
    const read = await readPassage(db.database.system, 'Sample One 1', {})
    expect('passages' in read && read.passages).toMatchObject([
      { language: 'he', text: 'פרדס נסתר', version: 'First printing', license: 'CC-BY', author: 'Somebody' },
      { language: 'en', text: 'A hidden orchard', url: 'https://example.org/one', heRef: 'דוגמה א' },
    ])
    expect(await listWorks(db.database.system, { limit: 5, category: 'samples' })).toMatchObject([
      { title: 'Sample One', languages: ['en', 'he'], passages: 1 },
    ])
    expect(await count('links')).toBe(1)
  })

  it('takes the links of a line away when its refs become empty or are left out', async () => {
    const line = { work: 'Linked', ref: 'Linked 1', en: 'quince' }
    const links = await count('links')
    const added = async (refs?: readonly string[]) => {
      await load([{ ...line, ...(refs && { refs }) }])
      return (await count('links')) - links
    }
    expect(await added(['Away 1', 'Away 2'])).toBe(2)
    expect(await added([])).toBe(0)
    expect(await added(['Away 3'])).toBe(1)
    expect(await added()).toBe(0)
  })

  it('changes nothing when the same lines come again', async () => {
    const lines = [{ work: 'Twice', ref: 'Twice 1', en: 'kumquat marmalade' }]
    await load(lines)
    const before = await db.database.system.execute(sql`select * from search_postings order by 1, 2`)
    expect(await load(lines)).toEqual({ works: 0, versions: 0, unchanged: 1, passages: 0, skipped: [] })
    const after = await db.database.system.execute(sql`select * from search_postings order by 1, 2`)
    expect(after.rows).toEqual(before.rows)
  })

  it('stores the years of a work, also when its texts came before without them', async () => {
    const line = { work: 'Dated', ref: 'Dated 1', en: 'tamarind' }
    const composed = async () =>
      (await listWorks(db.database.system, { limit: 100 })).find(({ title }) => title === 'Dated')?.composed
    await load([line])
    expect(await composed()).toBeNull()
    expect(await load([{ ...line, composed: '1790-1812' }])).toMatchObject({ unchanged: 1 })
    expect(await composed()).toEqual({ from: 1790, to: 1812 })
    await load([line])
    expect(await composed()).toEqual({ from: 1790, to: 1812 })
    await load([{ ...line, composed: -500 }])
    expect(await composed()).toEqual({ from: -500, to: -500 })
  })

  it.each(['5556', 'about 1796', true])(
    'refuses the years %j, names the line and says what to write',
    async (composed) => {
      const line = { work: 'Undated', ref: 'Undated 1', en: 'quince', composed }
      await expect(load([line])).rejects.toThrow(/Line 1 .*"composed": must be a year such as 1796/)
    },
  )

  it('refuses an unknown field with the names of the known ones, so that a misspelt licence is not taken for none', async () => {
    const line = { work: 'Misspelt', ref: 'Misspelt 1', en: 'persimmon', licence: 'CC-BY-NC' }
    await expect(load([line])).rejects.toThrow(/Line 1 .*"licence" is unknown.* one of work, .*license/)
    expect(await found('persimmon')).toEqual([])
  })

  it('replaces a version that has other content, in the text and in the index, and drops places without text', async () => {
    await load([
      { work: 'Edited', ref: 'Edited 1', en: 'gooseberry' },
      { work: 'Edited', ref: 'Edited 2', en: 'elderberry' },
    ])
    await load([{ work: 'Edited', ref: 'Edited 1', en: 'cloudberry' }])
    expect(await found('gooseberry')).toEqual([])
    expect(await found('elderberry')).toEqual([])
    expect(await found('cloudberry')).toEqual(['Edited 1'])
    const left = await db.database.system.execute(
      sql`select 1 from search_postings where term in ('gooseberri', 'elderberri')`,
    )
    expect(left.rows).toEqual([])
    expect(await readPassage(db.database.system, 'Edited 2', {})).toEqual({ nearest: ['Edited 1'] })
  })

  it('keeps one version when another of the same work is replaced', async () => {
    await load([{ work: 'Pair', ref: 'Pair 1', he: 'חבצלת', en: 'lily of old' }])
    await load([{ work: 'Pair', ref: 'Pair 1', en: 'lily renewed', he: 'חבצלת' }])
    expect(await found('חבצלת')).toEqual(['Pair 1'])
    expect(await found('renewed')).toEqual(['Pair 1'])
  })

  it('cuts a long text into numbered passages in reading order, each found by its own words', async () => {
    const sentence = (word: string) => `${'common '.repeat(29)}${word}.`
    const words = 'zarathal quibbix vromtar plenthuk graxolin dwemstil hoktaver yindrasol'.split(' ')
    await load([{ work: 'Long', ref: 'Long 7', en: words.map(sentence).join(' ') }])
    expect(await found('zarathal')).toEqual(['Long 7 §1'])
    expect(await found('yindrasol')).toEqual(['Long 7 §2'])
    const whole = await readPassage(db.database.system, 'Long 7', {})
    expect('passages' in whole && whole.passages.map((p) => p.ref)).toEqual(['Long 7 §1', 'Long 7 §2'])
  })

  it.each([
    ['no JSON', ['{"work": "X", '], /Line 2 .* not a JSON object/],
    ['a list', ['[1]'], /Line 2 .* not a JSON object/],
    ['no ref', [{ work: 'X', en: 'text' }], /Line 2 .*"ref"/],
    ['an empty work', [{ work: ' ', ref: 'X 1', en: 'text' }], /Line 2 .*"work"/],
    ['no text', [{ work: 'X', ref: 'X 1' }], /Line 2 .*"he" and "en"/],
    ['a text that is a number', [{ work: 'X', ref: 'X 1', en: 5 }], /Line 2 .*"en"/],
    ['a NUL', [{ work: 'X', ref: 'X 1', en: 'a\u0000b' }], /Line 2 .*"en" holds a NUL/],
    [
      'a ref twice',
      [{ work: 'Half', ref: 'Half 1', en: 'again' }],
      /Line 2 .*"Half 1" stands in line 1 already/,
    ],
    ['a ref of another work', [{ work: 'Thief', ref: 'Sample One 1', en: 'a' }], /belongs to another work/],
    ['two licences', [{ work: 'Half', ref: 'Half 2', en: 'text', license: 'CC0' }], /Line 2 .*"license"/],
  ])('refuses %s and writes nothing at all', async (_, bad, message) => {
    const before = [await count('passages'), await count('search_postings'), await count('works')]
    await expect(load([{ work: 'Half', ref: 'Half 1', en: 'half written' }, ...bad])).rejects.toThrow(message)
    expect([await count('passages'), await count('search_postings'), await count('works')]).toEqual(before)
  })

  it('leaves out what its licence forbids, counted, and takes it when the operator allows it', async () => {
    const line = { work: 'Restricted', ref: 'Restricted 1', en: 'forbiddenberry', license: 'CC-BY-NC' }
    const report = await load([line, { ...line, ref: 'Restricted 2', license: 'mystery' }])
    expect(report.skipped).toEqual([
      { why: 'licence "CC-BY-NC" is not allowed: add --allow-license cc-by-nc', count: 1 },
      { why: 'licence "mystery" is not allowed: add --allow-license unknown', count: 1 },
    ])
    expect(await found('forbiddenberry')).toEqual([])
    await load([line], ['cc-by-nc'])
    expect(await found('forbiddenberry')).toEqual(['Restricted 1'])
  })

  it('lets two imports at once both end well', async () => {
    const work = (name: string) =>
      Array.from({ length: 50 }, (_, i) => ({
        work: name,
        ref: `${name} ${i + 1}`,
        en: `shared ${name} word${i}`,
      }))
    await Promise.all(['Left', 'Right', 'Middle'].map((name) => load(work(name))))
    for (const name of ['Left', 'Right', 'Middle'])
      expect(await found('word49', name)).toEqual([`${name} 50`])
    const documents = await db.database.system.execute<{ n: number }>(
      sql`select documents as n from search_postings where term = 'share'`,
    )
    expect(documents.rows).toEqual([{ n: 150 }])
  })
})

describe('removeWork', () => {
  it('takes a work out of the texts and the index, and says whether there was one', async () => {
    const links = await count('links')
    await load([
      { work: 'Gone', ref: 'Gone 1', en: 'persimmon', refs: ['Away 1'] },
      { work: 'Gone', ref: 'Gone 2', en: 'long text. '.repeat(150), refs: ['Away 2'] },
    ])
    const remove = (title: string) =>
      withTx(db.database, 'system', async (tx) => {
        await lockLibrary(tx)
        return removeWork(tx, title)
      })
    expect(await remove('Gone')).toBe(true)
    expect(await remove('Gone')).toBe(false)
    expect(await count('links')).toBe(links)
    expect(await found('persimmon')).toEqual([])
    const left = await db.database.system.execute(sql`select 1 from search_postings where term = 'persimmon'`)
    expect(left.rows).toEqual([])
  })
})

describe('ensureSearchIndex', () => {
  it('rebuilds the same index when another normaliser made it, and only then', async () => {
    await load([{ work: 'Reindexed', ref: 'Reindexed 1', he: 'והקב"ה אמר', en: 'tamarind' }])
    const index = () =>
      db.database.system.execute(sql`select term, documents from search_postings order by term, block`)
    const before = await index()
    expect(await ensureSearchIndex(db.database)).toBe(false)
    await db.database.system.execute(sql`update library_state set value = 'old' where key = 'normaliser'`)
    await db.database.system.execute(sql`insert into search_postings values ('stale', 0, 1, '\\x00000000')`)
    expect(await Promise.all([ensureSearchIndex(db.database), ensureSearchIndex(db.database)])).toContain(
      true,
    )
    expect((await index()).rows).toEqual(before.rows)
    expect(await ensureSearchIndex(db.database)).toBe(false)
  })
})

describe('mergeOrder', () => {
  const inOne = (refs: readonly string[]) => refs.map((ref) => ({ ref, section: 'S' }))
  const inSections = (refs: readonly string[]) => refs.map((ref) => ({ ref, section: ref.charAt(0) }))

  it('keeps the known order and puts each new ref beside the one it follows or precedes', () => {
    const order = mergeOrder(inOne(['a', 'c']), inOne(['x', 'a', 'b', 'b2', 'c', 'd']))
    expect(order).toEqual(['x', 'a', 'b', 'b2', 'c', 'd'])
    expect(mergeOrder([], inOne(['b', 'a']))).toEqual(['b', 'a'])
  })

  it('keeps a section in one piece when editions divide it otherwise', () => {
    const known = inSections(['1 §1', '1 §2', '2 §1', '4 §1'])
    const order = mergeOrder(known, inSections(['1:1', '1:2', '2:1', '3:1', '4:1']))
    expect(order).toEqual(['1 §1', '1 §2', '1:1', '1:2', '2 §1', '2:1', '3:1', '4 §1', '4:1'])
  })
})

describe('ensureStarterLibrary', () => {
  it('imports the starter library once, also when several replicas begin together', async () => {
    await Promise.all([1, 2, 3].map(() => ensureStarterLibrary(db.database)))
    const before = await count('passages')
    expect(await found('beinoni')).toContain('Concepts of Chassidut, Beinoni 1')
    await ensureStarterLibrary(db.database)
    expect(await count('passages')).toBe(before)
  })
})
