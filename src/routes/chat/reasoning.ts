import type { RunEnd } from '../../turns/run/run-events.ts'
import type { ChatBody } from '../turn-request/chat-body.ts'
import type { ServiceOptions } from '../turn-request/options.ts'

/** The members of a delta in which interfaces look for reasoning. Each interface reads one of them, or either. */
export type ReasoningField = 'reasoning_content' | 'reasoning'

/**
 * The member that reports the work of the agent, if the request wants it: `reasoning_content` for our own option,
 * `reasoning` for the fields of OpenRouter.
 */
export function reasoningField(
  body: ChatBody,
  { reasoning: own }: Pick<ServiceOptions, 'reasoning'>,
): ReasoningField | undefined {
  if (own !== undefined) return own ? 'reasoning_content' : undefined
  const { include_reasoning: included, reasoning } = body
  if (included === false) return undefined
  return included === true || wantsReasoning(reasoning) ? 'reasoning' : undefined
}

function wantsReasoning(sent: unknown): boolean {
  if (typeof sent !== 'object' || sent === null) return false
  const { enabled, effort, max_tokens: tokens, exclude } = sent as Readonly<Record<string, unknown>>
  if (exclude === true || enabled === false) return false
  return enabled === true || (typeof effort === 'string' && effort !== 'none') || typeof tokens === 'number'
}

/** The member of a whole reply: what the deltas of a stream say. Empty if the turn used no tool. */
export function reasoningMember(
  { tools_used: tools = [] }: RunEnd,
  field: ReasoningField,
): Partial<Record<ReasoningField, string>> {
  return tools.length === 0 ? {} : { [field]: tools.map(({ title }) => `${title}\n`).join('') }
}
