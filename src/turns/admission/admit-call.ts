import { statement, turnCall } from '../../db/statement.ts'

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
  /** Micro-credits that the account can spend. */
  readonly available: string
  readonly project: string
  readonly turn: number
  readonly held: string
  readonly account_turn: number
  /** The server's time if the call came late. */
  readonly created_at: Date
  readonly deadline_at: Date
  readonly lease_expires_at: Date | null
  readonly started_at: Date | null
}

/** Decides on a turn and writes it (see `src/db/functions/admit_run.sql`). */
export const callAdmitRun = statement<AdmissionRow>(
  'admit_run',
  `select * from admit_run(
    :accountId, :planName, :apiAccess, :monthlyMicros, :turnsPerMinute, :concurrentTurns, :queuedTurns,
    :keyId, :hash, :key, :retried, :retryWindowMinutes, :keyHours,
    :underPressure, :again, :settled, :lost, :lostAt, :gone, :sentAt, :notAfter,
    :sessionId, :newSessionId, :projectId, :afterTurn, :hasQuestion, :sessionName,
    :runId, :messageId, :model, :request, :input, :onDisconnect,
    :holdMicros, :ampleMicros, :ampleParts, :maxMicros,
    :leaseOwner, :clientAt, :leaseSeconds, :turnSeconds)`,
  turnCall,
)

/** Writes the input of a turn that was admitted without it. */
export const callWriteInput = statement(
  'write_input',
  'select write_input(:accountId, :sessionId, :runId, :turn, :input)',
)

/** SQLSTATE: the server finished the start after its time limit, and undid it. */
export const startTooLate = 'TU001'
