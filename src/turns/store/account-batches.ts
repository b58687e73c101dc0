import { databaseFault, isConnectionFault } from '../../db/errors.ts'
import type { OnSend } from './turn-calls.ts'

/** Runs the calls in one transaction, in order. Returns an answer for each. */
export type SendCalls<Call> = (accountId: string, calls: readonly Call[]) => Promise<readonly unknown[]>

type Waiting<Call> = {
  readonly call: Call
  readonly onSend: OnSend | undefined
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

/** A batch holds its locks until its last call is done. */
const maxCalls = 32

/**
 * Sends the calls of each account one batch at a time. Calls that arrive meanwhile form the next batch: one
 * statement, one transaction and one disk flush. All calls of an account lock its row, so a second connection
 * would only wait. If a call of a batch fails, none is written, and each is repeated alone.
 */
export class AccountBatches<Call extends object> {
  readonly #send: SendCalls<Call>
  /** Calls that wait, of the accounts that have a batch under way. */
  readonly #waiting = new Map<string, Waiting<Call>[]>()

  constructor(send: SendCalls<Call>) {
    this.#send = send
  }

  /**
   * Sends a call. To the caller it is its own transaction.
   * @throws the database's error for this call. After a lost connection the call may have succeeded.
   */
  call(accountId: string, call: Call, onSend?: OnSend): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const waiting = this.#waiting.get(accountId)
    const one = { call, onSend, resolve, reject }
    if (waiting) waiting.push(one)
    else {
      this.#waiting.set(accountId, [one])
      void this.#drain(accountId)
    }
    return promise
  }

  /** Never throws: each caller gets its own result. */
  async #drain(accountId: string): Promise<void> {
    const waiting = this.#waiting.get(accountId) ?? []
    while (waiting.length > 0) {
      const next = waiting.splice(0, maxCalls)
      const [ready, timed] = [next.filter(({ onSend }) => !onSend), next.filter(({ onSend }) => onSend)]
      const batch = timed.length > 0 ? [...ready, ...(await readyToSend(timed))] : ready
      const isDone = await this.#together(accountId, batch)
      if (!isDone) for (const one of batch) await this.#together(accountId, await readyToSend([one]))
    }
    this.#waiting.delete(accountId)
  }

  /** @returns false if no call succeeded and each may be repeated. */
  async #together(accountId: string, batch: readonly Waiting<Call>[]): Promise<boolean> {
    if (batch.length === 0) return true
    try {
      const calls = batch.map(({ call }) => call)
      const answers = await this.#send(accountId, calls)
      for (const [i, { resolve }] of batch.entries()) resolve(answers[i])
    } catch (error) {
      const fault = databaseFault(error)
      if (batch.length > 1 && fault && !isConnectionFault(fault)) return false
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
