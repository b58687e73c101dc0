import { and, desc, eq, inArray, lt, or } from 'drizzle-orm'
import { parsedJson } from '../../agent/json.ts'
import type { ContentPart, ModelMessage, ToolCall } from '../../agent/provider.ts'
import type { Executor } from '../../db/client.ts'
import { messages, runs } from '../../db/schema/index.ts'
import { contentEstimate, readContents } from './large-rows.ts'
import type { Run } from './run.ts'
import type { RunRequest } from './run-request.ts'

/**
 * The messages that a turn adds to its session. In a new session these are all messages. In an existing one,
 * only those after the client's last assistant message are new, so clients that resend their history do not
 * store it twice.
 */
export function newInput(sent: readonly ModelMessage[], resumes: boolean): readonly ModelMessage[] {
  if (!resumes) return sent
  return sent.slice(sent.findLastIndex((message) => message.role === 'assistant') + 1)
}

/** Whether these messages ask the model for an answer. */
export function hasQuestion(fresh: readonly ModelMessage[]): boolean {
  return fresh.some((message) => message.role === 'user' || message.role === 'tool')
}

/** Position of an answer in its turn, after any input. A request has at most 1,000 messages. */
export const answerPosition = 1_000_000

/** Reads what the model gets in this turn: the instructions, and the conversation including this turn's input. */
export async function readTranscript(executor: Executor, run: Run): Promise<readonly ModelMessage[]> {
  return messagesForModel(run.request as RunRequest, await readConversation(executor, run))
}

export function messagesForModel(
  { instructions }: RunRequest,
  conversation: readonly ModelMessage[],
): readonly ModelMessage[] {
  if (instructions === undefined) return conversation
  return [{ role: 'system', content: instructions }, ...conversation]
}

/** Characters of a conversation that are read, the data of its images among them. No model has a larger window. */
export const maxConversation = 40 * 1024 * 1024

/**
 * Reads the conversation up to and including a turn, with its answer if there is one. Earlier failed turns are
 * left out. Messages that were added after the turn are not part of it.
 * @param maxLength of a longer conversation the turn's own messages are read, then instructions, then the newest
 *   messages from a question on.
 */
export async function readConversation(
  executor: Executor,
  run: { readonly id: string; readonly sessionId: string; readonly turn: number },
  maxLength = maxConversation,
): Promise<readonly ModelMessage[]> {
  const unread = await executor
    .select({ id: messages.id, estimate: contentEstimate, role: messages.role, runId: messages.runId })
    .from(messages)
    .leftJoin(runs, eq(runs.id, messages.runId))
    .where(
      and(
        eq(messages.sessionId, run.sessionId),
        or(
          eq(messages.runId, run.id),
          and(
            lt(messages.turn, run.turn),
            or(eq(messages.runId, ''), inArray(runs.status, ['completed', 'cancelled'])),
          ),
        ),
      ),
    )
    .orderBy(desc(messages.turn), desc(messages.position))
  const rank = ({ role, runId }: (typeof unread)[number]) =>
    runId === run.id && runId !== '' ? 0 : role === 'system' ? 1 : 2
  const byRank = unread.toSorted((a, b) => rank(a) - rank(b))
  const { read, isCut } = await readContents(executor, byRank, maxLength)
  const inOrder = read.toSorted((a, b) => a.turn - b.turn || a.position - b.position)
  const conversation = inOrder.map(({ content }) => content as ModelMessage)
  return isCut ? fromQuestion(conversation) : conversation
}

/** Without the rest of a turn whose question was left out. Instructions stay. */
function fromQuestion(conversation: readonly ModelMessage[]): readonly ModelMessage[] {
  const first = conversation.findIndex(({ role }) => role === 'user')
  return conversation.filter(({ role }, at) => at >= first || role === 'system')
}

/** The text of a message's content. Images and files are left out. */
export function textOf(content: string | readonly ContentPart[]): string {
  if (typeof content === 'string') return content
  return content
    .map((part) => (part.type === 'text' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n')
}

/** A conversation that a client has sent in full. Hashes are SHA-256. */
export type Transcript = {
  /** Hash of all messages. The turn stores it. */
  readonly hash: Buffer
  /** The project that the request names. */
  readonly projectId: string | undefined
  /** The newest answer in it, with the hash of all messages before. Undefined if it has no answer. */
  readonly answered?: { readonly hash: Buffer; readonly answer: SentAnswer }
}

/** An answer as a client sends it. */
export type SentAnswer = { readonly text: string; readonly calls: readonly ToolCall[] }

/** An answer as the service stored it. */
export type StoredAnswer = {
  /** Its text without the source list. */
  readonly text: string
  /** Its text as the client got it. */
  readonly shown: string
  readonly calls: readonly ToolCall[]
}

/**
 * Whether a client sent an answer unchanged. Clients may leave out the source list, trim the text, and write the JSON
 * of arguments with other spaces.
 */
export function isSameAnswer(sent: SentAnswer, stored: StoredAnswer): boolean {
  const text = sent.text.trim()
  return (
    (text === stored.text.trim() || text === stored.shown.trim()) &&
    JSON.stringify(canonicalCalls(sent.calls)) === JSON.stringify(canonicalCalls(stored.calls))
  )
}

/** Calls in a form in which the spaces of their JSON do not matter. */
export function canonicalCalls(calls: readonly ToolCall[]): readonly (readonly string[])[] {
  return calls.map(({ id, name, arguments: text }) => [id, name, canonicalJson(text)])
}

function canonicalJson(text: string): string {
  const value = parsedJson(text)
  return value === undefined ? text : JSON.stringify(value)
}
