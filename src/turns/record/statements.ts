import { type SQL, sql } from 'drizzle-orm'
import { prepared, type Statement } from '../../db/account-connections.ts'

/**
 * The statements that write a turn: admit, append, end. Each is atomic by itself, and each that changes the account's row
 * locks it before any other row, so that no two of them can wait for each other. After a wait for that row Postgres reads
 * its newest version; conditions on other tables see the statement's start. What must be exact over several replicas is
 * therefore a column of the row that is locked.
 */

/** The type of each value. */
const types = {
  account: 'text',
  plan: 'text',
  slot: 'int',
  slots: 'int',
  burstSeconds: 'float8',
  hold: 'bigint',
  monthly: 'bigint',
  key: 'text',
  member: 'text',
  checked: 'boolean',
  hash: 'bytea',
  windowMinutes: 'int',
  clientAt: 'text',
  sessionName: 'text',
  session: 'text',
  queued: 'boolean',
  project: 'text',
  model: 'text',
  spacingSeconds: 'float8',
  run: 'text',
  input: 'jsonb',
  idempotencyKey: 'text',
  keyHours: 'int',
  message: 'text',
  request: 'jsonb',
  max: 'bigint',
  owner: 'text',
  leaseSeconds: 'float8',
  turnSeconds: 'float8',
  onDisconnect: 'text',
  facts: 'jsonb',
  epoch: 'int',
  eventsBefore: 'int',
  stepsBefore: 'int',
  events: 'int',
  steps: 'int',
  entries: 'jsonb',
  stepMicros: 'bigint',
  holdBefore: 'bigint',
  more: 'bigint',
  allowed: 'boolean',
  capChecked: 'boolean',
  charge: 'bigint',
  status: 'text',
  reply: 'jsonb',
  finishReason: 'text',
  cost: 'bigint',
  position: 'int',
  answer: 'jsonb',
  after: 'int',
  tokenMicros: 'bigint',
} as const

const $ = (name: keyof typeof types) => sql`${sql.placeholder(name)}::${sql.raw(types[name])}`

const works = sql`k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`
const isLimited = sql`num_nonnulls(k.requests_per_minute, k.concurrent_turns, k.day_cap_micros, k.month_cap_micros, k.total_cap_micros) > 0`
const isCapped = sql`num_nonnulls(k.day_cap_micros, k.month_cap_micros, k.total_cap_micros) > 0`

/** Moves `micros` of the account from its credits to its holds: the allowance first. `a` is the locked row. */
const hold = (micros: SQL) => sql`
  allowance_micros = a.allowance_micros - least(a.allowance_micros, ${micros}),
  granted_micros = a.granted_micros - (${micros} - least(a.allowance_micros, ${micros})),
  held_micros = accounts.held_micros + ${micros}`

/**
 * The client of run `r` has disconnected. If it closed the connection after a whole reply, it may still have that reply, so
 * that counts for 10 s only: until a client that lost the last bytes has retried.
 */
export const isDisconnected = sql`r.client_closed_at is not null
  and (r.finished_at is null or r.finished_at > r.client_closed_at or r.client_closed_at > now() - interval '10 seconds')`

/**
 * The newest of the equal runs, if it ended within the last second with its client on another replica than `clientAt`: the
 * record that the client lost its reply may be on the way. Only the newest is looked at, so that the index gives one row.
 */
export const endedElsewhere = (equal: SQL, clientAt: SQL) => sql`
  select n.id from (select r.id, r.finished_at, r.client_at, r.client_closed_at from runs r
    where ${equal} order by r.created_at desc limit 1) n
  where n.finished_at > now() - interval '1 second' and n.client_closed_at is null and n.client_at is distinct from ${clientAt}`

/**
 * A start is on disk with the next end. If the server dies within 0.2 s of it (three times `wal_writer_delay`), the turn is
 * lost uncharged, and its client retries. The setting lasts for the transaction.
 */
const flushedLater = sql`(select set_config('synchronous_commit', 'off', true)) is not null`

/**
 * The account may start the turn. Its open runs are found by the parameter: for `a.id` Postgres would read those of all
 * accounts into a hash.
 */
