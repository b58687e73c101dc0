import type pg from 'pg'
import { databaseFault, isConnectionFault } from './errors.ts'

type Shared = {
  readonly client: Promise<pg.PoolClient>
  readonly since: number
  users: number
  broken: boolean
}

/** Maximum time in milliseconds that one key keeps a connection while others wait for one. */
const longestMs = 50

/**
 * Connections for calls that are their own transactions. Simultaneous calls of one key share a connection. An
 * account's turns wait for its row locks anyway, so sharing keeps few connections waiting for locks of this
 * process.
 */
export class SharedConnections {
  readonly #pool: pg.Pool
  readonly #shared = new Map<string, Shared>()

  /** @param pool connections in pipeline mode. */
  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** Passes the connection to `work`, which may send any number of calls. None of them may begin a transaction. */
  async use<T>(key: string, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const shared = this.#find(key) ?? this.#open(key)
    shared.users += 1
    try {
      return await work(await shared.client)
    } catch (error) {
      const fault = databaseFault(error)
      if (fault && isConnectionFault(fault)) {
        shared.broken = true
        this.#forget(key, shared)
      }
      throw error
    } finally {
      shared.users -= 1
      if (shared.users === 0) {
        this.#forget(key, shared)
        shared.client.then(
          (client) => client.release(shared.broken),
          () => undefined,
        )
      }
    }
  }

  /** Keys whose calls always overlap would otherwise keep their connections forever. */
  #find(key: string): Shared | undefined {
    const shared = this.#shared.get(key)
    const isDue = this.#pool.waitingCount > 0 && shared && performance.now() - shared.since > longestMs
    return isDue ? undefined : shared
  }

  #open(key: string): Shared {
    const shared = { client: this.#pool.connect(), since: performance.now(), users: 0, broken: false }
    this.#shared.set(key, shared)
    return shared
  }

  #forget(key: string, shared: Shared): void {
    if (this.#shared.get(key) === shared) this.#shared.delete(key)
  }
}
