import { isPlanned } from './plan.ts'
import { type Body, type Call, type Issued, type Question, sse } from './provider.ts'

/** What the servers have in common that speak OpenAI's chat completions. */

const contentText = (content: Body): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).map((part: Body) => (typeof part.text === 'string' ? part.text : '')).join('\n')

export const isCalling = (message: Body): boolean =>
  message.role === 'assistant' && message.tool_calls?.length > 0

export function chatQuestion({ messages }: Body): Question {
  const at = messages.findLastIndex(
    (message: Body) => message.role === 'user' && isPlanned(contentText(message.content)),
  )
  if (at < 0) return { text: '', steps: 0 }
  const steps = messages.slice(at + 1).filter((message: Body) => message.role === 'assistant').length
  return { text: contentText(messages[at].content), steps }
}

/** The model's messages, with those of their members that a reply had. */
export function chatReturned(members: readonly string[]) {
  return ({ messages }: Body): readonly Issued[] =>
    messages
      .filter((message: Body) => message.role === 'assistant')
      .map((message: Body) =>
        Object.fromEntries(
          ['tool_calls', ...members].flatMap((member) =>
            message[member] === undefined || message[member] === null ? [] : [[member, message[member]]],
          ),
        ),
      )
}

/** The first call that no result follows at once. */
export function unanswered(
  messages: Body,
): { readonly at: number; readonly ids: readonly string[] } | undefined {
  for (const [at, message] of messages.entries()) {
    if (!isCalling(message)) continue
    const rest = messages.slice(at + 1)
    const end = rest.findIndex((next: Body) => next.role !== 'tool')
    const results = end < 0 ? rest : rest.slice(0, end)
    const ids = message.tool_calls
      .map((call: Body) => call.id)
      .filter((id: string) => !results.some((result: Body) => result.tool_call_id === id))
    if (ids.length > 0) return { at, ids }
  }
  return undefined
}

/** The first result that no call precedes. */
export function uncalled(messages: Body): number | undefined {
  const known = new Set<string>()
  for (const [at, message] of messages.entries()) {
    for (const call of message.tool_calls ?? []) known.add(call.id)
    if (message.role === 'tool' && !known.has(message.tool_call_id)) return at
  }
  return undefined
}

/** A system message that is not the first message. */
export const lateSystem = (messages: Body): boolean =>
  messages.some((message: Body, at: number) => at > 0 && ['system', 'developer'].includes(message.role))

/** The first earlier call whose arguments are not a JSON object. */
export function malformedArguments(messages: Body): string | undefined {
  for (const message of messages)
    for (const call of message.tool_calls ?? []) {
      try {
        if (typeof JSON.parse(call.function.arguments) === 'object') continue
      } catch {}
      return call.function.arguments
    }
  return undefined
}

export const lastRole = (messages: Body): string => messages.at(-1).role

/** Members of the body that the API does not have. */
export const strangers = (body: Body, known: readonly string[]): readonly string[] =>
  Object.keys(body).filter((member) => !known.includes(member))

export const wireCall = (id: string, { name, arguments: args }: Call) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
})

/** Writes chunks of one reply; `base` is what each of them has. */
export function chunker(base: object) {
  return (
    delta: object | null,
    finish: string | null = null,
    more: object = {},
    choice: object = {},
  ): string =>
    sse({
      ...base,
      choices: delta === null ? [] : [{ index: 0, delta, ...choice, finish_reason: finish }],
      ...more,
    })
}

export const done = sse('[DONE]')

export const finishOf = ({ calls, cutShort }: { calls?: unknown; cutShort?: boolean }): string =>
  calls ? 'tool_calls' : cutShort ? 'length' : 'stop'
