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
const granted = '1000000000000000'

/**
 * Fills an empty database with finished runs as the service leaves them: their charges, steps, a session each, and events of
 * the newest. Every 100th run failed with nothing to show, every third called a tool, and of every account one is unfinished.
 * Messages are left out, because no rule reads them. As the superuser, set by set; ids are in the order in which turns would
 * have written them.
 */
export async function fillLedger(admin: pg.Client, fill: Fill): Promise<void> {
  // No foreign keys and no triggers while it fills, and no wait for the disk.
  await admin.query('set session_replication_role = replica; set synchronous_commit = off')
  for (const statement of statementsOf(fill)) await admin.query(statement)
  await admin.query('reset session_replication_role; reset synchronous_commit')
  await admin.query('vacuum analyze')
}

function statementsOf({ runs, accounts, withEvents }: Fill): readonly string[] {
  const numbers = `generate_series(1, ${runs}) as n`
  const owners = `generate_series(1, ${accounts}) as n`
  const account = `(1 + n % ${accounts})`
  const at = `now() - interval '1 hour' - (${runs} - n) * interval '5 seconds'`
  const isOpen = `(n > ${runs - accounts})`
  const failed = '(n % 100 = 7)'
  const steps = '(1 + 2 * (n % 3 = 0)::int)'
  const text = `repeat('words of a turn ' || md5(n::text) || ' ', 12)`
  return [
    `insert into accounts (id, email, plan, password_hash)
      select ${accountId('n')}, 'bench' || n || '@example.org', 'free', '' from ${owners}`,
    `insert into projects (id, account_id, name) select 'proj_' || n, ${accountId('n')}, 'bench' from ${owners}`,
    `insert into ledger (account_id, kind, allowance_micros, granted_micros)
      select ${accountId('n')}, 'grant', 0, ${granted} from ${owners}`,
    `insert into sessions (id, account_id, project_id, model, name, turn_count, open_runs, created_at, updated_at)
      select ${sessionId('n')}, ${accountId(account)}, 'proj_' || ${account}, 'service', 'Filled', 1, ${isOpen}::int, ${at}, ${at}
      from ${numbers}`,
    `insert into runs (id, account_id, project_id, session_id, message_id, turn, model, status, request, request_hash, reply,
        cost_micros, hold_micros, held_allowance_micros, most_micros, step_count, event_count, epoch, deadline_at, created_at,
        started_at, finished_at)
      select ${runId('n')}, ${accountId(account)}, 'proj_' || ${account}, ${sessionId('n')}, 'msg_' || n, 1, 'service',
        case when ${isOpen} then 'in_progress' when ${failed} then 'failed' else 'completed' end,
        jsonb_build_object('text', ${text}), sha256(n::text::bytea),
        jsonb_build_object('text', ${text}),
        case when ${isOpen} then 0 else ${charged} end, ${held}, 0, 50000000,
        case when ${failed} then 0 else ${steps} end, case when n > ${runs - withEvents} then 8 else 9 end, 1,
        now() + interval '1 day', ${at}, ${at}, case when not ${isOpen} then ${at} end
      from ${numbers}`,
    `insert into run_log (run_id, seq, step, account_id, epoch, events, steps, cost_micros, entries, created_at)
      select ${runId('n')}, 0, step, ${accountId(account)}, 1, 0, 1, case step when 1 then ${charged} else 0 end,
        jsonb_build_array(jsonb_build_object('type', 'step', 'record', jsonb_build_object('kind', 'model', 'text', ${text}))), ${at}
      from ${numbers}, generate_series(1, ${steps}) as step where not ${failed}`,
    `insert into run_log (run_id, seq, step, account_id, epoch, events, steps, cost_micros, entries)
      select ${runId('n')}, seq, 0, ${accountId(account)}, 1, 1, 0, 0, jsonb_build_array(jsonb_build_object('type', 'text.delta', 'text', md5(seq::text)))
      from generate_series(${runs - withEvents + 1}, ${runs}) as n, generate_series(1, 8) as seq`,
    `insert into ledger (account_id, run_id, kind, allowance_micros, granted_micros, facts, created_at)
      select ${accountId(account)}, ${runId('n')}, 'charge', 0, -${charged}, jsonb_build_object('model', 'service',
        'project_id', 'proj_' || ${account}, 'prompt_tokens', n % 5000, 'completion_tokens', n % 700, 'estimated', false,
        'key_id', 'key_' || ${account}), ${at}
      from ${numbers} where not ${failed} and not ${isOpen}`,
    `insert into key_spending (key_id, account_id, day, micros)
      select facts->>'key_id', account_id, (created_at at time zone 'UTC')::date, -sum(granted_micros)
      from ledger where kind = 'charge' group by 1, 2, 3`,
    `update accounts a set held_micros = ${held}, open_turns = 1, granted_micros = l.micros - ${held}
      from (select account_id, sum(granted_micros) as micros from ledger group by 1) l where l.account_id = a.id`,
  ]
}
