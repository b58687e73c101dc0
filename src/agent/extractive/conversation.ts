import { isRecord, type Json, parsedJson } from '../json.ts'
import type { ModelMessage } from '../provider.ts'
import { filesIn } from './unread-files.ts'

export type ToolResult = Json
export type Results = ReadonlyMap<string, readonly ToolResult[]>

/** The newest question, those before it, and the results of later tool calls, by tool name. */
export type Turn = {
  readonly question: string
  /** Oldest first. */
  readonly earlier: readonly string[]
  /** Number of files in the question. */
  readonly attached: number
  readonly results: Results
}

/** Longer questions are cut: search and answer only use the beginning. */
const maxQuestion = 10_000

export function currentTurn(messages: readonly ModelMessage[]): Turn {
  const asked = messages.findLastIndex((message) => message.role === 'user')
  const user = messages[asked]
  const question = questionOf(user)
  const earlier = messages
    .slice(0, Math.max(0, asked))
    .flatMap((message) => (message.role === 'user' ? questionOf(message) : []))
  const results = new Map<string, ToolResult[]>()
  const names = new Map<string, string>()
  for (const message of messages.slice(asked + 1)) {
    if (message.role === 'assistant') for (const call of message.toolCalls) names.set(call.id, call.name)
    if (message.role !== 'tool') continue
    const name = names.get(message.callId) ?? ''
    results.set(name, [...(results.get(name) ?? []), parsed(message.content)])
  }
  return { question, earlier, attached: filesIn(user), results }
}

function questionOf(message: ModelMessage | undefined): string {
  return message?.role === 'user' ? textOf(message.content).slice(0, maxQuestion) : ''
}

function textOf(content: Extract<ModelMessage, { role: 'user' }>['content']): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

function parsed(content: string): ToolResult {
  const value = parsedJson(content)
  return isRecord(value) ? value : {}
}
