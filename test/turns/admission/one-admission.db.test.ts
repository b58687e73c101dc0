import { drizzle } from 'drizzle-orm/node-postgres'
import fc from 'fast-check'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Executor } from '../../../src/db/client.ts'
import { ServiceError } from '../../../src/errors.ts'
import { admitInTransaction } from '../../../src/turns/admission/admit-in-transaction.ts'
import { admitRun, type Decision } from '../../../src/turns/admission/admit-run.ts'
import { NotLastTurn } from '../../../src/turns/admission/continuation.ts'
import { callsIn } from '../../../src/turns/store/turn-store.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { expectedOf } from '../../support/turns/admission/model.ts'
import { type Prepared, prepare } from '../../support/turns/admission/prepared.ts'
import { admissionCase } from '../../support/turns/admission/state.ts'
import { readRows, writtenSince } from '../../support/turns/admission/written.ts'

/**
 * `admit_run_2` gets random states of an account, each in a transaction that is never committed, and must decide as the
 * model does. `ADMISSION_CASES` sets the number of cases, `ADMISSION_SEED` the seed.
 */

let db: TestDatabase
let client: pg.PoolClient
let executor: Executor

beforeAll(async () => {
  db = await createTestDatabase()
  client = await db.database.indexedPool.connect()
  executor = drizzle({ client }) as unknown as Executor
})
afterAll(async () => {
  client.release(true)
  await db.drop()
})

/** What was decided, in the words of the model. */
function told(decision: Decision) {
  if (decision.kind === 'repeated') return { decision: `repeated ${decision.known.id}` }
  if (decision.kind === 'clients_unknown')
    return { decision: `clients unknown at ${decision.replicas.toSorted()}` }
  if (decision.kind !== 'admitted') return { decision: decision.kind }
  const { status, turn, accountTurn } = decision.run
  return { decision: 'admitted', status, turn, accountTurn }
}

function toldError(error: unknown) {
  if (error instanceof ServiceError) return { decision: error.code }
  if (error instanceof NotLastTurn) return { decision: 'not the last turn' }
  throw error
}

async function admit({ principal, input, request, sentAt, notAfter, settled, ...rest }: Prepared) {
  const onSend = () => ({ sentAt, notAfter, underPressure: request.underPressure })
  const admission = { ...rest, clients: settled, again: request.earlier !== undefined, onSend }
  const first = await admitRun(callsIn(executor), principal, input, admission)
  if (first.kind !== 'no_project') return first
  await client.query('savepoint asked')
  return admitInTransaction(executor, principal, input, admission).catch(async (error: unknown) => {
    await client.query('rollback to asked')
    throw error
  })
}

/** Amounts in the order in which they were drawn, as the run's row and the ledger have them. */
function partsIn(written: readonly string[]): readonly bigint[] {
  const rows = written.map((line) => JSON.parse(line) as [string, Record<string, unknown>])
  const parts = rows.flatMap(([table, row]) =>
    table === 'runs' ? ((row['hold_parts'] ?? []) as number[]) : [],
  )
  const hold = rows.find(([table, row]) => table === 'credit_transactions' && row['kind'] === 'hold')?.[1]
  const entries = rows.flatMap(([table, row]) =>
    table === 'credit_entries' && row['transaction_id'] === hold?.['id'] && row['ledger'] === 'held'
      ? [row['amount_micros'] as number]
      : [],
  )
  expect(entries.toSorted()).toEqual(parts.toSorted())
  expect(hold?.['amount_micros']).toBe(parts.reduce((sum, part) => sum + part, 0))
  return parts.map(BigInt)
}

// biome-ignore lint/style/noProcessEnv: the length of the test
const { ADMISSION_CASES = '1000', ADMISSION_SEED = '20261123' } = process.env
const parameters = { numRuns: Number(ADMISSION_CASES), seed: Number(ADMISSION_SEED) }

test('an admission decides as the model in any state, and a refusal writes nothing', async () => {
  const seen = new Set<string>()
  const property = fc.asyncProperty(admissionCase, async ([account, request]) => {
    client.query(`begin; select set_config('app.account', '*', true)`)
    try {
      const prepared = await prepare(client, account, request)
      const before = await readRows(client)
      await client.query(`select set_config('app.account', '${prepared.principal.accountId}', true)`)
      const decided = await admit(prepared).then(told, toldError)
      const written = writtenSince(before, await readRows(client))
      const isAdmitted = decided.decision === 'admitted'
      const parts = isAdmitted && { parts: partsIn(written) }
      expect({ ...decided, ...parts }).toEqual(expectedOf(account, request, prepared.now))
      if (!isAdmitted) expect(written).toEqual([])
      seen.add(decided.decision)
    } finally {
      await client.query('rollback')
    }
  })
  await fc.assert(property, parameters)
  expect(seen).toContain('admitted')
  expect(seen).toContain('insufficient_credits')
  expect(seen).toContain('key_cap_reached')
}, 3_600_000)
