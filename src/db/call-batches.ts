import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import pg from 'pg'
import { databaseFault, isConnectionFault } from './errors.ts'

/** A call of a database function whose first parameter is the account. */
export type Call = {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
  readonly query_timeout?: number
  /**
   * For a call that depends on the clock and on a client's connection. It returns the values when the call is sent,
   * after the event loop has read its sockets; if it throws, the call fails with that and is not sent. The call comes
   * last in its batch, because it must commit soon.
   */
  readonly onSend?: () => readonly unknown[]
}

type Waiting = {
  readonly call: Call
  readonly resolve: (result: pg.QueryResult) => void
  readonly reject: (error: unknown) => void
}

/** Batches in progress: the server executes one while the next is being sent. */
const underWay = 2
/** A batch holds its locks until its last call is done. */
const maxCalls = 32
/**
 * Maximum characters of a batch's parameters, so that it fits a socket buffer. A process that stops halfway
 * through sending would otherwise keep the locks of the first half.
 */
const maxCharacters = 32 * 1024

/**
 * Sends the calls of one account on one connection. To the caller each call is its own transaction. Calls that
 * arrive while the server is busy form one batch: one transaction with one disk flush. If one of them fails,
 * none is written, and each is repeated alone.
 *
 * A batch first locks the account's row and its pools, which all calls of an account lock. It waits at most a
 * tenth of a second for any other lock; then its calls are repeated alone.
 */
export class CallBatches {
  readonly #client: pg.PoolClient
  /**
   * Names of statements that are prepared on this connection. A new statement is sent alone, so that a parse
   * error fails no other call.
   */
  readonly #known = new Set<string>()
  #waiting: Waiting[] = []
  #underWay = 0

  /** @param client a connection in pipeline mode. */
  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  /**
   * Sends a call.
   * @throws the database's error for this call. After a lost connection the call may have succeeded.
   */
  query(call: Call): Promise<pg.QueryResult> {
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
    this.#waiting.push({ call, resolve, reject })
    this.#send()
    return promise
  }

  #send(): void {
    while (this.#underWay < underWay && this.#waiting.length > 0) {
      this.#underWay += 1
      void this.#make(this.#next()).finally(() => {
        this.#underWay -= 1
        this.#send()
      })
    }
  }

  /** The next batch: as many calls as fit. A statement that is new on this connection goes alone. */
  #next(): readonly Waiting[] {
    let [count, characters] = [0, 0]
    for (const { call } of this.#waiting) {
      characters += lengthOf(call)
      const isNew = !this.#known.has(call.name)
      if (count > 0 && (isNew || count === maxCalls || characters > maxCharacters)) break
      count += 1
      if (isNew) break
    }
    const next = this.#waiting.splice(0, count)
    return [...next.filter(({ call }) => !call.onSend), ...next.filter(({ call }) => call.onSend)]
  }

  /** Never throws: each caller gets its own result. */
  async #make(taken: readonly Waiting[]): Promise<void> {
    const batch = taken.some(({ call }) => call.onSend) ? await readyToSend(taken) : taken
    if (batch.length > 1 && (await this.#together(batch))) return
    await Promise.all(batch.map((one) => this.#alone(one)))
  }

  /** @returns false if no call succeeded and each may be repeated. */
  async #together(batch: readonly Waiting[]): Promise<boolean> {
    try {
      const calls = batch.map(({ call }) => call)
      const opening = lockAccountAndPools(calls)
      if (!this.#known.has(opening.name)) await this.#query(opening)
      const [, ...results] = await sendTogether(this.#client, [opening, ...calls])
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as pg.QueryResult)
    } catch (error) {
      const fault = databaseFault(error)
      if (fault && !isConnectionFault(fault)) return false
      for (const { reject } of batch) reject(error)
    }
    return true
  }

  async #alone({ call, resolve, reject }: Waiting): Promise<void> {
    try {
      resolve(await this.#query(call))
    } catch (error) {
      reject(error)
    }
  }

  async #query(call: Call): Promise<pg.QueryResult> {
    const result = await this.#client.query({ ...call, values: [...call.values] })
    this.#known.add(call.name)
    return result
  }
}

/** The batch with the values of this moment, without the calls that must not be sent any more. */
async function readyToSend(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
  await afterPendingReads()
  return batch.flatMap((one) => {
    const { onSend } = one.call
    if (!onSend) return [one]
    try {
      return [{ ...one, call: { ...one.call, values: onSend() } }]
    } catch (error) {
      one.reject(error)
      return []
    }
  })
}

/**
 * Resolves when the event loop has read its sockets. After a freeze it may read a request first, and another
 * client's disconnect only in its next turn.
 */
export async function afterPendingReads(): Promise<void> {
  await turnOfTheLoop()
  await turnOfTheLoop()
}

function lengthOf({ values }: Call): number {
  return values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0)
}

function lockAccountAndPools([first]: readonly Call[]): Call {
  const { values = [], query_timeout = 0 } = first ?? {}
  return { name: 'open_calls', text: 'select open_calls($1)', values: values.slice(0, 1), query_timeout }
}

type Sender = { readonly sync: () => void }

/**
 * Sends prepared statements before a single Sync, which makes them one transaction. The results are valid when
 * the server reports ReadyForQuery
 * (https://www.postgresql.org/docs/17/protocol-flow.html#PROTOCOL-FLOW-PIPELINING).
 */
function sendTogether(client: pg.PoolClient, calls: readonly Call[]): Promise<readonly pg.QueryResult[]> {
  return new Promise((resolve, reject) => {
    const batch = Object.assign(new pg.Query({ text: '' }), {
      query_timeout: calls.at(-1)?.query_timeout,
      callback(error: unknown, results: pg.QueryResult[]) {
        if (error) reject(error)
        else if (results.length === calls.length) resolve(results)
        else reject(new Error(`${results.length} answers to ${calls.length} calls`))
      },
      submit(connection: pg.Connection) {
        // Each query would otherwise send its own Sync.
        const unsynced = Object.create(connection, { sync: { value: () => undefined } })
        connection.stream.cork()
        try {
          for (const call of calls) new pg.Query({ ...call, values: [...call.values] }).submit(unsynced)
          ;(connection as unknown as Sender).sync()
        } catch (error) {
          // Some calls may have been sent. Without a Sync the server would wait for more, so the connection is
          // destroyed.
          connection.stream.destroy(error as Error)
        } finally {
          connection.stream.uncork()
        }
      },
    })
    client.query(batch)
  })
}