const mayStart = sql`
  ${flushedLater} and a.id = ${$('account')} and a.password_hash <> '' and a.suspended_at is null and a.plan = ${$('plan')}
  and a.open_turns + ${$('slot')} <= ${$('slots')}
  and a.next_start_at <= clock_timestamp() + make_interval(secs => ${$('burstSeconds')})
  and a.allowance_micros + a.granted_micros >= (select micros from need)
  and (a.allowance_month >= date_trunc('month', now() at time zone 'UTC')::date
    or (${$('monthly')} = 0 and a.allowance_micros = 0))
  and (${$('key')} is null
    or exists (select from api_keys k where k.id = ${$('key')} and ${works} and (${$('checked')} or not ${isLimited})))
  and (${$('checked')} or ${$('key')} is null or not exists (
    select from runs r where r.api_key_id = ${$('key')} and r.request_hash = ${$('hash')}
      and ${isDisconnected} and r.created_at > now() - make_interval(mins => ${$('windowMinutes')})))
  and (${$('checked')} or ${$('key')} is null or not exists (
    select from runs r where r.account_id = ${$('account')} and r.status in ('queued', 'in_progress')
      and r.api_key_id || '' = ${$('key')} and r.request_hash = ${$('hash')} and r.client_at is distinct from ${$('clientAt')}))
  and (${$('checked')} or ${$('key')} is null or not exists (${endedElsewhere(
    sql`r.api_key_id = ${$('key')} and r.request_hash = ${$('hash')}
      and r.created_at > now() - make_interval(mins => ${$('windowMinutes')})`,
    sql`${$('clientAt')}`,
  )}))`

/**
 * Admits a turn, or returns no row. Only the explaining look tells why: see `admission`. In a session that exists, an
 * open turn of it makes the statement fail: the run would have no number.
 * @param inSession whether the session exists.
 */
function admit(inSession: boolean): SQL {
  const session = inSession
    ? sql`update sessions s set turn_count = turn_count + 1, open_runs = open_runs + 1, updated_at = now(),
        name = case when s.name = '' then ${$('sessionName')} else s.name end
      from charged where s.id = ${$('session')} and s.account_id = charged.id
        and (${$('after')} is null or ${$('checked')} or s.turn_count = ${$('after')}) and (s.open_runs = 0 or ${$('queued')})
      returning s.id, s.project_id, s.turn_count`
    : sql`insert into sessions (id, account_id, project_id, model, name, turn_count, open_runs)
      select ${$('session')}, charged.id, ${$('project')}, ${$('model')}, ${$('sessionName')}, 1, 1 from charged
      returning id, project_id, turn_count`
  const running = (value: SQL) => sql`case when not ${$('queued')} then ${value} end`
  const projectId = inSession
    ? sql`(select s.project_id from sessions s where s.id = ${$('session')})`
    : $('project')
  return sql`
    with told as materialized (
      select i.hash, i.tokens from projects p join project_instructions i on i.project_id = p.id and i.hash = p.instructions_hash
      where ${$('tokenMicros')} is not null and p.id = ${projectId}),
    need as materialized (
      select (select hash from told) as instructions,
        least(${$('hold')} + coalesce((select tokens from told) * ${$('tokenMicros')}, 0), ${$('max')}) as micros),
    a as materialized (select a.id, a.allowance_micros, a.granted_micros, a.open_turns from accounts a where ${mayStart}
      ${inSession ? sql`` : sql`and exists (select from projects p where p.id = ${$('project')} and p.account_id = a.id)`}
      for no key update of a),
    charged as (
      update accounts set ${hold(sql`need.micros`)}, open_turns = accounts.open_turns + ${$('slot')},
        next_start_at = greatest(accounts.next_start_at, clock_timestamp()) + make_interval(secs => ${$('spacingSeconds')})
      from a, need where accounts.id = a.id
      returning accounts.id, need.micros as held, need.instructions, least(a.allowance_micros, need.micros) as from_allowance,
        a.allowance_micros + a.granted_micros as available, a.open_turns as open_before),
    place as (${session}),
    input as (
      insert into messages (id, account_id, session_id, run_id, turn, position, role, content, transcript)
      select m.id, charged.id, place.id, ${$('run')}, place.turn_count, m.position, m.content->>'role', m.content, decode(m.transcript, 'hex')
      from charged, place, jsonb_to_recordset(${$('input')}) as m (id text, position int, content jsonb, transcript text)),
    remembered as (
      insert into idempotency_keys (account_id, api_key_id, key, request_hash, run_id, expires_at)
      select charged.id, coalesce(${$('key')}, ''), ${$('idempotencyKey')}, ${$('hash')}, ${$('run')}, now() + make_interval(hours => ${$('keyHours')})
      from charged where ${$('idempotencyKey')} is not null)
    insert into runs (id, account_id, project_id, session_id, api_key_id, member_id, message_id, turn, model, status, request,
      request_hash,
      project_instructions, hold_micros, held_allowance_micros, most_micros, epoch, lease_owner, lease_expires_at, deadline_at, on_disconnect,
      client_at, admission, created_at, started_at)
    select ${$('run')}, charged.id, place.project_id, place.id, ${$('key')}, ${$('member')}, ${$('message')}, place.turn_count,
      ${$('model')},
      case when ${$('queued')} then 'queued' else 'in_progress' end, ${$('request')}, ${$('hash')},
      charged.instructions, charged.held, charged.from_allowance, ${$('max')}, case when ${$('queued')} then 0 else 1 end,
      ${running(sql`${$('owner')}`)}, ${running(sql`now() + make_interval(secs => ${$('leaseSeconds')})`)},
      now() + make_interval(secs => ${$('turnSeconds')}), ${$('onDisconnect')}, ${$('clientAt')},
      ${$('facts')} || jsonb_build_object('available_micros', charged.available, 'open_turns', charged.open_before),
      clock_timestamp(), ${running(sql`now()`)}
    from charged left join place on true
    returning project_id as project, turn, project_instructions as instructions, admission, hold_micros::text as hold,
      held_allowance_micros::text as held_allowance,
      created_at, deadline_at, lease_expires_at, started_at`
}

