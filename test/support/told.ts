import { agentPrompt } from '../../src/agent/prompts/prompts.ts'
import type { UpstreamBody } from './upstream-scripts.ts'

const ownLength = agentPrompt().text.length

/**
 * Roles and texts of what a model was told, without the service's own prompt. The conversation's system messages follow
 * that prompt in the one system message.
 */
export function toldIn(body: UpstreamBody | undefined): readonly (readonly [string, unknown])[] {
  const [first, ...rest] = body?.messages ?? []
  const given = String(first?.content).slice(ownLength).trim()
  const system = given === '' ? [] : [['system', given] as const]
  return [...system, ...rest.map(({ role, content }) => [role, content] as const)]
}

/** Whether each reply's calls are followed by their results, in order and by the same ids, and no id is used twice. */
export function resultsFollowCalls(body: UpstreamBody | undefined): boolean {
  const messages = body?.messages ?? []
  const asked = messages.flatMap(({ tool_calls: calls = [] }, at) => {
    const results = messages.slice(at + 1, at + 1 + calls.length)
    return calls.map(({ id }, i) => ({ id, isAnswered: results[i]?.tool_call_id === id }))
  })
  const results = messages.filter(({ role }) => role === 'tool')
  const ids = new Set(asked.map(({ id }) => id))
  return (
    asked.length > 0 &&
    asked.every(({ isAnswered }) => isAnswered) &&
    results.length === asked.length &&
    ids.size === asked.length
  )
}
