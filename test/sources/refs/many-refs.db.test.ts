import { type SQL, sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import type { Executor } from '../../../src/db/client.ts'
import { verifyText } from '../../../src/sources/citations/verify.ts'
import { verifyLookups } from '../../../src/sources/citations/verify-lookups.ts'
import { resolveRefs } from '../../../src/sources/refs/ref-lookup.ts'
import { useLibrary } from '../../support/library-lines.ts'
import { libraryReader } from '../../support/library-reader.ts'

const chapters = 2_000

const db = useLibrary(
  Array.from({ length: chapters }, (_, i) => ({
    ...{ work: 'Tanya', ref: `Tanya ${i + 1}`, en: `Chapter ${i + 1} of the book.` },
  })),
)
const { verify } = libraryReader(db)

const unknownRefs = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `Tanya ${chapters + 1_000 + i}`)

type Plan = { readonly 'Actual Rows': number; readonly 'Actual Loops': number } & {
  readonly [dropped in 'Rows Removed by Filter' | 'Rows Removed by Join Filter']?: number
} & { readonly Plans?: readonly Plan[] }

/** Rows that a plan makes or drops. */
function rowsOf(plan: Plan): number {
  const dropped = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Join Filter'] ?? 0)
  const own = (plan['Actual Rows'] + dropped) * plan['Actual Loops']
  return (plan.Plans ?? []).reduce((sum, part) => sum + rowsOf(part), own)
}

/** Rows that the database handles to look refs up. */
async function rowsHandled(refs: readonly string[]): Promise<number> {
  let rows = 0
  const explaining = {
    async execute(query: SQL) {
      const explained = await db.database.system.execute<{
        'QUERY PLAN': readonly { readonly Plan: Plan }[]
      }>(sql`explain (analyze, timing off, format json) ${query}`)
      rows += rowsOf(explained.rows[0]?.['QUERY PLAN'][0]?.Plan as Plan)
      return db.database.system.execute(query)
    },
  }
  const resolved = await resolveRefs(explaining as unknown as Executor, refs)
  expect(resolved.every(({ found }) => found === undefined)).toBe(true)
  return rows
}

it('a hundred unknown refs cost little more than one, because each passage is read once', async () => {
  const one = await rowsHandled(unknownRefs(1))
  expect(one).toBeGreaterThan(chapters)
  expect(await rowsHandled(unknownRefs(100))).toBeLessThan(5 * one)
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
  const { refs } = await verify(text)
  expect(refs).toHaveLength(500)
  expect(refs.filter(({ exists }) => !exists)).toEqual([])
})
