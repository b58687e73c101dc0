import { type Database, type Executor, withTurnCalls, withTurnTx } from '../../db/client.ts'
import { statement, turnCall } from '../../db/statement.ts'
import type { TurnCall, WriteAnswer } from './turn-calls.ts'

/** Events that one run adds, and the counts that its row must have. */
export type RunEvents = {
  readonly runId: string
  readonly accountId: string
  readonly epoch: number
  readonly eventsBefore: number
  readonly stepsBefore: number
  /** As JSON. */
  readonly events: string
}

/**
 * The database calls that write turns. It owns their texts. How they travel, alone or with others of the account,
 * does not concern the caller.
 */
export type TurnStore = {
  readonly database: Database
  /**
   * Makes a call as its own transaction.
   * @throws the database's error. After a lost connection the call may have succeeded.
   */
  call(accountId: string, call: TurnCall): Promise<WriteAnswer>
  /** Makes a call in the caller's transaction. */
  callIn(tx: Executor, accountId: string, call: TurnCall): Promise<WriteAnswer>
  /** Opens a transaction of the account, for `callIn`. */
  transaction<T>(accountId: string, work: (tx: Executor) => Promise<T>): Promise<T>
  /**
   * Appends events to many runs of any accounts in one transaction.
   * @returns the ids of the runs that were written. The others have other counts or are locked.
   */
  appendToRuns(lines: readonly RunEvents[]): Promise<ReadonlySet<string>>
}

export function createTurnStore(database: Database): TurnStore {
  return {
    database,
    call: (accountId, call) =>
      withTurnCalls(database, { accountId }, (calls) => makeCall(calls, accountId, call)),
    callIn: makeCall,
    transaction: (accountId, work) => withTurnTx(database, { accountId }, (tx) => work(tx)),
    appendToRuns: (lines) =>
      withTurnTx(database, 'system', async (tx, sendCommit) => {
        const sent = sendLines(tx, lines)
        sendCommit()
        return sent
      }),
  }
}

/** Parameters that all appending database functions share, in this order. */
const appended = ':account, :run, :epoch, :events_before, :steps_before, :events, :steps'

const texts = {
  append: statement<WriteAnswer>(
    'append_to_run',
    `select owned, key_usable, enough from append_to_run_2(${appended}, null, null)`,
    turnCall,
  ),
  prepareCall: statement<WriteAnswer>(
    'prepare_call',
    `select owned, key_usable, enough from append_to_run_2(${appended}, :more, :for_step)`,
    turnCall,
  ),
  finish: statement<WriteAnswer>(
    'end_turn',
    `select owned, waiting from end_turn(${appended}, :status, :output, :error_code, :error_message, :finish_reason,
      :usage, :cost, :charge, :facts, :session, :message, :turn, :position, :answer)`,
    turnCall,
  ),
}

async function makeCall(executor: Executor, account: string, call: TurnCall): Promise<WriteAnswer> {
  // The driver would write an array as one of Postgres.
  const encoded = Object.entries(call).map(([name, value]) => [
    name,
    typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
  ])
  const [answer] = await texts[call.call](executor, { ...Object.fromEntries(encoded), account })
  if (!answer) throw new Error(`the call "${call.call}" returned no row`)
  return answer
}

const appendAll = statement<{ run: string }>(
  'append_to_runs',
  'select append_to_runs(:runs, :accounts, :epochs, :eventsBefore, :stepsBefore, :events) as run',
)

async function sendLines(tx: Executor, lines: readonly RunEvents[]): Promise<ReadonlySet<string>> {
  const rows = await appendAll(tx, {
    runs: lines.map(({ runId }) => runId),
    accounts: lines.map(({ accountId }) => accountId),
    epochs: lines.map(({ epoch }) => epoch),
    eventsBefore: lines.map(({ eventsBefore }) => eventsBefore),
    stepsBefore: lines.map(({ stepsBefore }) => stepsBefore),
    events: lines.map(({ events }) => events),
  })
  return new Set(rows.map(({ run }) => run))
}