/** The run, if this attempt owns it and its counts are those before the write. */
const isOwned = sql`runs.id = ${$('run')} and runs.epoch = ${$('epoch')} and runs.status || '' = 'in_progress'
  and runs.event_count = ${$('eventsBefore')} and runs.step_count = ${$('stepsBefore')}`

const counts = sql`event_count = ${$('eventsBefore')} + ${$('events')}, step_count = ${$('stepsBefore')} + ${$('steps')}`

/** Adds a row to the log of the run in `owned`, if the write has entries. */
const progress = sql`
  logged as (
    insert into run_log (run_id, seq, step, account_id, epoch, events, steps, cost_micros, entries)
    select ${$('run')}, ${$('eventsBefore')} + ${$('events')}, ${$('stepsBefore')} + ${$('steps')}, owned.account_id, ${$('epoch')},
      ${$('events')}, ${$('steps')}, ${$('stepMicros')}, ${$('entries')}
    from owned where ${$('events')} + ${$('steps')} > 0)`

const append = sql`
  with owned as (update runs set ${counts} where ${isOwned} returning account_id), ${progress}
  select true as owned from owned`

/**
 * Appends before a model call: checks the key, and adds `more` to the hold if the key works and the account has that much.
 * For a key with spending caps nothing happens unless `capChecked`: the caller then looks at the caps under the account's
 * lock. Counts need not change, so a late copy of the statement is refused by the hold.
 */
const prepareCall = sql`
  with a as materialized (
    select a.id, a.allowance_micros, a.granted_micros,
      case when ${$('key')} is null then null else exists (select from api_keys k where k.id = ${$('key')} and ${works}) end as key_usable,
      ${$('allowed')} and a.allowance_micros + a.granted_micros >= ${$('more')} as enough,
      not ${$('capChecked')} and exists (select from api_keys k where k.id = ${$('key')} and ${isCapped}) as capped
    from accounts a where a.id = ${$('account')} for no key update of a),
  ready as (select *, enough and key_usable is not false as extends from a where not capped),
  owned as (
    update runs set ${counts},
      hold_micros = hold_micros + case when ready.extends then ${$('more')} else 0 end,
      held_allowance_micros = held_allowance_micros
        + case when ready.extends then least(ready.allowance_micros, ${$('more')}) else 0 end
    from ready where ${isOwned} and runs.hold_micros = ${$('holdBefore')} and runs.account_id = ready.id returning runs.account_id),
  ${progress},
  extended as (
    update accounts set ${hold(sql`${$('more')}`)} from ready as a, owned
    where accounts.id = a.id and a.extends)
  select a.capped, owned.account_id is not null as owned, a.key_usable, a.enough from a left join owned on true`

/** What the run pays. `least` ignores null, so a run without a charge pays zero here. */
const paid = sql`coalesce(${$('charge')}, 0)`

/** Part of the charge that the allowance pays: its part of the hold comes first. */
const fromAllowance = sql`least(owned.held_allowance_micros, ${paid})`

