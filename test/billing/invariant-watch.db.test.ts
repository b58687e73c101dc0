import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { examineUnlessFresh } from '../../src/billing/checks/examine.ts'
import { doctorCommands } from '../../src/commands/doctor.ts'
import { openDatabase } from '../../src/db/client.ts'
import { watchInvariants } from '../../src/operations/invariant-watch.ts'
import { useDatabase } from '../support/database.ts'
import { libraryIn } from '../support/library-database.ts'
import { makeAccount } from '../support/world/accounts.ts'

const db = useDatabase()

const log = pino({ level: 'silent' })

async function sampleOf(registry: Registry, name: string): Promise<number | undefined> {
  const metric = (await registry.getMetricsAsJSON()).find((one) => one.name === name)
  return metric?.values[0]?.value
}

test('metrics report invariants as unchecked while the database is away', async () => {
  const url = new URL(db.url)
  url.port = '1'
  const away = openDatabase({ url: url.href, onIdleError: () => undefined })
  const registry = new Registry()
  const watch = watchInvariants(away, registry, log)
  await watch.stop()
  expect(await sampleOf(registry, 'service_unchecked_invariants')).toBeGreaterThan(20)
  expect(await sampleOf(registry, 'service_broken_invariants')).toBeUndefined()
  await away.close()
})

test('a check of one replica stands for the metrics of all', async () => {
  await examineUnlessFresh(db.database, 0, () => undefined)
  const registry = new Registry()
  const watch = watchInvariants(db.database, registry, log)
  await watch.stop()
  expect(await sampleOf(registry, 'service_broken_invariants')).toBe(0)
  expect(await sampleOf(registry, 'service_unchecked_invariants')).toBe(0)
  expect(await sampleOf(registry, 'service_invariants_checked_timestamp_seconds')).toBeGreaterThan(1e9)
  const found: unknown[] = []
  await examineUnlessFresh(db.database, 60, (examination) => found.push(examination))
  expect(found).toEqual([])
})

test('a broken rule stays reported with its rows until a check finds it whole', async () => {
  const { id } = await makeAccount(db.database)
  const check = async () => {
    const found: unknown[] = []
    const state = await examineUnlessFresh(db.database, 0, ({ broken }) => found.push(...broken))
    return { found, broken: state?.broken }
  }
  const change = (micros: number) =>
    db.database.systemPool.query('update accounts set granted_micros = granted_micros + $1 where id = $2', [
      micros,
      id,
    ])
  await change(1)
  const rule = 'an account has what its ledger says, less its holds'
  expect(await check()).toEqual({
    found: [{ invariant: rule, rows: [expect.objectContaining({ account: id })] }],
    broken: [rule],
  })
  await change(-1)
  expect(await check()).toEqual({ found: [], broken: [] })
})

test('doctor ends with 2 and the reason when rules could not be checked', async () => {
  const { systemPool } = db.database
  await systemPool.query('alter table run_log rename to run_log_away')
  const { run, failureExitCode } = doctorCommands['doctor'] ?? {}
  const output = await run?.({
    installation: { database: db.database, library: libraryIn(db.database) },
    config: { files: {} },
    flag: () => false,
  } as unknown as Parameters<typeof run>[0])
  await systemPool.query('alter table run_log_away rename to run_log')
  expect(output?.exitCode).toBe(2)
  expect(output?.lines?.join('\n')).toContain('relation "run_log" does not exist')
  expect(failureExitCode).toBe(2)
})
