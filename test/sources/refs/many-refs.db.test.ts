import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withTx } from '../../../src/db/client.ts'
import { verifyText } from '../../../src/sources/citations/verify.ts'
import { verifyLookups } from '../../../src/sources/citations/verify-lookups.ts'
import { importJsonl } from '../../../src/sources/importers/import-jsonl.ts'
import { resolveRefs } from '../../../src/sources/refs/ref-lookup.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let db: TestDatabase

const chapters = 2_000

async function* lines(): AsyncGenerator<string> {
  for (let i = 1; i <= chapters; i += 1)
    yield JSON.stringify({
      work: 'Tanya',
      ref: `Tanya ${i}`,
      en: `Chapter ${i} of the book.`,
      license: 'CC0',
    })
}

beforeAll(async () => {
  db = await createTestDatabase()
  await importJsonl(db.database, lines(), { allowLicenses: [] })
})
afterAll(() => db.drop())

const unknownRefs = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `Tanya ${chapters + 1_000 + i}`)

/** Passages that the database reads to look refs up. */
async function passagesRead(refs: readonly string[]): Promise<number> {
  return withTx(db.database, 'system', async (tx) => {
    const read = async (): Promise<number> => {
      const { rows } = await tx.execute<{ read: number }>(sql`
        select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read
        from pg_stat_xact_user_tables where relname = 'passages'`)
      return rows[0]?.read ?? 0
    }
    const before = await read()
    expect((await resolveRefs(tx, refs)).every(({ found }) => found === undefined)).toBe(true)
    return (await read()) - before
  })
}

it('the passages of a work are read once for a hundred unknown refs', async () => {
  const one = await passagesRead(unknownRefs(1))
  expect(one).toBeGreaterThan(0)
  expect(await passagesRead(unknownRefs(100))).toBeLessThan(3 * one)
})

it('each of 300 unknown refs is reported, alike in each verification, with a bounded number of statements', async () => {
  let statements = 0
  const counting = new Proxy(db.database.system, {
    get(target, name) {
      if (name === 'execute') statements += 1
      return Reflect.get(target, name)
    },
  })
  const refs = unknownRefs(300)
  const text = refs.map((ref) => `So it is in ${ref}.`).join(' ')
  const first = await verifyText(text, verifyLookups(counting))
  expect(first.refs.map(({ ref, exists }) => [ref, exists])).toEqual(refs.map((ref) => [ref, false]))
  expect(statements).toBeLessThan(50)
  expect(await verifyText(text, verifyLookups(counting))).toEqual(first)
})

it('of 500 refs that exist, none is called unknown', async () => {
  const text = Array.from({ length: 500 }, (_, i) => `See Tanya ${i + 1}.`).join(' ')
  const { refs } = await verifyText(text, verifyLookups(db.database.system))
  expect(refs).toHaveLength(500)
  expect(refs.filter(({ exists }) => !exists)).toEqual([])
})
