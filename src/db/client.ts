import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { type AccountConnections, openAccountConnections } from './account-connections.ts'
import { databaseFault, isConnectionFault } from './errors.ts'
import { retryTransient } from './retry.ts'

/** Runs statements: a pool or an open transaction. It is the first parameter of every function that needs it. */
export type Executor = NodePgDatabase

/**
 * Whose rows a transaction may see. `system` sees every account; it is for key lookup, recovery and the command
 * line.
 */
export type Scope = { readonly accountId: string } | 'system'

export type Database = {
  /** Sees every account. For lookups that identify the caller, and for background work. */
  readonly system: Executor
  /** The connection URL. It contains the password, so use it only to connect. */
  readonly url: string
  readonly tenantPool: pg.Pool
  readonly systemPool: pg.Pool
  /** For the statements that admit and write turns. Their plans use indexes too. */
  readonly accountConnections: AccountConnections
  /**
   * For leases and other background work. Requests that use all other connections must not cost a turn its
   * lease.
   */
  readonly backgroundPool: pg.Pool
  /** For imports, whose connections may take long. */
  readonly importPool: pg.Pool
  close(): Promise<void>
}

export type DatabaseOptions = {
  readonly url: string
  /** Called if an idle connection fails. Without a listener such an error would end the process. */
  readonly onIdleError: (error: Error) => void
  readonly maxConnections?: number
}

/** A server that accepts connections but does not answer must not delay a request for long. */
const connectMs = 2_000
/** `begin` waits for no lock, so without an answer by then the connection is dead. */
const beginMs = 3_000
/**
 * Above the server's statement timeout. For connections to a dead host, which the kernel would keep for 15
 * minutes.
 */
const silenceMs = 20_000
/** An import waits this long for one connection: it is worth more than the wait. */
const importConnectMs = 30_000
/** An import tries to connect for so long. */
const importRetryMs = 60_000
/** A transaction that stores a work, one that writes the index, and one that records states. */
const importConnections = 3
/** Three attempts of this length fit into a lease. */
const backgroundMs = 5_000

const settings = {
  /** Time to wait for a free connection. */
  connectionTimeoutMillis: 5_000,
  idleTimeoutMillis: 30_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  statement_timeout: 15_000,
  lock_timeout: 3_000,
  idle_in_transaction_session_timeout: 10_000,
  application_name: 'meduyak',
} as const

/**
 * Plans that use indexes, for frequent statements that find their rows by index. A plan that was made while tables were
 * small would stay cached on its connection and become slow as they grow.
 */
const indexedPlans = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
} as const
const planEntries = Object.entries(indexedPlans)
const onConnection = planEntries.map(([name, value]) => `-c ${name}=${value}`).join(' ')
const inTransaction = planEntries.map(([name, value]) => `; set local ${name} = ${value}`).join('')

/** A pool would give its connections its own limit, which is for the wait for a free one. */
const clientWith = (connectionTimeoutMillis: number) =>
  class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionTimeoutMillis })
    }
  }

/**
 * Opens the pools of one database. Tenant connections see no tenant rows until `withTx` names an account.
 * System connections see every account.
 */
export function openDatabase({ url, onIdleError, maxConnections = 6 }: DatabaseOptions): Database {
  const Client = clientWith(connectMs)
  const open = (config: pg.PoolConfig) => {
    const pool = new pg.Pool({ ...settings, connectionString: url, Client, ...config })
    pool.on('error', onIdleError)
    // The pool listens only to idle connections. A lost connection in use also emits an error event, which would
    // end the process without this listener.
    return pool.on('connect', (client) => client.on('error', () => undefined))
  }
  const fewer = Math.max(2, Math.ceil((maxConnections * 2) / 3))
  // The thread that checks answers has one connection of its own instead.
  const lookUps = Math.max(1, fewer - 1)
  const pools = {
    tenantPool: open({ max: maxConnections }),
    systemPool: open({ max: lookUps, options: '-c app.account=*', query_timeout: silenceMs }),
    backgroundPool: open({ max: 2, options: onConnection }),
    importPool: open({
      max: importConnections,
      connectionTimeoutMillis: importConnectMs,
      Client: clientWith(importConnectMs),
    }),
  }
  const { connectionTimeoutMillis: _, ...config } = settings
  const accountConnections = openAccountConnections(
    {
      ...config,
      options: onConnection,
      query_timeout: silenceMs,
      connectionString: url,
      connectionTimeoutMillis: connectMs,
    },
    fewer,
  )
  return {
    system: drizzle({ client: pools.systemPool }),
    url,
    ...pools,
    accountConnections,
    async close() {
      await accountConnections.close()
      await Promise.all(Object.values(pools).map((pool) => pool.end()))
    },
  }
}

