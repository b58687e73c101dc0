import type { ModelStep } from '../../agent/events.ts'
import type { ModelRequest } from '../../agent/provider.ts'
import { estimateTokens } from '../../agent/tokens.ts'
import { promptTokens } from '../../agent/usage.ts'

/** The model call that a turn ends in. */
export type OpenCall = {
  /** What came of it in this attempt; undefined when it was not sent. */
  readonly own: ModelStep | undefined
  /** Whether this attempt has shown something of it. */
  readonly shown: boolean
  /** What earlier attempts have shown of it, as it was committed. */
  readonly begun: string
}

/**
 * The step for which the account pays when its model call does not come to its end: the prompt, and the longest text that
 * an attempt at it said. Undefined when nothing is paid: a call that was never sent; and where the turn has failed, which is
 * not its client's doing, one of which nothing was shown.
 * @param request what the call was asked, when an earlier attempt made it; undefined where our own faults ended it.
 */
export function chargedCall(
  { own, shown, begun }: OpenCall,
  status: 'cancelled' | 'failed',
  request: () => ModelRequest | undefined,
): ModelStep | undefined {
  const isDue = begun !== '' || (own && (shown || status === 'cancelled'))
  if (!isDue) return undefined
  if (own && begun === '') return own
  const asked = own ? undefined : request()
  const prompt = own?.usage.promptTokens ?? (asked ? promptTokens(asked) : 0)
  const said = own?.usage.completionTokens ?? 0
  const saidBefore = estimateTokens(begun)
  return {
    kind: 'model',
    text: own && said >= saidBefore ? own.text : begun,
    toolCalls: [],
    reason: 'length',
    usage: { promptTokens: prompt, completionTokens: Math.max(said, saidBefore), estimated: true },
    unfinished: true,
  }
}
