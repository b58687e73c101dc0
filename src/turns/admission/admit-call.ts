import type { OnSend } from '../store/turn-calls.ts'
import type { TurnCalls } from '../store/turn-store.ts'

/** What `admit_run` returns. If `decision` is not `admitted`, nothing was written. */
export type AdmissionRow = {
  readonly decision: string
  /** The account's plan. Set if it is not the plan of the call. */
  readonly plan: string
  /** Replicas that must first report whether their clients of equal requests are connected. */
  readonly replicas: readonly string[] | null
  /** The run that the request repeats, and the state of its client when it was found. */
  readonly known_run: string
  readonly known_client_at: string | null
  readonly known_client_closed: boolean
  /** Seconds until the oldest turn of the rate limit's window leaves it. */
  readonly seconds: number | null
  /**
   * Micro-credits that the account can spend; for a spending cap of the key, what the cap leaves. Exact if they decide: a
   * hold is far below 2^53.
   */
  readonly available: number
  /** The limit of the key that refuses: turns, sessions, or micro-credits. */
  readonly key_limit: number | null
  readonly project: string
  readonly turn: number
  readonly held: number
  readonly account_turn: number
  /** The server's time if the call came late. */
  readonly created_at: Date
  readonly deadline_at: Date
  readonly lease_expires_at: Date | null
  readonly started_at: Date | null
}

/**
 * Decides on a turn and writes it (see `src/db/functions/admit_run.sql`).
 * @param onSend values of the moment when the call is sent.
 */
export async function callAdmitRun(
  calls: TurnCalls,
  values: Readonly<Record<string, unknown>> & { readonly accountId: string },
  onSend?: OnSend,
): Promise<AdmissionRow> {
  const row = await calls.call<AdmissionRow>(values.accountId, { call: 'admit', ...values }, onSend)
  const instant = (text: Date | null) => text && new Date(text)
  return {
    ...row,
    ...{ created_at: instant(row.created_at) as Date, deadline_at: instant(row.deadline_at) as Date },
    ...{ lease_expires_at: instant(row.lease_expires_at), started_at: instant(row.started_at) },
  }
}

/** SQLSTATE: the server finished the start after its time limit, and undid it. */
export const startTooLate = 'TU001'