/**
 * Runs `work` in a transaction that sees only the rows of `scope`: row-level security backs up the WHERE
 * clauses. It commits when `work` resolves and rolls back when it throws. Never keep it open during a model
 * call.
 *
 * If the connection is lost during COMMIT, it throws although the transaction may have been committed; a caller
 * that retries must check first. A tenant transaction is cut off after 20 s; one in scope `system` has no
 * limit.
 * @param signal closes the connection when aborted. Waits fail immediately, and nothing is committed.
 */
export async function withTx<T>(
  database: Database,
  scope: Scope,
  work: (tx: Executor) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const account = scope === 'system' ? '*' : scope.accountId
  signal?.throwIfAborted()
  const client = await begin(database.tenantPool, account)
  const cut = () => void client.end()
  if (signal?.aborted) cut()
  signal?.addEventListener('abort', cut)
  try {
    return await finishOn(client, work, scope === 'system' ? undefined : silenceMs)
  } finally {
    signal?.removeEventListener('abort', cut)
  }
}

/** Like `withTx`, with plans that use indexes. */
export async function withIndexedTx<T>(
  database: Database,
  { accountId }: { readonly accountId: string },
  work: (tx: Executor) => Promise<T>,
): Promise<T> {
  return finishOn(await begin(database.tenantPool, accountId, { settings: inTransaction }), work, silenceMs)
}

/**
 * Runs a short transaction that sees every account, on connections that requests cannot use. It is cut off
 * after 5 s.
 */
export function withBackgroundTx<T>(database: Database, work: (tx: Executor) => Promise<T>): Promise<T> {
  return begin(database.backgroundPool, '*').then((client) => finishOn(client, work, backgroundMs))
}

/**
 * Like `withTx` in scope `system`, for imports: on a busy machine a connection may take seconds, and an import of
 * minutes must not fail for it. It waits 30 s for a connection, and repeats transient connection faults for 60 s.
 * `work` is never repeated.
 */
export async function withImportTx<T>(database: Database, work: (tx: Executor) => Promise<T>): Promise<T> {
  const connect = () => begin(database.importPool, '*', { answerMs: importConnectMs })
  const client = await retryTransient(connect, AbortSignal.timeout(importRetryMs))
  return finishOn(client, work, undefined)
}

/** Runs the work on a connection with an open transaction, ends the transaction and releases the connection. */
async function finishOn<T>(
  client: pg.PoolClient,
  work: (tx: Executor) => Promise<T>,
  timeoutMs: number | undefined,
): Promise<T> {
  const cut = timeoutMs === undefined ? undefined : setTimeout(() => void client.end(), timeoutMs)
  let broken = false
  try {
    const result = await work(drizzle({ client }))
    const { command } = await client.query('commit')
    // COMMIT answers ROLLBACK if a statement failed and its error was swallowed.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back: a statement of it had failed')
    return result
  } catch (error) {
    const fault = databaseFault(error)
    broken = fault !== undefined && isConnectionFault(fault)
    if (!broken)
      await client.query('rollback').catch(() => {
        broken = true
      })
    throw error
  } finally {
    clearTimeout(cut)
    client.release(broken)
  }
}

/**
 * Opens a transaction on a pooled connection. If the connection is dead, nothing has been sent yet, so others
 * are tried: after a failover all idle ones may be dead.
 */
async function begin(
  pool: pg.Pool,
  account: string,
  { answerMs = beginMs, settings = '' } = {},
): Promise<pg.PoolClient> {
  for (let attempt = 1; ; attempt += 1) {
    const client = await pool.connect()
    const cut = setTimeout(() => void client.end(), answerMs)
    try {
      // All statements in one round trip.
      await client.query(`begin; set local app.account = ${client.escapeLiteral(account)}${settings}`)
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
