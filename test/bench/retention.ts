/**
 * `npx node test/bench/retention.ts [--runs N]`: how long the removal of old conversations with N runs takes while turns run,
 * and what it adds to these turns; default: 1,000,000.
 */
import { parseArgs } from 'node:util'
import { openDatabase } from '../../src/db/client.ts'
import { removeExpired } from '../../src/operations/retention.ts'
import { fillLedger } from './doctor/filled-ledger.ts'
import { percentile, print } from './report.ts'
import { openLoop } from './turns/load.ts'
import { requireGood, warm } from './turns/rates.ts'
import { oneCall } from './turns/script.ts'
import { openWorld } from './turns/world.ts'

const { values } = parseArgs({ options: { runs: { type: 'string', default: '1000000' } } })
const runs = Number(values.runs)
const turnsPerSecond = 20

const world = await openWorld()
try {
  const { admin } = world
  // It would claim the unfinished runs of the filled database, which are none that it could drive.
  await world.service.stop()
  const count = async (table: string) =>
    Number((await admin.query(`select count(*) as n from ${table}`)).rows[0].n)
  await fillLedger(admin, { runs, accounts: 200, withEvents: 0 })
  await admin.query(`set session_replication_role = replica;
    insert into messages (id, account_id, session_id, run_id, turn, position, role, content)
      select r.message_id || p, r.account_id, r.session_id, r.id, 1, p, 'user', to_jsonb(repeat('words ', 60))
      from runs r, generate_series(0, 1) p;
    update runs set status = 'completed', finished_at = created_at where finished_at is null;
    update accounts set open_turns = 0, held_micros = 0;
    update sessions set updated_at = updated_at - interval '1 year', open_runs = 0`)
  await admin.query('vacuum analyze')
  const service = await world.startService()
  const target = { ...world.service.target, url: service.url }
  await warm(target, oneCall, 4, 2)
  const database = openDatabase({ url: world.database, onIdleError: () => undefined })
  const load = (seconds: number) => openLoop({ target, script: oneCall }, turnsPerSecond, seconds)
  const times = (exchanges: readonly { readonly totalMs: number }[]) =>
    [0.5, 0.99]
      .map((share) =>
        percentile(
          exchanges.map(({ totalMs }) => totalMs),
          share,
        ).toFixed(1),
      )
      .join(' and ')

  const alone = requireGood(await load(20))
  print(`turns alone, p50 and p99: ${times(alone.exchanges)} ms`)
  const before = await count('runs')
  let isDone = false
  const loaded: { readonly totalMs: number }[] = []
  const turns = (async () => {
    while (!isDone) loaded.push(...requireGood(await load(5)).exchanges)
  })()
  const began = performance.now()
  let longest = 0
  for (;;) {
    const round = performance.now()
    if ((await removeExpired(database, { conversations: 100 })) === 0) break
    longest = Math.max(longest, performance.now() - round)
  }
  const seconds = (performance.now() - began) / 1_000
  isDone = true
  await turns
  const left = Number(
    (
      await admin.query(
        `select count(*) as n from runs where session_id in (select id from sessions where updated_at < now() - interval '100 days')`,
      )
    ).rows[0].n,
  )
  print(
    `${before} runs before, ${await count('runs')} after with those of ${loaded.length} new turns, ${left} left that are old`,
  )
  print(`removed in ${seconds.toFixed(0)} s; longest round of 20,000: ${(longest / 1_000).toFixed(1)} s`)
  print(`turns meanwhile, p50 and p99: ${times(loaded)} ms`)
  await database.close()
  await service.stop()
} finally {
  await world.close()
}
