import { databaseFault, isConnectionFault } from '../../db/errors.ts'
import type { OnSend } from './turn-calls.ts'

/** Runs the calls in one transaction, in order. Returns an answer for each. */
export type SendCalls<Call> = (accountId: string, calls: readonly Call[]) => Promise<readonly unknown[]>

/** A connection on which several batches may be under way. The server makes them one after the other. */
export type BatchConnection<Call> = {
  readonly send: SendCalls<Call>
  /** @param isBroken whether nobody may use the connection again. */
  release(isBroken: boolean): void
}

export type BatchConnections<Call> = {
  connect(): Promise<BatchConnection<Call>>
  /** Whether others wait for a connection. */
  isAwaited(): boolean
}

type Waiting<Call> = {
  readonly call: Call
  readonly onSend: OnSend | undefined
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

/** A batch holds its locks until its last call is done. */
const maxCalls = 32

/**
 * Characters of a batch's texts. A batch fits into the buffer of a socket: a process that is stopped while it sends one
 * would keep the locks of the calls that the server has already made.
 */
const maxCharacters = 32 * 1024

/**
 * While the server makes one batch, the next ones are on their way, so that the server does not wait for this process.
 * More would be smaller batches, and each costs a transaction. Decision 79 has the figures.
 */
const maxUnderWay = 3

/**
 * Sends the calls of each account in batches on one connection. Calls that arrive while three batches are under way form
 * the next one: one statement, one transaction and one disk flush. All calls of an account lock its row, so a second
 * connection would only wait. If a call of a batch fails, none is written, and each is repeated alone.
 */
export class AccountBatches<Call extends object> {
  readonly #connections: BatchConnections<Call>
  readonly #open = new Map<string, AccountCalls<Call>>()

  constructor(connections: BatchConnections<Call>) {
    this.#connections = connections
  }

  /**
   * Sends a call. To the caller it is its own transaction.
   * @throws the database's error for this call. After a lost connection the call may have succeeded.
   */
  call(accountId: string, call: Call, onSend?: OnSend): Promise<unknown> {
    const onEnd = () => this.#open.delete(accountId)
    const calls = this.#open.get(accountId) ?? new AccountCalls(accountId, this.#connections, onEnd)
    this.#open.set(accountId, calls)
    return calls.add(call, onSend)
  }
}

/** The calls of one account, in batches on one connection, until none is left. */
class AccountCalls<Call extends object> {
  readonly #accountId: string
  readonly #connections: BatchConnections<Call>
  readonly #onEnd: () => void
  readonly #waiting: Waiting<Call>[] = []
  #underWay = 0
  #connection: BatchConnection<Call> | undefined
  #isBroken = false

  /** @param onEnd called when no call is left. No call may be added after it. */
  constructor(accountId: string, connections: BatchConnections<Call>, onEnd: () => void) {
    this.#accountId = accountId
    this.#connections = connections
    this.#onEnd = onEnd
    void this.#connect()
  }

  add(call: Call, onSend?: OnSend): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.push({ call, onSend, resolve, reject })
    if (this.#connection) void this.#drain(this.#connection)
    return promise
  }

  /** Never throws: each caller gets its own error. */
  async #connect(): Promise<void> {
    try {
      this.#connection = await this.#connections.connect()
    } catch (error) {
      this.#onEnd()
      for (const { reject } of this.#waiting.splice(0)) reject(error)
      return
    }
    this.#isBroken = false
    await this.#drain(this.#connection)
  }

  /** Sends batches, one at a time, until no call waits or the connection must be given up. */
  async #drain(connection: BatchConnection<Call>): Promise<void> {
    if (this.#underWay >= maxUnderWay || (this.#underWay > 0 && this.#mustGiveUp)) return
    this.#underWay += 1
    do await this.#sendBatch(connection)
    while (this.#waiting.length > 0 && !this.#mustGiveUp)
    this.#underWay -= 1
    if (this.#underWay === 0) this.#giveUp(connection)
  }

  /** Calls that come from then on wait for the next connection. */
  get #mustGiveUp(): boolean {
    return this.#isBroken || this.#connections.isAwaited()
  }

  #giveUp(connection: BatchConnection<Call>): void {
    this.#connection = undefined
    connection.release(this.#isBroken)
    if (this.#waiting.length === 0) this.#onEnd()
    else void this.#connect()
  }

  async #sendBatch(connection: BatchConnection<Call>): Promise<void> {
    const next = this.#waiting.splice(0, this.#fitting())
    const [ready, timed] = [next.filter(({ onSend }) => !onSend), next.filter(({ onSend }) => onSend)]
    const batch = timed.length > 0 ? [...ready, ...(await readyToSend(timed))] : ready
    const isDone = await this.#together(connection, batch)
    if (!isDone) for (const one of batch) await this.#together(connection, await readyToSend([one]))
  }

  /** How many of the waiting calls fit into one batch. */
  #fitting(): number {
    let characters = 0
    const over = this.#waiting.findIndex(({ call }, index) => {
      characters += charactersOf(call)
      return index === maxCalls || (index > 0 && characters > maxCharacters)
    })
    return over < 0 ? this.#waiting.length : over
  }

  /** @returns false if no call succeeded and each may be repeated. */
  async #together(connection: BatchConnection<Call>, batch: readonly Waiting<Call>[]): Promise<boolean> {
    if (batch.length === 0) return true
    try {
      const calls = batch.map(({ call }) => call)
      const answers = await connection.send(this.#accountId, calls)
      for (const [i, { resolve }] of batch.entries()) resolve(answers[i])
    } catch (error) {
      const fault = databaseFault(error)
      if (!fault || isConnectionFault(fault)) this.#isBroken = true
      else if (batch.length > 1) return false
      for (const { reject } of batch) reject(error)
    }
    return true
  }
}

/** The calls with their values of this moment, without those that must not be sent any more. */
async function readyToSend<Call>(calls: readonly Waiting<Call>[]): Promise<readonly Waiting<Call>[]> {
  const ready = calls.map(async (one) => {
    try {
      return one.onSend ? [{ ...one, call: { ...one.call, ...(await one.onSend()) } }] : [one]
    } catch (error) {
      one.reject(error)
      return []
    }
  })
  return (await Promise.all(ready)).flat()
}

/** Long values are texts, also those that are JSON. */
function charactersOf(call: object): number {
  return Object.values(call).reduce<number>(
    (sum, value) => (typeof value === 'string' ? sum + value.length : sum),
    0,
  )
}
