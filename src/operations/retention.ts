import { type SQL, sql } from 'drizzle-orm'
import { expiredSession } from '../accounts/sign-in/web-sessions.ts'
import type { RetentionDays } from '../config.ts'
import { type Database, type Executor, withTx } from '../db/client.ts'
import { reasonOf } from '../db/errors.ts'
import type { Logger } from '../log.ts'
import { startPeriodicTask } from '../periodic-work.ts'
import { agedData, type Expiry, notHeld } from './aged-data.ts'
import { removeClosed } from './closed-accounts.ts'

const everyMs = 15 * 60_000
const retryMs = 60_000

/**
 * Events are kept this long after their run's end: at least as long as the idempotency keys that find the
 * run.
 */
const eventHours = 24
/** Far longer than the time in which a request can be a retry on that replica. */
const replicaHours = 24
/** An upload without progress for this long is abandoned. */
const uploadMinutes = 15
/** The same for uploads of an earlier version of the service, which records no progress. */
const uploadHours = 24

/** The log of an endpoint, by default. What is not delivered by then was given up long before. */
const deliveryDays = 30

const retentionLock = 7_203_115_020n

/** The kinds of rows to remove, in this order. Add a line for each new table with rows that expire. */
const expiries = (days: RetentionDays): readonly Expiry[] => [
  rowsOf('idempotency_keys', 5_000, sql`expires_at < now()`),
  rowsOf('web_sessions', 5_000, expiredSession),
  rowsOf('password_resets', 5_000, sql`expires_at < now()`),
  rowsOf('mailed_links', 5_000, sql`expires_at < now()`),
  rowsOf('sign_in_steps', 5_000, sql`expires_at < now()`),
  rowsOf('invitations', 5_000, sql`expires_at < now()`),
  rowsOf('sent_notices', 5_000, sql`created_at < now() - interval '1 year'`),
  rowsOf(
    'webhook_deliveries',
    5_000,
    sql`created_at < now() - make_interval(days => ${days.deliveries ?? deliveryDays})`,
  ),
  rowsOf('management_requests', 5_000, sql`created_at < now() - interval '30 days'`),
  rowsOf('replicas', 1_000, sql`seen_at < now() - make_interval(hours => ${replicaHours})`),
  // Its pieces are removed with it: up to some thousand rows of 1 MB each, so the batch is one file.
  rowsOf(
    'file_versions',
    1,
    sql`state = 'uploading' and created_at < now() - case when bytes > 0
      then make_interval(mins => ${uploadMinutes}) else make_interval(hours => ${uploadHours}) end`,
  ),
  { batch: 2_000, remove: removeEvents },
  { batch: 200, remove: emptyUnstored },
  ...agedData(days),
]

/** Expiry of the rows of one table that match a condition. */
function rowsOf(table: string, batch: number, expired: SQL): Expiry {
  const name = sql.identifier(table)
  const free = table === 'replicas' ? expired : sql`(${expired}) and ${notHeld}`
  return {
    batch,
    async remove(tx, atMost) {
      const removed = await tx.execute(
        sql`delete from ${name} where ctid in (select ctid from ${name} where ${free} limit ${atMost})`,
      )
      return removed.rowCount ?? 0
    },
  }
}

/** Starts from the events, because at most a day of them is stored, whereas runs and their steps are kept. */
async function removeEvents(tx: Executor, atMost: number): Promise<number> {
  const ended = await tx.execute<{ id: string }>(sql`
    select r.id from (
        select distinct run_id from run_log where events > 0 and created_at < now() - make_interval(hours => ${eventHours})
          and ${notHeld}
      ) e join runs r on r.id = e.run_id
    where r.finished_at < now() - make_interval(hours => ${eventHours})
    limit ${atMost}`)
  const ids = sql`${sql.param(ended.rows.map(({ id }) => id))}::text[]`
  await tx.execute(sql`delete from run_log where run_id = any(${ids}) and steps = 0`)
  await tx.execute(sql`
    update run_log set events = 0, entries = jsonb_path_query_array(entries, '$[*] ? (@.type == "step")')
    where run_id = any(${ids}) and events > 0`)
  return ended.rows.length
}

/** The content of a response with `store: false` is kept this long, because a retry or a tool result needs it. */
const unstoredMinutes = 15

const emptied = {
  end: {
    text: '',
    source_list: '',
    sources: [],
    citations: [],
    unknown_refs: [],
    quotations: [],
    question_quotations: [],
    tool_calls: [],
    tools_used: [],
  },
  record: { text: '', toolCalls: [], content: '', sources: [] },
  request: { clientTools: [], toolChoice: 'auto' },
  response: { previousId: null, metadata: {}, background: false, parallelToolCalls: true, store: 'emptied' },
}
const json = (value: object) => sql`${JSON.stringify(value)}::jsonb`

