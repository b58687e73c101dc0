import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withTx } from '../../../src/db/client.ts'
import { ensureAssociations } from '../../../src/sources/associations/associations.ts'
import { lockLibrary, removeWork } from '../../../src/sources/library/writing/library.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { importLines } from '../../support/library-lines.ts'

let db: TestDatabase

/** Words that no lexicon has: each stands in six passages of the parallel work, in both languages. */
const english = ['zorble', 'quandry', 'mibbet', 'plessor', 'trunnel']
const hebrew = ['זמרגד', 'קלפון', 'טרפיל', 'בלוזן', 'גרמוש']
const parallel = Array.from({ length: 30 }, (_, i) => ({
  work: 'Parallel',
  ref: `Parallel ${i + 1}:1`,
  en: `Word ${english[i % 5]} stands beside ${i}`,
  he: `מילה ${['', 'ה', 'ו'][i % 3]}${hebrew[i % 5]} עומדת אצל ${i}`,
}))
const hebrewOnly = [
  { work: 'Alone', ref: 'Alone 1:1', he: 'ומצא שם את הזמרגד אשר אבד לו בדרך' },
  { work: 'Alone', ref: 'Alone 2:1', he: 'שלשה לבושים יש לנפש הבהמית והם מחשבה דבור ומעשה' },
  { work: 'Alone', ref: 'Alone 3:1', he: 'המלך יושב בהיכלו ואין איש נכנס אליו' },
  { work: 'Alone', ref: 'Alone 4:1', he: 'נר דולק ופתילה ושמן בתוך הכלי' },
  { work: 'FacetCount', ref: 'FacetCount 1:1', en: 'A candle on a shelf' },
]

beforeAll(async () => {
  db = await createTestDatabase()
  await importLines(db.database, [...parallel, ...hebrewOnly])
  await ensureAssociations(db.database)
})
afterAll(() => db.drop())

const search = async (text: string) => searchSources(db.database.system, { text, limit: 10 })

describe('a question in English', () => {
  it('finds a Hebrew passage by the lexicon, and says by which words', async () => {
    const [hit] = await search('What are the three garments of the animal soul?')
    expect(hit?.ref).toBe('Alone 2:1')
    expect(hit?.matched).toContainEqual({ word: 'garments', by: 'לבושים', through: 'lexicon' })
    expect(hit?.matched).toContainEqual({ word: 'animal soul', by: 'לנפש הבהמית', through: 'vocabulary' })
  })

  it('ranks a passage in its own words above one in translation', async () => {
    const hits = await search('candle')
    expect(hits.map(({ ref }) => ref)).toEqual(['FacetCount 1:1', 'Alone 4:1'])
    expect(hits[0]?.matched).toEqual([])
  })

  it('finds a Hebrew passage by words learned from parallel texts', async () => {
    const hit = (await search('Where is the zorble?')).find(({ work }) => work === 'Alone')
    expect(hit?.ref).toBe('Alone 1:1')
    expect(hit?.matched).toEqual([{ word: 'zorble', by: 'הזמרגד', through: 'learned' }])
  })
})

describe('a question in Hebrew', () => {
  it('finds an English passage by the lexicon', async () => {
    const hit = (await search('מנורה')).find(({ ref }) => ref === 'FacetCount 1:1')
    expect(hit?.matched).toEqual([{ word: 'מנורה', by: 'candle', through: 'lexicon' }])
  })
})

describe('associations', () => {
  const count = async (): Promise<number> => {
    const found = await db.database.system.execute<{ n: number }>(
      sql`select count(*)::int as n from search_associations`,
    )
    return found.rows[0]?.n ?? 0
  }

  it('are learned once for one state of the library', async () => {
    expect(await count()).toBeGreaterThan(0)
    expect(await ensureAssociations(db.database)).toBe(false)
  })

  it('are learned again when the library changes', async () => {
    await withTx(db.database, 'system', async (tx) => {
      await lockLibrary(tx)
      await removeWork(tx, 'Parallel')
    })
    expect(await ensureAssociations(db.database)).toBe(true)
    expect(await count()).toBe(0)
  })
})
