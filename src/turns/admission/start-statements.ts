import { usableKey } from '../../accounts/keys/keys.ts'
import { statement, turnCall } from '../../db/statement.ts'

/** Serialises the starts of one account. A statement of its own, so that the next one sees what the others have done. None for a deleted account. */
export const lockAccount = statement<{ plan: string; suspended: boolean }>(
  'lock_account',
  `select plan, suspended_at is not null as suspended from accounts
  where id = :accountId and password_hash <> '' for no key update`,
)

/**
 * Number of the account's newest turn; its turns are dated in their order. No two open turns have one number, even when the
 * server's clock was set back and the newest is not the last one.
 */
const newestTurn = `
  select case when highest_open > newest then highest_open else newest end
  from (select
    (select account_turn from runs where account_id = :accountId order by created_at desc limit 1) as newest,
    (select account_turn from runs where account_id = :accountId and status in ('queued', 'in_progress')
      order by account_turn desc nulls last limit 1) as highest_open) as numbers`

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

export type AdmissionSnapshot = {
  readonly key_usable: boolean
  /** Replicas that have to say first whether their clients of equal requests are connected, see `client-inquiry`. */
  readonly unsettled: readonly string[] | null
  /** The run that this request repeats without an `Idempotency-Key`, see `idempotency`. */
  readonly repeats: string | null
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
export const readAdmissionSnapshot = statement<AdmissionSnapshot>(
  'start_facts',
  `select
    ${keyUsable} as key_usable,
    case when :lookBack::boolean and not :retried::boolean then
      unsettled_replicas(:keyId, :hash, :retryWindowMinutes::int, :settled::text[]) end as unsettled,
    case when :lookBack::boolean then
      run_to_repeat(:keyId, :hash, :retryWindowMinutes::int, :retried::boolean, :lost::text[], :lostAt::text[], :gone::text[])
      end as repeats,
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

/** Of a start that was admitted and could be paid; else nothing was written. */
export type WrittenStart = {
  readonly admitted: boolean
  readonly available: string
  readonly enough: boolean
  readonly held: string
  readonly account_turn: number
  readonly created_at: Date
  readonly deadline_at: Date
  readonly lease_expires_at: Date | null
  readonly started_at: Date | null
}

/** The parameters of a start that it is written with, whether they have been looked at already or not. */
const written = `:keyId, :runId, :messageId, :model, :request, :hash, :input, :holdMicros, :ampleMicros, :ampleParts, :maxMicros,
  :leaseOwner, :leaseSeconds, :turnSeconds, :onDisconnect`

/** Writes a start that was admitted under the account's lock, see `write_turn_2`. */
export const writeTurn = statement<WrittenStart>(
  'write_turn',
  `select true as admitted, * from write_turn_2(:accountId, :projectId, :sessionId, :sessionName, :turn, ${written}, :clientAt, :newSession,
    (${newestTurn}))`,
)

/**
 * Decides a usual start and writes it, see `begin_turn_2`: one call, which is a transaction by itself. It fails with
 * `tooLate` after the server's time `notAfter`.
 */
export const beginTurn = statement<WrittenStart & { readonly unsettled: readonly string[] | null }>(
  'begin_turn',
  `select * from begin_turn_2(:accountId, :plan, :turnsPerMinute, :concurrentTurns, :retryWindowMinutes,
    :projectId, :sessionId, :sessionName, ${written}, :clientAt, :settled, :sentAt, :notAfter)`,
  { ...turnCall, timed: true },
)

/** SQLSTATE of a run that a suspended account begins. */
export const suspendedAccount = 'TU002'

/** SQLSTATE of a start that the server came to when its time was over. */
export const tooLate = 'TU001'
