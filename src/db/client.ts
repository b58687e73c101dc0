import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { databaseFault, isConnectionFault } from './errors.ts'

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
  /** For what keeps runs owned: requests that take all other connections must not cost a turn its lease. */
  readonly backgroundPool: pg.Pool
  close(): Promise<void>
}

export type DatabaseOptions = {
  readonly url: string
  /** Called for an idle connection that fails; without a listener such an error would end the process. */
  readonly onIdleError: (error: Error) => void
  readonly maxConnections?: number
}

/** A server that takes connections and does not answer must not hold a request up for long. */
const connectMs = 2_000
/** `begin` waits for nothing: no answer by then means that the connection is dead. */
const beginMs = 3_000
/**
 * Above the server's own limit of a statement, for connections that lead to a host which is gone: the kernel would
 * wait for it for a quarter of an hour.
 */
const silenceMs = 20_000
/** Three attempts of this fit into a lease. */
const backgroundMs = 5_000

const settings = {
  /** For a free connection when all are in use. */
  connectionTimeoutMillis: 5_000,
  idleTimeoutMillis: 30_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  statement_timeout: 15_000,
  lock_timeout: 3_000,
  idle_in_transaction_session_timeout: 10_000,
  application_name: 'agent-chat-service',
} as const

class PooledClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: connectMs })
  }
}

function openPool(config: pg.PoolConfig, onIdleError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({ ...settings, ...config, Client: PooledClient })
  pool.on('error', onIdleError)
  // The pool listens to idle connections only. One that is lost while in use reports it to its statement as well;
  // without a listener of its own, that second report would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/**
 * Opens the pools on one database. Connections of the tenant pool see no tenant row until `withTx` names an account;
 * those of the system pool carry the wildcard from the start.
 */
export function openDatabase({ url, onIdleError, maxConnections = 16 }: DatabaseOptions): Database {
  const tenantPool = openPool({ connectionString: url, max: maxConnections }, onIdleError)
  const systemPool = openPool(
    {
      connectionString: url,
      max: Math.max(2, Math.ceil(maxConnections / 2)),
      options: '-c app.account=*',
      query_timeout: silenceMs,
    },
    onIdleError,
  )
  const backgroundPool = openPool({ connectionString: url, max: 2 }, onIdleError)
  return {
    system: drizzle({ client: systemPool }),
    url,
    tenantPool,
    systemPool,
    backgroundPool,
    async close() {
      await Promise.all([tenantPool.end(), systemPool.end(), backgroundPool.end()])
    },
  }
}

/**
 * Runs `work` in one transaction that sees only the rows of `scope` (row-level security, second wall behind the
 * WHERE clauses). Commits when `work` resolves, rolls back when it throws. Never hold one across a model call.
 *
 * When the connection is lost while COMMIT is under way, it throws like any other failure although the transaction may
 * have been committed: who tries again has to look first.
 * A transaction of an account is cut off after 20 s; work on the library, in scope `system`, may take any time.
 */
export function withTx<T>(database: Database, scope: Scope, work: (tx: Executor) => Promise<T>): Promise<T> {
  return scope === 'system'
    ? inTransaction(database.tenantPool, '*', work, undefined)
    : inTransaction(database.tenantPool, scope.accountId, work, silenceMs)
}

/** A short transaction that sees every account, on connections that no request can take. Cut off after 5 s. */
export function withBackgroundTx<T>(database: Database, work: (tx: Executor) => Promise<T>): Promise<T> {
  return inTransaction(database.backgroundPool, '*', work, backgroundMs)
}

async function inTransaction<T>(
  pool: pg.Pool,
  account: string,
  work: (tx: Executor) => Promise<T>,
  timeoutMs: number | undefined,
): Promise<T> {
  const client = await begin(pool, account)
  const cut = timeoutMs === undefined ? undefined : setTimeout(() => void client.end(), timeoutMs)
  let broken = false
  try {
    const result = await work(drizzle({ client }))
    const { command } = await client.query('commit')
    // What a COMMIT comes to after a failed statement whose error was swallowed.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back: a statement of it had failed')
    return result
  } catch (error) {
    const fault = databaseFault(error)
    broken = (fault !== undefined && isConnectionFault(fault)) || !(await rollBack(client))
    throw error
  } finally {
    clearTimeout(cut)
    client.release(broken)
  }
}

/**
 * A connection with an open transaction. Nothing has been sent on a pooled connection that proves dead, so others are
 * tried: after a failover all that were idle may be.
 */
async function begin(pool: pg.Pool, account: string): Promise<pg.PoolClient> {
  for (let attempt = 1; ; attempt += 1) {
    const client = await pool.connect()
    const cut = setTimeout(() => void client.end(), beginMs)
    try {
      // One round trip for both statements.
      await client.query(`begin; set local app.account = ${client.escapeLiteral(account)}`)
      return client
    } catch (error) {
      client.release(true)
      const fault = databaseFault(error)
      if (attempt === 3 || !fault || !isConnectionFault(fault)) throw error
    } finally {
      clearTimeout(cut)
    }
  }
}

async function rollBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('rollback')
    return true
  } catch {
    return false
  }
}