/**
 * Ends a run: its row, its last events and steps, the answer with its session, the charge, and what the hold gives back.
 * `charge` is null for a run that pays nothing and leaves no row in the ledger.
 */
const end = sql`
  with a as materialized (select a.id from accounts a where a.id = ${$('account')} for no key update of a),
  owned as (
    update runs set ${counts}, status = ${$('status')}, reply = ${$('reply')}, finish_reason = ${$('finishReason')},
      cost_micros = ${$('cost')}, lease_owner = null, lease_expires_at = null, finished_at = now()
    from a where ${isOwned} and runs.account_id = a.id
    returning runs.account_id, session_id, api_key_id, turn, hold_micros, held_allowance_micros),
  ${progress},
  answer as (
    insert into messages (id, account_id, session_id, run_id, turn, position, role, content)
    select ${$('message')}, account_id, session_id, ${$('run')}, turn, ${$('position')}, 'assistant', ${$('answer')}
    from owned where ${$('answer')} is not null),
  place as (
    update sessions set open_runs = sessions.open_runs - 1, updated_at = now() from owned where sessions.id = owned.session_id
    returning sessions.open_runs),
  charged as (
    insert into ledger (account_id, run_id, kind, allowance_micros, granted_micros, facts)
    select account_id, ${$('run')}, 'charge', -${fromAllowance}, ${fromAllowance} - ${paid}, ${$('facts')}
    from owned where ${$('charge')} is not null),
  spent as (
    insert into key_spending as s (key_id, account_id, day, micros)
    select api_key_id, account_id, (now() at time zone 'UTC')::date, ${$('charge')} from owned
    where api_key_id is not null and ${$('charge')} > 0
    on conflict (key_id, day) do update set micros = s.micros + excluded.micros),
  released as (
    update accounts set held_micros = held_micros - owned.hold_micros,
      allowance_micros = allowance_micros + owned.held_allowance_micros - ${fromAllowance},
      granted_micros = granted_micros + (owned.hold_micros - owned.held_allowance_micros) - (${paid} - ${fromAllowance}),
      open_turns = open_turns - case when place.open_runs = 0 then 1 else 0 end
    from owned, place where accounts.id = owned.account_id)
  select true as owned,
    place.open_runs > 0 or exists (select from runs r where r.account_id = ${$('account')} and r.status = 'queued') as waiting
  from owned, place`

/**
 * Appends events of many runs of any accounts. A run whose row is locked is left out, because the others must not wait for
 * it. The arrays have one line per run; each run is looked up and locked by its id.
 */
const appendToRuns = sql`
  with line as (
    select * from unnest(${sql.placeholder('runs')}::text[], ${sql.placeholder('accounts')}::text[], ${sql.placeholder('epochs')}::int[], ${sql.placeholder('eventsBefore')}::int[],
      ${sql.placeholder('stepsBefore')}::int[], ${sql.placeholder('events')}::int[], ${sql.placeholder('entries')}::jsonb[])
      as line (run, account, epoch, events_before, steps_before, events, entries)),
  owned as materialized (
    select line.* from line cross join lateral (
      select from runs r where r.id = line.run and r.epoch = line.epoch and r.status || '' = 'in_progress'
        and r.event_count = line.events_before and r.step_count = line.steps_before
      for no key update skip locked) as mine),
  counted as (
    update runs set event_count = o.events_before + o.events from owned o where runs.id = o.run),
  logged as (
    insert into run_log (run_id, seq, step, account_id, epoch, events, steps, cost_micros, entries)
    select o.run, o.events_before + o.events, o.steps_before, o.account, o.epoch, o.events, 0, 0, o.entries from owned o where o.events > 0)
  select run from owned`

/**
 * Records that a run's client disconnected before its reply was complete. It goes through the account's connection, so that
 * a retry that reaches this process afterwards finds it.
 */
const disconnect = sql`
  update runs set client_closed_at = coalesce(client_closed_at, now())
  where id = ${$('run')} and (client_at is null or client_at = ${$('owner')}) returning id`

export const statements = {
  admit: prepared('admit', admit(false)),
  admitInSession: prepared('admit_in_session', admit(true)),
  append: prepared('append', append),
  prepareCall: prepared('prepare_call', prepareCall),
  end: prepared('end_turn', end),
  disconnect: prepared('disconnect', disconnect),
  appendToRuns: prepared('append_to_runs', appendToRuns),
} satisfies Readonly<Record<string, Statement>>
