import { drizzle } from 'drizzle-orm/node-postgres'
import fc from 'fast-check'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Executor } from '../../../src/db/client.ts'
import { ServiceError } from '../../../src/errors.ts'
import { NotLastTurn } from '../../../src/turns/admission/continuation.ts'
import { qualifiesForFastPath, startOnFastPath } from '../../../src/turns/admission/fast-path.ts'
import { InquiryNeeded, startTurn } from '../../../src/turns/admission/start-turn.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { type Prepared, prepare } from '../../support/turns/admission/prepared.ts'
import {
  type AccountState,
  accountState,
  plainState,
  type RequestState,
} from '../../support/turns/admission/state.ts'
import { readRows, writtenSince } from '../../support/turns/admission/written.ts'

/**
 * Two protocols admit a turn. Both get the same random state of an account, in one transaction that is never
 * committed, and must decide and write the same. `ADMISSION_CASES` sets the number of cases, `ADMISSION_SEED` the
 * seed.
 */

let db: TestDatabase
let client: pg.PoolClient
let executor: Executor

beforeAll(async () => {
  db = await createTestDatabase()
  client = await db.database.turnPool.connect()
  executor = drizzle({ client }) as unknown as Executor
})
afterAll(async () => {
  client.release(true)
  await db.drop()
})

type Case = Prepared & { readonly before: ReadonlySet<string> }
type Outcome = { readonly decision: string; readonly written: readonly string[] }

/** Runs one admission on the prepared state and undoes it. */
async function outcomeOf({ principal, before }: Case, admit: () => Promise<string>): Promise<Outcome> {
  await client.query(
    `savepoint prepared; select set_config('app.account', '${principal.accountId}', true); savepoint asked`,
  )
  const decision = await admit().catch(async (error: unknown) => {
    // As the transaction of an admission that fails.
    await client.query('rollback to asked')
    return refusalOf(error)
  })
  // The fast path reports a failed call as declined.
  await client.query('select').catch(() => client.query('rollback to asked'))
  const written = writtenSince(before, await readRows(client))
  await client.query('rollback to prepared')
  return { decision, written }
}

function refusalOf(error: unknown): string {
  if (error instanceof InquiryNeeded) return `asks ${error.replicas.toSorted()}`
  if (error instanceof ServiceError) return `refused: ${error.code}: ${error.message}`
  if (error instanceof NotLastTurn) return 'not the last turn'
  throw error
}

/** The run as it was returned, without random ids and the wall clock. */
const shown = ({ messageId: _, sessionId: __, createdAt: ___, ...run }: Run) =>
  JSON.stringify(run, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value))

const onFastPath = ({ principal, input, ...rest }: Case) =>
  outcomeOf({ principal, input, ...rest }, async () => {
    const { sentAt, notAfter, settled, runId, lease, clientAt, limits } = rest
    const owner = {
      runId,
      lease,
      clientAt,
      limits,
      sentAt,
      notAfter,
      settled: [lease.owner, ...settled.replicas],
    }
    const run = await startOnFastPath(executor, principal, input, owner)
    return run ? `admitted ${shown(run)}` : 'declined'
  })

const stepByStep = (prepared: Case) =>
  outcomeOf(prepared, async () => {
    const { plans, limits, lease, runId, clientAt, settled } = prepared
    const admission = { plans, limits, lease, runId, clientAt, settled }
    const { run, repeated } = await startTurn(executor, prepared.principal, prepared.input, admission)
    return repeated ? `repeats ${run.id}` : `admitted ${shown(run)}`
  })

async function inState<T>(account: AccountState, request: RequestState, work: (one: Case) => Promise<T>) {
  await client.query(`begin; select set_config('app.account', '*', true)`)
  try {
    const prepared = await prepare(client, account, request)
    return await work({ ...prepared, before: await readRows(client) })
  } finally {
    await client.query('rollback')
  }
}

/**
 * Differences that this test has found. The fast path looks at credits before suspension and project, and at nothing
 * of a deleted account, whose keys are deleted with it.
 */
const isKnown = ({ account }: Case, fast: Outcome) =>
  account.deleted ||
  (fast.decision.startsWith('refused: insufficient_credits') &&
    (account.suspended || account.binding === 'deleted project'))

// biome-ignore lint/style/noProcessEnv: the length of the test
const { ADMISSION_CASES = '200', ADMISSION_SEED = '20261123' } = process.env
const parameters = { numRuns: Number(ADMISSION_CASES), seed: Number(ADMISSION_SEED) }

test('the fast path and the slow path decide and write the same in any state', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(accountState, plainState, (account, request) =>
      inState(account, request, async (prepared) => {
        if (!qualifiesForFastPath(prepared.principal, prepared.input)) return
        const fast = await onFastPath(prepared)
        seen.add(/^\w+/.exec(fast.decision)?.[0] ?? '')
        if (fast.decision === 'declined' || fast.decision.startsWith('asks')) expect(fast.written).toEqual([])
        else if (!isKnown(prepared, fast)) expect(fast).toEqual(await stepByStep(prepared))
      }),
    ),
    parameters,
  )
  expect([...seen].toSorted()).toEqual(['admitted', 'asks', 'declined', 'refused'])
}, 3_600_000)
