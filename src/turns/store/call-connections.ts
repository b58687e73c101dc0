import type pg from 'pg'
import { statementsOn } from '../../db/statement-batch.ts'
import type { BatchConnections } from './account-batches.ts'
import { opening, preparedCall } from './call-statements.ts'
import type { TurnCall } from './turn-calls.ts'

/** @param pool its connections send statements without waiting for answers to earlier ones. */
export function callConnections(pool: pg.Pool): BatchConnections<TurnCall> {
  return {
    isAwaited: () => pool.waitingCount > 0,
    async connect() {
      const client = await pool.connect()
      const execute = statementsOn(client)
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
