import type { ModelMessage } from '../provider.ts'
import { messagesTokens, messageTokens } from '../tokens.ts'

/** Replaces the content of a dropped tool result. */
const resultLeftOut = JSON.stringify({
  note: 'This result was left out to make room. Call the tool again if you need it.',
})

/** Replaces the dropped turns at the beginning of a conversation. */
const turnsLeftOut: ModelMessage = {
  role: 'system',
  content: 'The beginning of this conversation was left out because it is too long.',
}

/** The newest tool results are never dropped, because the model has just requested them. */
const keptResults = 2

/**
 * Reduces a conversation to `tokens` (estimated). Tool results are dropped first, then whole turns, the oldest
 * first in both cases. System messages and everything from the last question on stay; if that is still too
 * long, the model refuses it.
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

/** The index of the oldest tool result that is never dropped. */
function firstKeptResult(messages: readonly ModelMessage[]): number {
  let at = messages.length
  for (let left = keptResults; left > 0 && at !== -1; left -= 1) {
    at = messages.findLastIndex(({ role }, i) => role === 'tool' && i < at)
  }
  return at
}

/** Drops whole turns, the oldest first, but never the last one. */
function dropTurns(messages: readonly ModelMessage[], excess: number): readonly ModelMessage[] {
  const lastQuestion = messages.findLastIndex((message) => message.role === 'user')
  let left = excess
  let firstKept = 0
  for (const [i, message] of messages.entries()) {
    if (i >= lastQuestion) break
    // Cut only before a question, so that tool calls stay together with their results.
    if (message.role === 'user' && left <= 0) break
    if (message.role !== 'system') left -= messageTokens(message)
    firstKept = i + 1
  }
  const systems = messages.slice(0, firstKept).filter((message) => message.role === 'system')
  return firstKept === systems.length ? messages : [...systems, turnsLeftOut, ...messages.slice(firstKept)]
}
