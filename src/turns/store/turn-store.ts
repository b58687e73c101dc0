import { type Database, type Executor, withIndexedTx } from '../../db/client.ts'
import { AccountBatches } from './account-batches.ts'
import { callConnections } from './call-connections.ts'
import { callIn } from './call-statements.ts'
import { ServerClock } from './server-clock.ts'
import type { OnSend, RunPosition, TurnCall } from './turn-calls.ts'

/** Events that one run adds, as JSON. */
export type RunEvents = RunPosition & { readonly events: string }

/** Makes calls: as own transactions, or in the transaction of `callsIn`. */
export type TurnCalls = {
  /**
   * Makes a call.
   * @param onSend see `OnSend`.
   * @throws the database's error. After a lost connection the call may have succeeded.
   */
  call<Answer>(accountId: string, call: TurnCall, onSend?: OnSend): Promise<Answer>
}

/**
 * The database calls that admit and write turns. It owns their texts. How they travel, alone or with others of
 * the account, does not concern the caller.
 */
export type TurnStore = TurnCalls & {
  readonly database: Database
  /** The database's time, from the answers of starts. */
  readonly clock: ServerClock
  /** Opens a transaction of the account, for `callsIn`. */
  transaction<T>(accountId: string, work: (tx: Executor) => Promise<T>): Promise<T>
  /**
   * Appends events to many runs of any accounts in one transaction.
   * @returns the ids of the runs that were written. The others have other counts or are locked.
   */
  appendToRuns(lines: readonly RunEvents[]): Promise<ReadonlySet<string>>
}

/** One store serves a whole process: only its own calls share batches. */
export function createTurnStore(database: Database): TurnStore {
  const batches = new AccountBatches(callConnections(database.callPool))
  return {
    database,
    clock: new ServerClock(),
    call: <Answer>(accountId: string, call: TurnCall, onSend?: OnSend) =>
      batches.call(accountId, call, onSend) as Promise<Answer>,
    transaction: (accountId, work) => withIndexedTx(database, { accountId }, work),
    async appendToRuns(lines) {
      const values = [
        lines.map(({ id }) => id),
        lines.map(({ accountId }) => accountId),
        lines.map(({ epoch }) => epoch),
        lines.map(({ eventCount }) => eventCount),
        lines.map(({ stepCount }) => stepCount),
        lines.map(({ events }) => events),
      ]
      const { rows } = await database.indexedPool.query<{ run: string }>({ ...appendToRuns, values })
      return new Set(rows.map(({ run }) => run))
    },
  }
}

/** Calls in an open transaction of the caller. */
export function callsIn(tx: Executor): TurnCalls {
  return {
    call: async <Answer>(accountId: string, call: TurnCall, onSend?: OnSend) =>
      (await callIn(tx, accountId, { ...call, ...(await onSend?.()) })) as Answer,
  }
}

/** Runs of all accounts: `set_config` comes first and shows them to the row policies. */
const appendToRuns = {
  name: 'append_to_runs',
  text: `select append_to_runs($1, $2, $3, $4, $5, $6) as run from set_config('app.account', '*', true)`,
}
