import { and, asc, eq, inArray, lt, or } from 'drizzle-orm'
import type { ContentPart, ModelMessage } from '../agent/provider.ts'
import type { Executor } from '../db/client.ts'
import { messages, runs } from '../db/schema/index.ts'
import { newId } from '../ids.ts'
import type { RunRequest } from './run-request.ts'
import type { Run } from './start-turn.ts'

/**
 * What a turn adds to its session. Without a session the client's messages are the whole transcript; with one, the
 * server's is the truth and only what follows the client's last assistant message is new. Clients that resend their
 * history therefore never store it twice.
 */
export function newInput(sent: readonly ModelMessage[], resumes: boolean): readonly ModelMessage[] {
  if (!resumes) return sent
  return sent.slice(sent.findLastIndex((message) => message.role === 'assistant') + 1)
}

/** Stores the input of a turn in front of the answer to come. */
export async function storeInput(
  executor: Executor,
  run: { readonly id: string; readonly accountId: string; readonly sessionId: string; readonly turn: number },
  input: readonly ModelMessage[],
): Promise<void> {
  if (input.length === 0) return
  await executor.insert(messages).values(
    input.map((message, position) => ({
      id: newId('message'),
      accountId: run.accountId,
      sessionId: run.sessionId,
      runId: run.id,
      turn: run.turn,
      position,
      role: message.role,
      content: message,
    })),
  )
}

/** Stores the answer of a turn behind its input. */
export async function storeAnswer(
  executor: Executor,
  run: {
    readonly id: string
    readonly accountId: string
    readonly sessionId: string
    readonly turn: number
    readonly messageId: string
  },
  answer: Extract<ModelMessage, { role: 'assistant' }>,
): Promise<void> {
  await executor.insert(messages).values({
    id: run.messageId,
    accountId: run.accountId,
    sessionId: run.sessionId,
    runId: run.id,
    turn: run.turn,
    position: answerPosition,
    role: 'assistant',
    content: answer,
  })
}

/** Behind any input: a request has at most a thousand messages. */
const answerPosition = 1_000_000

/** What the model is told in this turn: its instructions, and the conversation up to and including its input. */
export async function readTranscript(executor: Executor, run: Run): Promise<readonly ModelMessage[]> {
  const { instructions } = run.request as RunRequest
  const own: readonly ModelMessage[] =
    instructions === undefined ? [] : [{ role: 'system', content: instructions }]
  return [...own, ...(await readConversation(executor, run))]
}

/** The conversation up to and including a turn, with its answer once it has one; earlier turns that failed are left out. */
export async function readConversation(
  executor: Executor,
  run: { readonly id: string; readonly sessionId: string; readonly turn: number },
): Promise<readonly ModelMessage[]> {
  const rows = await executor
    .select({ content: messages.content })
    .from(messages)
    .innerJoin(runs, eq(runs.id, messages.runId))
    .where(
      and(
        eq(messages.sessionId, run.sessionId),
        or(
          eq(messages.runId, run.id),
          and(lt(messages.turn, run.turn), inArray(runs.status, ['completed', 'cancelled'])),
        ),
      ),
    )
    .orderBy(asc(messages.turn), asc(messages.position))
  return rows.map((row) => row.content as ModelMessage)
}

/** The text of a message's content; images count for nothing. */
export function textOf(content: string | readonly ContentPart[]): string {
  if (typeof content === 'string') return content
  return content
    .map((part) => (part.type === 'text' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n')
}
