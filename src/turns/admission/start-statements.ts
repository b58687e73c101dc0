import { usableKey } from '../../accounts/keys/keys.ts'
import { statement, turnCall } from '../../db/statement.ts'

/**
 * Locks the account's row, which serialises its starts. It is a separate statement so that the next statement
 * sees what earlier starts committed. Returns no row for a deleted account.
 */
export const lockAccount = statement<{ plan: string; suspended: boolean }>(
  'lock_account',
  `select plan, suspended_at is not null as suspended from accounts
  where id = :accountId and password_hash <> '' for no key update`,
)

/**
 * The highest turn number of the account. The newest run may not have it if the server's clock was set back, so
 * open runs are checked as well: no two open turns share a number.
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

/** The account's first turn of the last minute. */
const firstLately = `
  select account_turn, created_at from runs
  where account_id = :accountId and created_at > now() - interval '1 minute'
  order by created_at limit 1`

/** Whether the key works at this moment. Web requests have no key. */
const keyUsable = `
  (:keyId::text is null or exists (select from api_keys
    where id = :keyId and ${usableKey('api_keys')}))`

/** Whether this month's allowance has been given. */
const allowanceGiven = `
  exists (select from credit_pools
    where account_id = :accountId and period_start = date_trunc('month', now(), 'UTC'))`

export type AdmissionSnapshot = {
  readonly key_usable: boolean
  /**
   * Replicas that must first report whether their clients of equal requests are connected (see
   * `client-inquiry`).
   */
  readonly unsettled: readonly string[] | null
  /** The run that this request duplicates, for requests without an `Idempotency-Key` (see `idempotency`). */
  readonly repeats: string | null
  /** Unfinished turns of the session, and sessions of the account that have unfinished turns. */
  readonly session_turns: number
  readonly taken_places: number
  /** The first turn of the last minute; null when there was none. */
  readonly first_lately: {
    /**
     * Number of turns since and including that one. Null if that turn has no number, because an older version
     * wrote it.
     */
    readonly since: number | null
    readonly count: number | null
    readonly seconds: number
  } | null
  readonly has_allowance: boolean
}

/**
 * Reads everything that decides on a start, under the account's lock. The number of turns in the last minute
 * follows from the number of its first turn; turns without a number are counted.
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

/** The row that a start returns. If `admitted` or `enough` is false, nothing was written. */
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

/** Parameters that `write_turn_2` and `begin_turn_2` have in common, in this order. */
const written = `:keyId, :runId, :messageId, :model, :request, :hash, :input, :holdMicros, :ampleMicros, :ampleParts, :maxMicros,
  :leaseOwner, :leaseSeconds, :turnSeconds, :onDisconnect`

/** Writes a start that was admitted under the account's lock (see `write_turn_2`). */
export const writeTurn = statement<WrittenStart>(
  'write_turn',
  `select true as admitted, * from write_turn_2(:accountId, :projectId, :sessionId, :sessionName, :turn, ${written}, :clientAt, :newSession,
    (${newestTurn}))`,
)

/**
 * The fast path: decides and writes a simple start in one call, which is its own transaction (see
 * `begin_turn_2`). It fails with `startTooLate` after the server's time `notAfter`.
 */
export const beginTurn = statement<WrittenStart & { readonly unsettled: readonly string[] | null }>(
  'begin_turn',
  `select * from begin_turn_2(:accountId, :plan, :turnsPerMinute, :concurrentTurns, :retryWindowMinutes,
    :projectId, :sessionId, :sessionName, ${written}, :clientAt, :settled, :sentAt, :notAfter)`,
  { ...turnCall, timed: true },
)

/** SQLSTATE: a suspended account may not start a run. */
export const suspendedAccount = 'TU002'

/** SQLSTATE: the server reached the start after its time limit. */
export const startTooLate = 'TU001'
