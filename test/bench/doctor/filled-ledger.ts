import type pg from 'pg'

/** What a filled database is like. */
export type Fill = {
  readonly runs: number
  readonly accounts: number
  /** Runs from the newest on whose events are still there; a service removes those of runs that ended a day ago. */
  readonly withEvents: number
}

/** Ids as long as real ones: what is sorted and hashed decides the time. */
const accountId = (n: string) => `'acct_' || lpad((${n})::text, 24, '0')`
const runId = (n: string) => `'run_' || substr(md5((${n})::text), 1, 24)`
const sessionId = (n: string) => `'sess_' || substr(md5((${n})::text), 1, 24)`

/** Micro-credits of run `n`. */
const held = '3900000'
const charged = '(n % 100 <> 7)::int * (400000 + n % 1000)'

/**
 * Fills an empty database with finished runs as the service leaves them: hold, charge and release with their entries, the
 * steps, input and answer, a session each, and events of the newest. Every 100th run failed with nothing to show, and every
 * third called a tool. As the superuser, set by set; ids are in the order in which turns would have written them.
 */
export async function fillLedger(admin: pg.Client, fill: Fill): Promise<void> {
  // No foreign keys and no triggers while it fills, and no wait for the disk.
  await admin.query('set session_replication_role = replica; set synchronous_commit = off')
  for (const statement of [...accountStatements(fill), ...runStatements(fill), ...ledgerStatements(fill)])
    await admin.query(statement)
  await admin.query('reset session_replication_role; reset synchronous_commit')
  await admin.query('vacuum analyze')
}

function accountStatements({ accounts }: Fill): readonly string[] {
  const numbers = `generate_series(1, ${accounts}) as n`
  return [
    `insert into accounts (id, email, plan, password_hash)
      select ${accountId('n')}, 'bench' || n || '@example.org', 'free', '' from ${numbers}`,
    `insert into projects (id, account_id, name) select 'proj_' || n, ${accountId('n')}, 'bench' from ${numbers}`,
    `insert into credit_pools (id, account_id, kind, available_micros)
      select n, ${accountId('n')}, 'grant', 1000000000000000 from ${numbers}`,
    `insert into credit_transactions (id, account_id, kind, amount_micros)
      select n, ${accountId('n')}, 'grant', 1000000000000000 from ${numbers}`,
    `insert into credit_entries (transaction_id, pool_id, ledger, account_id, amount_micros)
      select n, n, ledger, ${accountId('n')}, micros
      from ${numbers}, (values ('issued', -1000000000000000), ('available', 1000000000000000)) as e (ledger, micros)`,
  ]
}

function runStatements({ runs, accounts, withEvents }: Fill): readonly string[] {
  const numbers = `generate_series(1, ${runs}) as n`
  const account = `(1 + n % ${accounts})`
  const at = `now() - interval '1 hour' - (${runs} - n) * interval '5 seconds'`
  const failed = '(n % 100 = 7)'
  const steps = '(1 + 2 * (n % 3 = 0)::int)'
  const text = `repeat('words of a turn ' || md5(n::text) || ' ', 12)`
  return [
    `insert into sessions (id, account_id, project_id, model, name, turn_count, created_at, updated_at)
      select ${sessionId('n')}, ${accountId(account)}, 'proj_' || ${account}, 'service', 'Filled', 1, ${at}, ${at} from ${numbers}`,
    `insert into runs (id, account_id, project_id, session_id, message_id, turn, account_turn, model, status, request,
        request_hash, output, cost_micros, hold_micros, hold_pools, hold_parts, most_micros, step_count, event_count, epoch,
        deadline_at, created_at, started_at, finished_at)
      select ${runId('n')}, ${accountId(account)}, 'proj_' || ${account}, ${sessionId('n')}, 'msg_' || n, 1, n, 'service',
        case when ${failed} then 'failed' else 'completed' end, jsonb_build_object('text', ${text}), sha256(n::text::bytea),
        case when ${failed} then '[]' else jsonb_build_array(jsonb_build_object('text', ${text})) end, ${charged}, ${held},
        array[${account}], array[${held}], 50000000, case when ${failed} then 0 else ${steps} end, 8, 1, ${at}, ${at}, ${at}, ${at}
      from ${numbers}`,
    `insert into run_steps (run_id, step, account_id, epoch, kind, record, cost_micros, created_at)
      select ${runId('n')}, step, ${accountId(account)}, 1, case step when 2 then 'tool' else 'model' end,
        jsonb_build_object('kind', 'model', 'text', ${text}), case step when 1 then ${charged} else 0 end, ${at}
      from ${numbers}, generate_series(1, ${steps}) as step where not ${failed}`,
    `insert into run_events (run_id, seq, account_id, step, attempt, event)
      select ${runId('n')}, seq, ${accountId(account)}, 1, 1, jsonb_build_object('type', 'text.delta', 'text', md5(seq::text))
      from generate_series(${runs - withEvents + 1}, ${runs}) as n, generate_series(1, 8) as seq`,
    `insert into messages (id, account_id, session_id, run_id, turn, position, role, content)
      select 'msg_' || n || role, ${accountId(account)}, ${sessionId('n')}, ${runId('n')}, 1, position, role,
        jsonb_build_object('role', role, 'content', ${text})
      from ${numbers}, (values (0, 'user'), (1, 'assistant')) as m (position, role)`,
  ]
}

function ledgerStatements({ runs, accounts }: Fill): readonly string[] {
  const numbers = `generate_series(1, ${runs}) as n`
  const account = `(1 + n % ${accounts})`
  const at = `now() - interval '1 hour' - (${runs} - n) * interval '5 seconds'`
  const movements = `(values (1, 'hold', ${held}), (2, 'charge', ${charged}), (3, 'release', ${held} - ${charged})) as t (number, kind, micros)`
  const entries = `(values
      (1, 'available', -${held}), (1, 'held', ${held}), (2, 'held', -(${charged})), (2, 'spent', ${charged}),
      (3, 'held', (${charged}) - ${held}), (3, 'available', ${held} - (${charged}))) as e (number, ledger, micros)`
  const id = (number: string) => `${accounts} + 3 * n + ${number} - 3`
  return [
    `insert into credit_transactions (id, account_id, run_id, kind, amount_micros, facts, created_at)
      select ${id('number')}, ${accountId(account)}, ${runId('n')}, kind, micros,
        case kind when 'charge' then jsonb_build_object('model', 'service', 'project', 'proj_' || ${account},
          'prompt_tokens', n % 5000, 'completion_tokens', n % 700, 'key_id', 'key_' || ${account}) end, ${at}
      from ${numbers} cross join lateral ${movements} where kind <> 'charge' or micros > 0`,
    `insert into credit_entries (transaction_id, pool_id, ledger, account_id, amount_micros)
      select ${id('number')}, ${account}, ledger, ${accountId(account)}, micros
      from ${numbers} cross join lateral ${entries} where micros <> 0`,
    `insert into key_spending (key_id, account_id, day, micros)
      select facts->>'key_id', account_id, (created_at at time zone 'UTC')::date, sum(amount_micros)
      from credit_transactions where kind = 'charge' group by 1, 2, 3`,
    `update credit_pools p set available_micros = s.available, held_micros = s.held from (
        select pool_id, sum(amount_micros) filter (where ledger = 'available') as available,
          coalesce(sum(amount_micros) filter (where ledger = 'held'), 0) as held
        from credit_entries group by pool_id) s where s.pool_id = p.id`,
    `select setval('credit_transactions_id_seq', ${accounts} + 3 * ${runs}), setval('credit_pools_id_seq', ${accounts})`,
  ]
}
