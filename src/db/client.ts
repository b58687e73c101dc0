import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { type Call, CallBatches } from './call-batches.ts'
import { databaseFault, isConnectionFault } from './errors.ts'
import { ServerClock } from './server-clock.ts'
import { SharedConnections } from './shared-connections.ts'

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
  /** For the writes of turns: statements are sent without waiting for the answers to those before. */
  readonly turnPool: pg.Pool
  /** Of that pool, for calls that are transactions by themselves. */
  readonly turnCalls: SharedConnections
  readonly clock: ServerClock
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

/**
 * Statements of turns and leases look rows up by index, whatever the planner has seen of their tables: a plan made on tables
 * that were empty yet is kept by its connection while they grow, and one made for a table that the server believes to be
 * small compares the leases of thousands of runs each with each.
 */
const turnPlans =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off -c enable_hashjoin=off -c enable_mergejoin=off'

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
  const turnPool = openPool(
    {
      connectionString: url,
      max: Math.max(2, Math.ceil(maxConnections / 2)),
      pipeline: true,
      options: turnPlans,
      query_timeout: silenceMs,
    },
    onIdleError,
  )
  const backgroundPool = openPool({ connectionString: url, max: 2, options: turnPlans }, onIdleError)
  return {
    system: drizzle({ client: systemPool }),
    url,
    tenantPool,
    systemPool,
    turnPool,
    turnCalls: new SharedConnections(turnPool),
    clock: new ServerClock(),
    backgroundPool,
    async close() {
      await Promise.all([tenantPool, systemPool, turnPool, backgroundPool].map((pool) => pool.end()))
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
 * @param signal cuts its connection when it is aborted: what waits for the database fails at once, and nothing is committed.
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

/**
 * As `withTx`, in one round trip less: BEGIN travels together with what `work` sends first. For the path of every turn,
 * whose callers try a transaction again that has met a dead connection. `work` may send several statements at once;
 * those behind one that fails do nothing. `work` may send COMMIT itself, behind its last statement and without waiting
 * for the answer to that: then locks are held no longer than the server needs. It must not do so when what that
 * statement answers can be a reason to take something back.
 */
export async function withTurnTx<T>(
  database: Database,
  scope: Scope,
  work: (tx: Executor, sendCommit: () => void) => Promise<T>,
): Promise<T> {
  const client = await database.turnPool.connect()
  // `end` would wait for the answers that do not come; a timeout of the driver destroys the connection.
  const begin = { text: beginAs(client, scope === 'system' ? '*' : scope.accountId), query_timeout: beginMs }
  client.query(begin).catch(() => undefined)
  return finishOn(client, work, undefined)
}

/**
 * For calls of the database's own functions that name their account themselves (`migrations/0007_turn_functions.sql`):
 * each is a transaction of its own as far as can be told from here, in one round trip, see `CallBatches`. One that fails
 * without the server's word may have worked: who tries again has to look first.
 */
export function withTurnCalls<T>(
  database: Database,
  { accountId }: Exclude<Scope, 'system'>,
  work: (calls: Executor) => Promise<T>,
): Promise<T> {
  return database.turnCalls.use(accountId, (client) => work(callExecutorOn(client)))
}

/** A short transaction that sees every account, on connections that no request can take. Cut off after 5 s. */
export function withBackgroundTx<T>(database: Database, work: (tx: Executor) => Promise<T>): Promise<T> {
  return begin(database.backgroundPool, '*').then((client) => finishOn(client, work, backgroundMs))
}

/** Does the work on a connection whose transaction has been begun, ends it, and gives the connection back. */
async function finishOn<T>(
  client: pg.PoolClient,
  work: (tx: Executor, sendCommit: () => void) => Promise<T>,
  timeoutMs: number | undefined,
): Promise<T> {
  const cut = timeoutMs === undefined ? undefined : setTimeout(() => void client.end(), timeoutMs)
  let broken = false
  let committing: Promise<pg.QueryResult> | undefined
  const sendCommit = () => {
    committing ??= client.query('commit')
    // Its failure is seen below, or comes after one that says more.
    committing.catch(() => undefined)
  }
  try {
    const result = await work(executorOn(client), sendCommit)
    const { command } = await (committing ?? client.query('commit'))
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

const executors = new WeakMap<pg.PoolClient, Executor>()

/** Made once for each connection. */
function executorOn(client: pg.PoolClient): Executor {
  const known = executors.get(client)
  if (known) return known
  const executor = drizzle({ client })
  executors.set(client, executor)
  return executor
}

const callExecutors = new WeakMap<pg.PoolClient, Executor>()

/** On which calls may travel together; made once for each connection. */
function callExecutorOn(client: pg.PoolClient): Executor {
  const known = callExecutors.get(client)
  if (known) return known
  const batches = new CallBatches(client)
  const sender = {
    query: (query: Call | pg.QueryConfig, values?: unknown[]) =>
      isCall(query) ? batches.query(query) : client.query(query, values),
  }
  const executor = drizzle({ client: sender as unknown as pg.PoolClient })
  callExecutors.set(client, executor)
  return executor
}

/** As `statement` sends it; the query builder gives parameters beside the query. */
const isCall = (query: Call | pg.QueryConfig): query is Call =>
  query.name !== undefined && query.values !== undefined

/** One round trip for both statements. */
const beginAs = (client: pg.PoolClient, account: string) =>
  `begin; set local app.account = ${client.escapeLiteral(account)}`

/**
 * A connection with an open transaction. Nothing has been sent on a pooled connection that proves dead, so others are
 * tried: after a failover all that were idle may be.
 */
async function begin(pool: pg.Pool, account: string): Promise<pg.PoolClient> {
  for (let attempt = 1; ; attempt += 1) {
    const client = await pool.connect()
    const cut = setTimeout(() => void client.end(), beginMs)
    try {
      await client.query(beginAs(client, account))
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
