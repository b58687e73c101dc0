import { usableKey } from '../accounts/keys.ts'
import { placeHoldParts } from '../billing/hold-statements.ts'
import { statement } from '../db/statement.ts'

/** Serialises the starts of one account. A statement of its own, so that the next one sees what the others have done. */
export const lockAccount = statement<{ plan: string }>(
  'lock_account',
  'select plan from accounts where id = :accountId for no key update',
)

/** Number of the account's newest turn; its turns are dated in their order. */
const newestTurn = `
  select account_turn from runs where account_id = :accountId order by created_at desc limit 1`

/** Sessions of the account that have unfinished turns. */
const takenPlaces = `
  select count(*)::int from (
    select from runs where account_id = :accountId and status in ('queued', 'in_progress') group by session_id) as busy`

/** Of the last minute's turns of the account, the first one. */
const firstLately = `
  select account_turn, created_at from runs
  where account_id = :accountId and created_at > now() - interval '1 minute'
  order by created_at limit 1`

/** The key as it is at this moment; people have none. */
const keyUsable = `
  (:keyId::text is null or exists (select from api_keys
    where id = :keyId and ${usableKey('api_keys')}))`

/** Whether this month's allowance has been given. */
const allowanceGiven = `
  exists (select from credit_pools
    where account_id = :accountId and period_start = date_trunc('month', now(), 'UTC'))`

export type StartFacts = {
  readonly key_usable: boolean
  /** An earlier run of an equal request that has no key of its own, see `idempotency`. */
  readonly unanswered: string | null
  /** Unfinished turns of the session, and sessions of the account that have some. */
  readonly session_turns: number
  readonly taken_places: number
  /** The first turn of the last minute; null when there was none. */
  readonly first_lately: {
    /** Turns from that one on; null when it has no number, as an older version of the service writes it. */
    readonly since: number | null
    readonly count: number | null
    readonly seconds: number
  } | null
  readonly has_allowance: boolean
}

/**
 * All that decides on a start, under the account's lock. How many turns began in the last minute follows from the number
 * of the first of them; else they are counted.
 */
export const readStartFacts = statement<StartFacts>(
  'start_facts',
  `select
    ${keyUsable} as key_usable,
    (select id from runs
      where :lookBack::boolean and api_key_id = :keyId and request_hash = :hash
        and created_at > now() - make_interval(mins => :guardMinutes::int)
        and (:retried::boolean or client_closed_at is not null)
      order by created_at desc limit 1) as unanswered,
    (select count(*)::int from runs
      where session_id = :sessionId::text and status in ('queued', 'in_progress')) as session_turns,
    (${takenPlaces}) as taken_places,
    (select json_build_object(
        'since', (${newestTurn}) - account_turn + 1,
        'seconds', ceil(extract(epoch from created_at + interval '1 minute' - now()))::int,
        'count', case when account_turn is null then (select count(*)::int from runs
          where account_id = :accountId and created_at > now() - interval '1 minute') end)
      from (${firstLately}) as first) as first_lately,
    ${allowanceGiven} as has_allowance`,
)

/**
 * The start that meets nothing unusual, decided by the statement that writes it: a new session, the key and its plan as
 * the request has found them, no repetition, free places, an allowance that has been given. Else nothing is written,
 * and the facts have to be looked at one by one.
 */
const nothingUnusual = `
  admitted as materialized (
    select from accounts a
    where a.id = :accountId and a.plan = :plan
      and ${keyUsable}
      and not exists (select from runs
        where api_key_id = :keyId and request_hash = :hash
          and created_at > now() - make_interval(mins => :guardMinutes::int)
          and client_closed_at is not null)
      and coalesce((select (${newestTurn}) - account_turn + 1 < :turnsPerMinute::int from (${firstLately}) as first
        ), not exists (${firstLately}))
      and (${takenPlaces}) < :concurrentTurns::int
      and ${allowanceGiven}),`

const sessionMade = `
  insert into sessions (id, account_id, project_id, model, name, turn_count)
  select :sessionId, :accountId, :projectId, :model, :sessionName, :turn::int from start_when`

const sessionMovedOn = `
  update sessions set turn_count = :turn::int, name = :sessionName, updated_at = now()
  from start_when where id = :sessionId`

/** Of a start that was admitted and could be paid; else nothing was written. */
export type WrittenStart = {
  readonly admitted: boolean
  readonly available: string
  readonly enough: boolean
  readonly account_turn: number
  readonly created_at: Date
  readonly deadline_at: Date
  readonly lease_expires_at: Date | null
  readonly started_at: Date | null
}

/**
 * Writes the session, the run, its input and its hold. A run is dated when it is written, so that the order of an
 * account's turns in time is that of their numbers.
 */
const writeStart = (name: string, session: string, admitted = 'admitted as (select),') =>
  statement<WrittenStart>(
    name,
    `with ${admitted}
    hold_when as (select from admitted), ${placeHoldParts},
    start_when as materialized (select from hold_offer where enough),
    session_row as (${session}),
    run_row as (
      insert into runs (id, account_id, project_id, session_id, api_key_id, message_id, turn, account_turn, model, status,
        request, request_hash, hold_micros, most_micros, epoch, lease_owner, lease_expires_at, deadline_at,
        on_disconnect, created_at, started_at)
      select :runId, :accountId, :projectId, :sessionId, :keyId, :messageId, :turn::int, coalesce((${newestTurn}), 0) + 1, :model,
        case when :leaseOwner::text is null then 'queued' else 'in_progress' end,
        :request::jsonb, :hash, :holdMicros::bigint, :mostMicros::bigint,
        case when :leaseOwner::text is null then 0 else 1 end, :leaseOwner::text,
        case when :leaseOwner::text is not null then now() + make_interval(secs => :leaseSeconds) end,
        now() + make_interval(secs => :turnSeconds), :onDisconnect, clock_timestamp(),
        case when :leaseOwner::text is not null then now() end
      from start_when
      returning account_turn, created_at, deadline_at, lease_expires_at, started_at),
    input_rows as (
      insert into messages (id, account_id, session_id, run_id, turn, position, role, content)
      select id, :accountId, :sessionId, :runId, :turn::int, position, content->>'role', content
      from run_row, jsonb_to_recordset(:input::jsonb) as message (id text, position int, content jsonb))
    select exists (select from admitted) as admitted, available, enough,
      account_turn, created_at, deadline_at, lease_expires_at, started_at
    from hold_offer left join run_row on true`,
  )

export const writeFirstTurn = writeStart('start_session', sessionMade)
export const writeUsualStart = writeStart('start_usual', sessionMade, nothingUnusual)
export const writeNextTurn = writeStart('start_turn', sessionMovedOn)
