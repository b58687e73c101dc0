import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'

/** Anything that runs statements: a pool or an open transaction. It comes first in every function that needs it. */
export type Executor = NodePgDatabase

/** Whose rows a transaction may see. `system` is for key look-up, recovery and the command line. */
export type Scope = { readonly accountId: string } | 'system'

export type Database = {
  /** Sees every account; for look-ups that find out who is asking, and for background work. */
  readonly system: Executor
  /** Where it is; carries the password, so it is for connecting only. */
  readonly url: string
  readonly tenantPool: pg.Pool
  readonly systemPool: pg.Pool
  close(): Promise<void>
}

export type DatabaseOptions = {
  readonly url: string
  /** Called for an idle connection that fails; without a listener such an error would end the process. */
  readonly onIdleError: (error: Error) => void
  readonly maxConnections?: number
}

const timeouts = {
  connectionTimeoutMillis: 5_000,
  idleTimeoutMillis: 30_000,
  statement_timeout: 15_000,
  lock_timeout: 3_000,
  idle_in_transaction_session_timeout: 10_000,
  application_name: 'agent-chat-service',
} as const

/**
 * Opens two pools on one database. Connections of the tenant pool see no tenant row until `withTx` names an account;
 * those of the system pool carry the wildcard from the start.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const max = options.maxConnections ?? 16
  const tenantPool = new pg.Pool({ ...timeouts, connectionString: options.url, max })
  const systemPool = new pg.Pool({
    ...timeouts,
    connectionString: options.url,
    max: Math.max(2, Math.ceil(max / 2)),
    options: '-c app.account=*',
  })
  for (const pool of [tenantPool, systemPool]) {
    pool.on('error', options.onIdleError)
    // The pool listens to its idle connections only. One in use that is lost between two statements would end the
    // process; its next statement fails and says so.
    pool.on('connect', (client) => client.on('error', () => undefined))
  }
  return {
    system: drizzle({ client: systemPool }),
    url: options.url,
    tenantPool,
    systemPool,
    async close() {
      await Promise.all([tenantPool.end(), systemPool.end()])
    },
  }
}

/**
 * Runs `work` in one transaction that sees only the rows of `scope` (row-level security, second wall behind the
 * WHERE clauses). Commits when `work` resolves, rolls back when it throws. Never hold one across a model call.
 */
export async function withTx<T>(
  database: Database,
  scope: Scope,
  work: (tx: Executor) => Promise<T>,
): Promise<T> {
  const account = scope === 'system' ? '*' : scope.accountId
  const client = await database.tenantPool.connect()
  let broken: Error | undefined
  try {
    // One round trip for both statements.
    await client.query(`begin; set local app.account = ${client.escapeLiteral(account)}`)
    const result = await work(drizzle({ client }))
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((cause: Error) => {
      broken = cause
    })
    throw error
  } finally {
    client.release(broken)
  }
}
