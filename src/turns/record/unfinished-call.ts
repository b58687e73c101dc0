import type { ModelStep } from '../../agent/events.ts'
import type { ModelRequest } from '../../agent/provider.ts'
import { estimateTokens } from '../../agent/tokens.ts'
import { promptTokens } from '../../agent/usage.ts'

/** The model call during which a turn ends. */
export type UnfinishedCall = {
  /** Its result in this attempt. Undefined if the call was not sent. */
  readonly own: ModelStep | undefined
  /** The part of it that the model finished, and that our checks refused. */
  readonly refused?: ModelStep | undefined
  /** Whether this attempt showed any of its text. */
  readonly shown: boolean
  /** Text of the call that earlier attempts showed, as committed. */
  readonly partialText: string
}

/**
 * The step that the account pays if a model call does not finish: the prompt, and the longest text that any
 * attempt produced. A reply that the model finished is paid, whatever our checks say about it. Undefined if nothing is
 * charged: the call was never sent, or its server failed before any of its text was shown.
 * @param request returns the call's request if an earlier attempt sent it; undefined if the failure is ours.
 */
export function chargedCall(
  { own, refused, shown, partialText }: UnfinishedCall,
  status: 'cancelled' | 'failed',
  request: () => ModelRequest | undefined,
): ModelStep | undefined {
  const isDue = partialText !== '' || (own && (shown || status === 'cancelled'))
  if (!isDue) return refused && { ...refused, toolCalls: [], reason: 'length', unfinished: true }
  if (own && partialText === '') return own
  const asked = own ? undefined : request()
  const prompt = own?.usage.promptTokens ?? (asked ? promptTokens(asked) : 0)
  const said = own?.usage.completionTokens ?? 0
  const saidBefore = estimateTokens(partialText)
  return {
    kind: 'model',
    text: own && said >= saidBefore ? own.text : partialText,
    toolCalls: [],
    reason: 'length',
    usage: { promptTokens: prompt, completionTokens: Math.max(said, saidBefore), estimated: true },
    unfinished: true,
  }
}
