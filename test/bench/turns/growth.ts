import type pg from 'pg'
import { type Figure, percentile, print } from '../report.ts'
import { closedLoop } from './load.ts'
import { requireGood, warm } from './rates.ts'
import { oneCall } from './script.ts'
import { openWorld, type World } from './world.ts'

/**
 * Whether a turn costs the same when the account has many runs, sessions and ledger entries: p50 at one client, of two
 * services on databases of their own, in turns.
 */
export async function measureGrowth(
  large: World,
  { rounds, seconds, short }: { readonly rounds: number; readonly seconds: number; readonly short: boolean },
): Promise<readonly Figure[]> {
  const small = await openWorld()
  try {
    const rows = short ? 100_000 : 1_000_000
    // Their first turns make the projects that the rows belong to.
    for (const { service } of [small, large]) await warm(service.target, oneCall, 4, 1)
    await fill(small, 1_000)
    await fill(large, rows)
    for (const { service } of [small, large]) await warm(service.target, oneCall, 1, seconds)
    const measured: { readonly few: number; readonly many: number }[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const [few, many] = [await medianTurn(small, seconds), await medianTurn(large, seconds)]
      print(
        `  round ${round}, one turn, p50: ${few.toFixed(2)} ms at 1,000 rows, ${many.toFixed(2)} ms at ${rows}`,
      )
      measured.push({ few, many })
    }
    const ratios = measured.map(({ few, many }) => many / few)
    const name = `a turn at ${rows} runs against one at 1,000`
    return [{ name, unit: 'x', goal: 1.1, gate: 1.25, value: percentile(ratios, 0.5) }]
  } finally {
    await small.close()
  }
}

/** Milliseconds of a turn, one client. */
async function medianTurn({ service }: World, seconds: number): Promise<number> {
  const { exchanges } = requireGood(await closedLoop({ target: service.target, script: oneCall }, 1, seconds))
  return percentile(
    exchanges.map(({ totalMs }) => totalMs),
    0.5,
  )
}

/** So many finished runs of some months with their sessions, messages and charges. */
async function fill({ admin, accountId }: World, count: number): Promise<void> {
  const { rows } = await admin.query<{ project: string; key: string }>(
    'select project_id as project, id as key from api_keys where account_id = $1',
    [accountId],
  )
  const { project, key } = rows[0] ?? {}
  const numbers = `generate_series(1, ${count}) as n`
  const at = `now() - interval '100 days' + n * interval '5 seconds'`
  const statements = [
    `insert into sessions (id, account_id, project_id, model, name, turn_count, created_at, updated_at)
      select 'sess_fill' || n, '${accountId}', '${project}', 'service', 'Filled', 1, ${at}, ${at} from ${numbers}`,
    `insert into runs (id, account_id, project_id, session_id, api_key_id, message_id, turn, model, status, request,
        request_hash, hold_micros, held_allowance_micros, most_micros, step_count, event_count, epoch, deadline_at, created_at, started_at, finished_at)
      select 'run_fill' || n, '${accountId}', '${project}', 'sess_fill' || n, '${key}', 'msg_fill' || n, 1, 'service',
        'completed', '{}', sha256(n::text::bytea), 1, 0, 0, 0, 4, 1, ${at}, ${at}, ${at}, ${at} from ${numbers}`,
    `insert into messages (id, account_id, session_id, run_id, turn, position, role, content)
      select 'msg_fill' || n, '${accountId}', 'sess_fill' || n, 'run_fill' || n, 1, 0, 'user',
        '{"role":"user","content":"A question"}' from ${numbers}`,
    `insert into ledger (account_id, run_id, kind, allowance_micros, granted_micros, created_at)
      select '${accountId}', 'run_fill' || n, 'charge', 0, 0, ${at} from ${numbers}`,
  ]
  for (const statement of statements) await run(admin, statement)
  await admin.query('analyze')
}

async function run(admin: pg.Client, statement: string): Promise<void> {
  try {
    await admin.query(statement)
  } catch (cause) {
    throw new Error(`could not fill: ${statement.slice(0, 60)}`, { cause })
  }
}
