import { expect, test } from 'vitest'
import { creditsOf, grantCredits } from '../../../src/billing/account-credits.ts'
import { withTx } from '../../../src/db/client.ts'
import { admitAtOnce } from '../../../src/turns/admit/admission.ts'
import type { Admitted } from '../../../src/turns/admit/admission-types.ts'
import { createTurnStore } from '../../../src/turns/record/turn-store.ts'
import { defaultTurnLimits } from '../../../src/turns/run/turn-limits.ts'
import { changeProject } from '../../../src/turns/sessions/projects.ts'
import { type Caller, makeCaller } from '../../support/turns/caller.ts'
import { endRun } from '../../support/turns/journal.ts'
import { admissionOf, decide, look, plainInput, start } from '../../support/turns/start.ts'
import { useStore } from '../../support/world/store.ts'

const world = useStore()
const { db } = world

async function rowsOf(person: Caller) {
  const tables = ['sessions', 'runs', 'messages', 'ledger']
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const { rows } = await db.database.systemPool.query<{ n: number }>(
      `select count(*)::int as n from ${table} where account_id = $1`,
      [person.principal.accountId],
    )
    counts[table] = rows[0]?.n ?? 0
  }
  return counts
}

const creditsIn = ({ principal }: Caller) =>
  withTx(db.database, 'system', (tx) => creditsOf(tx, principal.accountId))

const codesOf = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.flatMap((result) =>
    result.status === 'rejected' ? [(result.reason as { code: string }).code] : [],
  )

test('of 30 turns started at once on credits for 5 exactly 5 are admitted', async () => {
  const person = await makeCaller(db.database, { monthlyMicros: 0n })
  const { accountId } = person.principal
  // Enough for five holds of two credits, and a rest that is no hold.
  await withTx(db.database, 'system', (tx) => grantCredits(tx, accountId, 7_000_000n))
  await withTx(db.database, 'system', (tx) => grantCredits(tx, accountId, 4_900_000n))
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => start(db.database, person)))
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(5)
  expect(codesOf(results)).toEqual(Array.from({ length: 25 }, () => 'insufficient_credits'))
  expect(await rowsOf(person)).toEqual({
    sessions: 5,
    runs: 5,
    messages: 5,
    ledger: 2,
  })
  expect(await creditsIn(person)).toEqual({
    ...{ allowanceMicros: 0n, grantedMicros: 1_900_000n, heldMicros: 10_000_000n },
  })
})

test('the allowance of the month is given once though many first turns start at once', async () => {
  const person = await makeCaller(db.database, { monthlyMicros: 100_000_000n })
  await Promise.all(Array.from({ length: 10 }, () => start(db.database, person)))
  expect(await creditsIn(person)).toMatchObject({ allowanceMicros: 80_000_000n, heldMicros: 20_000_000n })
})

test('a start in a new month expires the allowance before, and gives one', async () => {
  const person = await makeCaller(db.database, { monthlyMicros: 10_000_000n })
  const { accountId } = person.principal
  await start(db.database, person)
  await db.database.systemPool.query(
    "update accounts set allowance_month = allowance_month - interval '1 month' where id = $1",
    [accountId],
  )
  await Promise.all(Array.from({ length: 4 }, () => start(db.database, person)))
  expect(await creditsIn(person)).toMatchObject({ allowanceMicros: 2_000_000n, heldMicros: 10_000_000n })
  const { rows } = await db.database.systemPool.query(
    'select kind, allowance_micros::int as micros from ledger where account_id = $1 order by id',
    [accountId],
  )
  expect(rows).toEqual([
    { kind: 'allowance', micros: 10_000_000 },
    { kind: 'expire', micros: -8_000_000 },
    { kind: 'allowance', micros: 10_000_000 },
  ])
})

test('what a hold of an earlier month gives back is there to spend, and counted', async () => {
  const person = await makeCaller(db.database, { monthlyMicros: 10_000_000n })
  const run = await start(db.database, person)
  await db.database.systemPool.query(
    "update accounts set allowance_month = allowance_month - interval '1 month' where id = $1",
    [person.principal.accountId],
  )
  await endRun(db.database, run)
  await start(db.database, person)
  expect(await creditsIn(person)).toMatchObject({ allowanceMicros: 8_000_000n, heldMicros: 2_000_000n })
  expect(await world.broken()).toEqual([])
})

