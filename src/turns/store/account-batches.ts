import { AccountCalls, type BatchConnections } from './account-calls.ts'
import type { OnSend } from './turn-calls.ts'

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
