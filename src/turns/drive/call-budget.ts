import type { ModelRequest, ToolCall } from '../../agent/provider.ts'
import { promptTokens } from '../../agent/usage.ts'
import { creditsText } from '../../billing/credits.ts'
import { capName, findReachedCap } from '../../billing/key-spending.ts'
import { nextCallMicros, type Price } from '../../billing/pricing.ts'
import { type Database, withTx } from '../../db/client.ts'
import { retryTransient } from '../../db/retry.ts'
import type { RunJournal } from '../record/journal.ts'
import type { Run } from '../run/run.ts'
import type { EndReason, TurnStop } from '../run/turn-stop.ts'

/**
 * Extends the hold of a run before its calls, so that a charge is never more than the hold. Each method makes the
 * finished steps durable if it writes, and returns a notice that ends the turn if the credits, a spending cap or the turn's
 * maximum cost do not allow the calls; otherwise null. `step`: the last finished step.
 */
export class CallBudget {
  readonly #database: Database
  readonly #run: Run
  readonly #journal: RunJournal
  readonly #stop: TurnStop

  constructor(database: Database, run: Run, journal: RunJournal, stop: TurnStop) {
    this.#database = database
    this.#run = run
    this.#journal = journal
    this.#stop = stop
  }

  /** Before a model call. */
  async ofModelCall(step: number, request: ModelRequest, price: Price): Promise<string | null> {
    const { costMicros } = this.#journal
    const need = costMicros + nextCallMicros(price, promptTokens(request), request.sampling.maxTokens)
    return this.#cover(step, need, need > this.#run.maxMicros && costMicros > 0n)
  }

  /** Before tool calls. The hold of the model call counts four calls of tools without a price of their own. */
  async ofToolCalls(step: number, calls: readonly ToolCall[]): Promise<string | null> {
    const need = this.#journal.costMicros + this.#journal.priceOf(calls)
    return need <= this.#journal.holdMicros ? null : this.#cover(step, need, need > this.#run.maxMicros)
  }

  /** @param isAbove whether the need passes the turn's maximum cost. */
  async #cover(step: number, need: bigint, isAbove: boolean): Promise<string | null> {
    const { holdMicros } = this.#journal
    const { maxMicros } = this.#run
    const bounded = need < maxMicros ? need : maxMicros
    const missing = bounded > holdMicros && !isAbove ? bounded - holdMicros : 0n
    // The start has just checked key and credits.
    if (step === 0 && missing === 0n) return null
    const { isHeld, keyUsable } = await this.#journal.prepareCall(missing)
    if (keyUsable === false) {
      this.#stop.end('cancelled' satisfies EndReason)
      return null
    }
    if (isAbove) return `The turn reached its maximum cost of ${creditsText(maxMicros)} credits.`
    return isHeld ? null : holdRefusal(this.#database, this.#run, missing, this.#stop.turn)
  }
}

/**
 * Tells why the hold of a run could not grow by `micros` micro-credits: a spending cap of its API key, or the credits of
 * the account.
 */
export async function holdRefusal(
  database: Database,
  run: Pick<Run, 'accountId' | 'apiKeyId'>,
  micros: bigint,
  signal: AbortSignal,
): Promise<string> {
  const { accountId, apiKeyId: keyId } = run
  const find = () =>
    withTx(database, run, (tx) => findReachedCap(tx, { accountId, keyId: keyId ?? '', micros }))
  const cap = keyId === null ? undefined : await retryTransient(find, signal)
  if (cap) return `The turn reached ${capName(cap)} of its API key. Raise the cap, then ask again.`
  return 'The account has too few credits for another step. Add credits, then ask again.'
}