test('a turn holds its first call and no more, at most the limit of a turn', async () => {
  const person = await makeCaller(db.database, { monthlyMicros: 10_000_000_000n })
  expect((await start(db.database, person)).holdMicros).toBe(2_000_000n)
  const { maxMicros } = defaultTurnLimits
  expect((await start(db.database, person, { firstCallMicros: maxMicros * 2n })).holdMicros).toBe(maxMicros)
})

test("a turn also holds the tokens of its project's instructions", async () => {
  const person = await makeCaller(db.database)
  const { principal } = person
  const instructions = 'Answer in one sentence. '.repeat(40)
  const owner = { ...principal, binding: { kind: 'owner', projectId: null } } as const
  await withTx(db.database, principal, (tx) =>
    changeProject(tx, owner, principal.binding.projectId ?? '', { instructions }),
  )
  await start(db.database, person)
  const store = createTurnStore(db.database)
  const input = { ...plainInput(), tokenMicros: 1_000n }
  for (const rule of ['plain', 'looked']) {
    const admission = admissionOf(person, { input })
    const { run } = (await (rule === 'plain'
      ? decide(store, admission)
      : look(db.database, admission))) as Admitted
    expect(run.admission).toMatchObject({ rule })
    expect(run.projectInstructions).toEqual(expect.any(String))
    expect(run.holdMicros).toBeGreaterThan(2_000_000n)
  }
  expect(await world.broken()).toEqual([])
})

test('an account with credits for n first calls starts n turns', async () => {
  const person = await makeCaller(db.database, { monthlyMicros: 60_000_000n, concurrentTurns: 30 })
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => start(db.database, person)))
  expect(codesOf(results)).toEqual([])
})

test('no more turns run at once than the plan allows, and those refused leave nothing', async () => {
  const person = await makeCaller(db.database, { concurrentTurns: 3 })
  const results = await Promise.allSettled(Array.from({ length: 12 }, () => start(db.database, person)))
  expect(codesOf(results)).toEqual(Array.from({ length: 9 }, () => 'too_many_concurrent_runs'))
  expect(await rowsOf(person)).toMatchObject({ sessions: 3, runs: 3, messages: 3 })
})

test('turns of one session that start at once get their own numbers, and one runs', async () => {
  const person = await makeCaller(db.database)
  const { sessionId } = await start(db.database, person)
  const more = await Promise.all(Array.from({ length: 4 }, () => start(db.database, person, { sessionId })))
  expect(more.map((run) => run.turn).toSorted()).toEqual([2, 3, 4, 5])
  expect(more.map((run) => run.status)).toEqual(['queued', 'queued', 'queued', 'queued'])
  await expect(start(db.database, person, { sessionId })).rejects.toMatchObject({ code: 'session_busy' })
})

test('a turn that stays open takes one slot, however many that came after it are over', async () => {
  const person = await makeCaller(db.database, { concurrentTurns: 2 })
  await start(db.database, person)
  for (let i = 0; i < 3; i += 1) await endRun(db.database, await start(db.database, person))
  await start(db.database, person)
  await expect(start(db.database, person)).rejects.toMatchObject({ code: 'too_many_concurrent_runs' })
})

test('a second write of one start is refused, whatever it would have said', async () => {
  const person = await makeCaller(db.database)
  const admission = admissionOf(person)
  await look(db.database, admission)
  await expect(look(db.database, admission)).rejects.toMatchObject({ cause: { code: '23505' } })
  const store = createTurnStore(db.database)
  const input = plainInput({ text: 'another' })
  expect(await admitAtOnce(store.sendTo(person.principal.accountId), { ...admission, input })).toBeUndefined()
  expect(await rowsOf(person)).toMatchObject({ sessions: 1, runs: 1, messages: 1 })
})
