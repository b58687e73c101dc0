import pg from 'pg'
import { databaseFault, isConnectionFault } from './errors.ts'

/** A call of one of the database's functions, whose first parameter is the account. */
export type Call = {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
  readonly query_timeout?: number
  /** It looks at the clock, and must be committed soon after that: it goes behind those that do not. */
  readonly timed?: boolean
}

type Waiting = {
  readonly call: Call
  readonly resolve: (result: pg.QueryResult) => void
  readonly reject: (error: unknown) => void
}

/** The server does one batch while the next is on its way to it. */
const underWay = 2
/** Locks are held until the last one is done. */
const maxCalls = 32
/**
 * Of the parameters of a batch: it has to fit into the buffer of a socket. A process that is stopped when half of it has
 * been sent would keep what that half has locked.
 */
const maxCharacters = 32 * 1024

/**
 * Calls of one account on one connection, each a transaction by itself as far as its caller can tell. Those that come while
 * the server is busy travel together, as one transaction with one wait for the disk. When one of them fails nothing of the
 * others has been written either, and each is made again, alone.
 *
 * A batch first locks the account's row and its pools, which all calls of an account lock, and waits for no lock longer than a
 * tenth of a second: what else it meets, it gives way to, and its calls are made alone.
 */
export class CallBatches {
  readonly #client: pg.PoolClient
  /** Statements that the server knows on this connection: one that fails to be parsed must not fail others. */
  readonly #known = new Set<string>()
  #waiting: Waiting[] = []
  #underWay = 0

  /** @param client may have several statements under way. */
  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  /** @throws what the database says of this call; of a lost connection, whatever became of the call. */
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

  /** The calls that travel next: as many as fit, and one that is new on the connection alone. */
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
    return [...next.filter(({ call }) => !call.timed), ...next.filter(({ call }) => call.timed)]
  }

  /** Never throws: each caller is told. */
  async #make(batch: readonly Waiting[]): Promise<void> {
    if (batch.length > 1 && (await this.#together(batch))) return
    await Promise.all(batch.map((one) => this.#alone(one)))
  }

  /** @returns false when none has worked and each may be made again. */
  async #together(batch: readonly Waiting[]): Promise<boolean> {
    try {
      const calls = batch.map(({ call }) => call)
      const opening = openingOf(calls)
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

function lengthOf({ values }: Call): number {
  return values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0)
}

function openingOf([first]: readonly Call[]): Call {
  const { values = [], query_timeout = 0 } = first ?? {}
  return { name: 'open_calls', text: 'select open_calls($1)', values: values.slice(0, 1), query_timeout }
}

type Sender = { readonly sync: () => void }

/**
 * Statements that the server knows already, before one Sync: it takes them as one transaction, and its answers count when it
 * is ready for the next (https://www.postgresql.org/docs/17/protocol-flow.html#PROTOCOL-FLOW-PIPELINING).
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
        // Each would send a Sync of its own.
        const unsynced = Object.create(connection, { sync: { value: () => undefined } })
        connection.stream.cork()
        try {
          for (const call of calls) new pg.Query({ ...call, values: [...call.values] }).submit(unsynced)
          ;(connection as unknown as Sender).sync()
        } catch (error) {
          // Half of them may be on their way: without a Sync the server would wait for the rest.
          connection.stream.destroy(error as Error)
        } finally {
          connection.stream.uncork()
        }
      },
    })
    client.query(batch)
  })
}
