import { placeHoldParts } from '../billing/hold-statements.ts'
import { statement } from '../db/statement.ts'

/** Serialises the starts of one account. A statement of its own, so that the next one sees what the others have done. */
export const lockAccount = statement<{ plan: string; turn_count: number }>(
  'lock_account',
  'select plan, turn_count from accounts where id = :accountId for no key update',
)

export type StartFacts = {
  readonly key_usable: boolean
  /** An earlier run of an equal request that has no key of its own, see `idempotency`. */
  readonly unanswered: string | null
  /** Unfinished turns of the session, and sessions of the account that have some. */
  readonly session_turns: number
  readonly taken_places: number
  /** The first turn of the last minute; null when there was none. */
  readonly first_lately: {
    readonly turn: number | null
    readonly count: number
    readonly seconds: number
  } | null
  readonly has_allowance: boolean
}

/**
 * All that decides on a start, under the account's lock. How many turns began in the last minute follows from the number
 * of the first of them. `count` is for a first one without a number, which an older version of the service has written.
 */
export const readStartFacts = statement<StartFacts>(
  'start_facts',
  `select
    (:keyId::text is null or exists (select from api_keys
      where id = :keyId and revoked_at is null and (expires_at is null or expires_at > now()))) as key_usable,
    (select id from runs
      where :lookBack::boolean and api_key_id = :keyId and request_hash = :hash
        and created_at > now() - make_interval(mins => :guardMinutes::int)
        and (:retried::boolean or client_closed_at is not null)
      order by created_at desc limit 1) as unanswered,
    (select count(*)::int from runs
      where session_id = :sessionId::text and status in ('queued', 'in_progress')) as session_turns,
    (select count(distinct session_id)::int from runs
      where account_id = :accountId and status in ('queued', 'in_progress')) as taken_places,
    (select json_build_object(
        'turn', account_turn,
        'seconds', ceil(extract(epoch from created_at + interval '1 minute' - now()))::int,
        'count', case when account_turn is null then (select count(*)::int from runs
          where account_id = :accountId and created_at > now() - interval '1 minute') else 0 end)
      from (select account_turn, created_at from runs
        where account_id = :accountId and created_at > now() - interval '1 minute'
        order by created_at limit 1) as first) as first_lately,
    exists (select from credit_pools
      where account_id = :accountId and period_start = date_trunc('month', now(), 'UTC')) as has_allowance`,
)

const sessionMade = `
  insert into sessions (id, account_id, project_id, model, name, turn_count)
  values (:sessionId, :accountId, :projectId, :model, :sessionName, :turn::int)`

const sessionMovedOn = `
  update sessions set turn_count = :turn::int, name = :sessionName, updated_at = now() where id = :sessionId`

export type WrittenStart = {
  readonly available: string
  readonly enough: boolean
  readonly created_at: Date
  readonly deadline_at: Date
  readonly lease_expires_at: Date | null
  readonly started_at: Date | null
}

/**
 * Writes the session, the run, its input and its hold. A run is dated when it is written, so that the order of an
 * account's turns in time is that of their numbers.
 */
const writeStart = (name: string, session: string) =>
  statement<WrittenStart>(
    name,
    `with session_row as (${session}),
    account_row as (update accounts set turn_count = :accountTurn::int where id = :accountId),
    run_row as (
      insert into runs (id, account_id, project_id, session_id, api_key_id, message_id, turn, account_turn, model, status,
        request, request_hash, hold_micros, most_micros, epoch, lease_owner, lease_expires_at, deadline_at,
        on_disconnect, created_at, started_at)
      values (:runId, :accountId, :projectId, :sessionId, :keyId, :messageId, :turn::int, :accountTurn::int, :model,
        case when :leaseOwner::text is null then 'queued' else 'in_progress' end,
        :request::jsonb, :hash, :holdMicros::bigint, :mostMicros::bigint,
        case when :leaseOwner::text is null then 0 else 1 end, :leaseOwner::text,
        case when :leaseOwner::text is not null then now() + make_interval(secs => :leaseSeconds) end,
        now() + make_interval(secs => :turnSeconds), :onDisconnect, clock_timestamp(),
        case when :leaseOwner::text is not null then now() end)
      returning created_at, deadline_at, lease_expires_at, started_at),
    input_rows as (
      insert into messages (id, account_id, session_id, run_id, turn, position, role, content)
      select id, :accountId, :sessionId, :runId, :turn::int, position, content->>'role', content
      from jsonb_to_recordset(:input::jsonb) as message (id text, position int, content jsonb)),
    ${placeHoldParts}
    select available, enough, created_at, deadline_at, lease_expires_at, started_at from hold_offer, run_row`,
  )

export const writeFirstTurn = writeStart('start_session', sessionMade)
export const writeNextTurn = writeStart('start_turn', sessionMovedOn)
