import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import type { BatchConnections, SendCalls } from './account-calls.ts'
import { callTogether, singleCalls } from './call-statements.ts'
import type { TurnCall } from './turn-calls.ts'

/** @param pool its connections send statements without waiting for answers to earlier ones. */
export function callConnections(pool: pg.Pool): BatchConnections<TurnCall> {
  /** Statements are prepared once per connection. */
  const prepared = new WeakMap<pg.PoolClient, SendCalls<TurnCall>>()
  return {
    isAwaited: () => pool.waitingCount > 0,
    async connect() {
      const client = await pool.connect()
      const send = prepared.get(client) ?? callsOn(client)
      prepared.set(client, send)
      return { send, release: (isBroken) => client.release(isBroken) }
    },
  }
}

function callsOn(client: pg.PoolClient): SendCalls<TurnCall> {
  const executor = drizzle({ client })
  const single = singleCalls(executor)
  return async (account, calls) => {
    const [one] = calls
    // A prepared statement costs less than a batch of one.
    return one && calls.length === 1 ? [await single(account, one)] : callTogether(executor, account, calls)
  }
}
