import type { LoopInput } from '../../agent/loop/loop-input.ts'
import { promptTokens } from '../../agent/usage.ts'
import { creditsText } from '../../billing/credits.ts'
import { capName, findReachedCap } from '../../billing/key-spending.ts'
import { nextCallMicros, type Price } from '../../billing/pricing.ts'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { retryTransient } from '../../db/retry.ts'
import type { RunJournal } from '../record/journal.ts'
import type { Run } from '../run/run.ts'
import type { TurnStop } from '../run/turn-stop.ts'

/**
 * The checks of the loop before its calls. They extend the hold of the run, so that a charge is never more than the hold.
 * Each makes the finished steps durable if it writes, and returns a notice that ends the turn if the credits, a spending cap
 * or the turn's maximum cost do not allow the calls; otherwise null.
 * @param step gives the last finished step.
 */
export function callBudget(
  database: Database,
  run: Run,
  journal: RunJournal,
  stop: TurnStop,
  price: Price,
  step: () => number,
): Pick<LoopInput<Executor>, 'budget' | 'toolBudget'> {
  /** @param isAbove whether the need passes the turn's maximum cost. */
  const cover = async (need: bigint, isAbove: boolean): Promise<string | null> => {
    const { holdMicros } = journal
    const { maxMicros } = run
    const bounded = need < maxMicros ? need : maxMicros
    const missing = bounded > holdMicros && !isAbove ? bounded - holdMicros : 0n
    // The start has just checked key and credits.
    if (step() === 0 && missing === 0n) return null
    const { isHeld, keyUsable } = await journal.prepareCall(missing)
    if (keyUsable === false) {
      stop.end('cancelled')
      return null
    }
    if (isAbove) return `The turn reached its maximum cost of ${creditsText(maxMicros)} credits.`
    return isHeld ? null : holdRefusal(database, run, missing, stop.turn)
  }
  return {
    async budget(request) {
      const { costMicros } = journal
      const need = costMicros + nextCallMicros(price, promptTokens(request), request.sampling.maxTokens)
      return cover(need, need > run.maxMicros && costMicros > 0n)
    },
    /** The hold of the model call counts four calls of tools without a price of their own. */
    async toolBudget(calls) {
      const need = journal.costMicros + journal.priceOf(calls)
      return need <= journal.holdMicros ? null : cover(need, need > run.maxMicros)
    },
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
