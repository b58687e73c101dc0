import type pg from 'pg'
import { databaseFault, isConnectionFault } from './errors.ts'

type Shared = {
  readonly client: Promise<pg.PoolClient>
  readonly since: number
  users: number
  broken: boolean
}

/** A connection is kept for one key no longer than this while others wait for one. */
const longestMs = 50

/**
 * Calls that are transactions by themselves: those of one key travel on one connection as long as any of them is under way.
 * An account's turns meet at its rows in any case; so hardly any connection waits for a lock that another one of this process
 * has.
 */
export class SharedConnections {
  readonly #pool: pg.Pool
  readonly #shared = new Map<string, Shared>()

  /** @param pool of connections that may have several statements under way. */
  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** Gives `work` the connection. It may send any number of calls; none of them may begin a transaction. */
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

  /** Keys whose calls always overlap would else keep their connections for ever. */
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
