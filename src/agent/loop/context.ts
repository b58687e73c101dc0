import type { ModelMessage } from '../provider.ts'
import { messagesTokens, messageTokens } from '../tokens.ts'

/** What stands in place of a tool result that had to go. */
const resultLeftOut = JSON.stringify({
  note: 'This result was left out to make room. Call the tool again if you need it.',
})

/** Stands in the conversation for earlier turns that had to go. */
const turnsLeftOut: ModelMessage = {
  role: 'system',
  content: 'The beginning of this conversation was left out because it is too long.',
}

/** Tool results at the end that are never shortened: the model has just asked for them. */
const keptResults = 2

/**
 * Makes a conversation fit into `tokens` (estimated), by a fixed rule: tool results go first, the oldest first; then
 * whole earlier turns, the oldest first. System messages and everything from the last question on stay. What is too
 * long even then is left to the model to refuse.
 */
export function fitContext(messages: readonly ModelMessage[], tokens: number): readonly ModelMessage[] {
  let excess = messagesTokens(messages) - tokens
  if (excess <= 0) return messages
  const firstKept = firstKeptResult(messages)
  const shortened = messages.map((message, i) => {
    const shortens = message.role === 'tool' && excess > 0 && i < firstKept
    if (!shortens) return message
    const short: ModelMessage = { ...message, content: resultLeftOut }
    excess -= Math.max(messageTokens(message) - messageTokens(short), 0)
    return short
  })
  return excess <= 0 ? shortened : dropTurns(shortened, excess)
}

/** The index of the oldest tool result that is never shortened. */
function firstKeptResult(messages: readonly ModelMessage[]): number {
  let at = messages.length
  for (let left = keptResults; left > 0 && at !== -1; left -= 1) {
    at = messages.findLastIndex(({ role }, i) => role === 'tool' && i < at)
  }
  return at
}

/** Drops from the oldest question on, each with all that belongs to it, but never the last one. */
function dropTurns(messages: readonly ModelMessage[], excess: number): readonly ModelMessage[] {
  const lastQuestion = messages.findLastIndex((message) => message.role === 'user')
  let left = excess
  let firstKept = 0
  for (const [i, message] of messages.entries()) {
    if (i >= lastQuestion) break
    // A cut is possible only where a question begins, or calls and their results would be torn apart.
    if (message.role === 'user' && left <= 0) break
    if (message.role !== 'system') left -= messageTokens(message)
    firstKept = i + 1
  }
  const systems = messages.slice(0, firstKept).filter((message) => message.role === 'system')
  return firstKept === systems.length ? messages : [...systems, turnsLeftOut, ...messages.slice(firstKept)]
}