/**
 * Removes the content of responses with `store: false` whose session has rested. The runs stay, with usage and costs. A
 * session is emptied at once, because a turn in it would otherwise read half a conversation.
 */
async function emptyUnstored(tx: Executor, atMost: number): Promise<number> {
  const rested = await tx.execute<{ id: string }>(sql`
    select s.id from sessions s
    where s.id in (select session_id from runs where request #>> '{response,store}' = 'false') and s.open_runs = 0
      and s.${notHeld}
      and not exists (select from runs r
        where r.session_id = s.id and r.finished_at > now() - make_interval(mins => ${unstoredMinutes}))
    limit ${atMost} for update skip locked`)
  const sessions = sql`${sql.param(rested.rows.map(({ id }) => id))}::text[]`
  const runs = await tx.execute<{ id: string }>(sql`
    select id from runs where session_id = any(${sessions}) and request #>> '{response,store}' = 'false'`)
  const ids = sql`${sql.param(runs.rows.map(({ id }) => id))}::text[]`
  // Before the runs, as a request with a known key locks them.
  await tx.execute(sql`delete from idempotency_keys where run_id = any(${ids})`)
  await tx.execute(sql`
    update runs set
      reply = case when reply ? 'end' then jsonb_set(reply, '{end}', (reply->'end') - 'refusal' || ${json(emptied.end)}) end,
      request = (request - 'instructions') || ${json(emptied.request)} || jsonb_build_object(
        'sampling', (request->'sampling') - '{responseFormat,stop}'::text[], 'response', ${json(emptied.response)})
    where id = any(${ids})`)
  await tx.execute(sql`delete from messages where session_id = any(${sessions}) and run_id = any(${ids})`)
  // What clients have sent is no longer the conversation of the session.
  await tx.execute(sql`
    update messages set transcript = null where session_id = any(${sessions}) and transcript is not null`)
  await tx.execute(sql`delete from run_log where run_id = any(${ids}) and steps = 0`)
  await tx.execute(sql`
    update run_log set events = 0, entries = (
      select jsonb_agg(jsonb_set(jsonb_set(e, '{record}', (e->'record') - '{attached,refusal}'::text[] || ${json(emptied.record)}),
        '{record,call,arguments}', '""'))
      from jsonb_array_elements(entries) e where e->>'type' = 'step')
    where run_id = any(${ids})`)
  // Its name is its first question.
  await tx.execute(sql`
    update sessions s set name = '' where id = any(${sessions}) and metadata is null
      and not exists (select from messages m where m.session_id = s.id)`)
  return rested.rows.length
}

/** Maximum batches per kind and round; the next round continues. */
const maxBatches = 200

/**
 * Removes events of runs that ended a day ago, the content of responses with `store: false`, and expired idempotency keys,
 * page sessions, password reset links, webhook deliveries, replicas and uploads, and what `days` names. Works in short
 * transactions on one replica at a time: a replica that finds the lock taken stops. Nothing of an account under a legal hold
 * is removed.
 * @returns number of removed rows; the events of one run count as one.
 */
export async function removeExpired(database: Database, days: RetentionDays = {}): Promise<number> {
  let sum = 0
  for (const expiry of expiries(days)) {
    for (let batches = 0; batches < maxBatches; batches += 1) {
      const removed = await removeBatch(database, expiry)
      if (removed === undefined) return sum
      sum += removed
      if (removed < expiry.batch) break
    }
  }
  return sum
}

/** Undefined when another replica holds the lock. */
function removeBatch(database: Database, expiry: Expiry): Promise<number | undefined> {
  return withTx(database, 'system', async (tx) => {
    const lock = await tx.execute<{ ok: boolean }>(
      sql`select pg_try_advisory_xact_lock(${retentionLock}) as ok`,
    )
    return lock.rows[0]?.ok ? expiry.remove(tx, expiry.batch) : undefined
  })
}

/** Runs `removeExpired` and `removeClosed` every 15 minutes while the service runs. */
export function keepRetention(
  database: Database,
  days: RetentionDays | undefined,
  log: Logger,
): { stop(): Promise<void> } {
  const round = async () => {
    const accounts = await removeClosed(database, log)
    if (accounts > 0) log.info({ accounts }, 'closed accounts were deleted')
    const removed = await removeExpired(database, days)
    if (removed > 0) log.info({ removed }, 'what has had its time was removed')
  }
  const report = (error: unknown) => log.warn({ reason: reasonOf(error) }, 'old rows could not be removed')
  return startPeriodicTask(round, everyMs, report, retryMs)
}
