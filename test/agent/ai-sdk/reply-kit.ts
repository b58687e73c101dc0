import type { Finish, ModelMessage, ModelRequest, Provider } from '../../../src/agent/provider.ts'
import { ask, run } from '../openai/provider-kit.ts'

/** A question with one tool. */
export const asking: ModelRequest = {
  ...ask,
  messages: [{ role: 'system', content: 'Be brief.' }, ...ask.messages],
  tools: [
    { name: 'search_sources', description: 'Searches.', parameters: { type: 'object', properties: {} } },
  ],
}

/** The end of a call that must succeed. */
export async function finished(provider: Provider, request: ModelRequest = asking): Promise<Finish> {
  const { last } = await run(provider, request)
  if (last.type !== 'finish') throw new Error(JSON.stringify(last))
  return last
}

/** The question, this reply as the loop stores it with ids of ours, and results of its calls. */
export function afterTools(end: Finish, content = ''): ModelRequest {
  const toolCalls = end.toolCalls.map((call, index) => ({ ...call, id: `our-${index}` }))
  const callIds = toolCalls.map(({ id }) => id)
  const attached = end.attached && { attached: { ...end.attached, callIds } }
  const reply: ModelMessage = { role: 'assistant', content, toolCalls, ...attached }
  return { ...asking, messages: [...asking.messages, reply, ...resultsOf(callIds)] }
}

/** The question, and calls that this upstream did not make, with their results. */
export function afterForeignCalls(...ids: readonly string[]): ModelRequest {
  const toolCalls = ids.map((id) => ({ id, name: 'search_sources', arguments: '{"query":"x"}' }))
  const reply: ModelMessage = { role: 'assistant', content: '', toolCalls }
  return { ...asking, messages: [...asking.messages, reply, ...resultsOf(ids)] }
}

const resultsOf = (ids: readonly string[]): readonly ModelMessage[] =>
  ids.map((callId) => ({ role: 'tool', callId, content: '[]' }))
