import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { type Database, type Executor, withIndexedTx } from '../../db/client.ts'
import { type ExecuteTogether, statementsOn } from '../../db/statement-batch.ts'
import { AccountBatches, type BatchConnections } from './account-batches.ts'
import { callIn, opening, preparedCall } from './call-statements.ts'
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
  const pooled = drizzle({ client: database.callPool })
  const appendAll = prepareAppends(pooled)
  const batches = new AccountBatches(callConnections(database.callPool))
  return {
    clock: new ServerClock(),
    call: <Answer>(accountId: string, call: TurnCall, onSend?: OnSend) =>
      batches.call(accountId, call, onSend) as Promise<Answer>,
    transaction: (accountId, work) => withIndexedTx(database, { accountId }, work),
    async appendToRuns(lines) {
      const rows = await appendAll.execute({
        runs: lines.map(({ id }) => id),
        accounts: lines.map(({ accountId }) => accountId),
        epochs: lines.map(({ epoch }) => epoch),
        eventsBefore: lines.map(({ eventCount }) => eventCount),
        stepsBefore: lines.map(({ stepCount }) => stepCount),
        events: lines.map(({ events }) => events),
      })
      return new Set(rows.map(({ run }) => run))
    },
  }
}

function callConnections(pool: pg.Pool): BatchConnections<TurnCall> {
  const statements = new WeakMap<pg.PoolClient, ExecuteTogether>()
  return {
    isAwaited: () => pool.waitingCount > 0,
    async connect() {
      const client = await pool.connect()
      const execute = statements.get(client) ?? statementsOn(client)
      statements.set(client, execute)
      return {
        async send(account, calls) {
          const prepared = calls.map((call) => preparedCall(account, call))
          if (calls.length < 2) return execute(prepared)
          return (await execute([opening(account), ...prepared])).slice(1)
        },
        release: (isBroken) => client.release(isBroken),
      }
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
function prepareAppends(executor: Executor) {
  const { placeholder } = sql
  const run = sql<string>`append_to_runs(${placeholder('runs')}, ${placeholder('accounts')}, ${placeholder('epochs')},
    ${placeholder('eventsBefore')}, ${placeholder('stepsBefore')}, ${placeholder('events')})`
  return executor.select({ run }).from(sql`set_config('app.account', '*', true)`).prepare('append_to_runs')
}
