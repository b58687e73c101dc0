import { and, asc, eq, inArray, lt, or } from 'drizzle-orm'
import type { ContentPart, ModelMessage } from '../../agent/provider.ts'
import type { Executor } from '../../db/client.ts'
import { messages, runs } from '../../db/schema/index.ts'
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

/**
 * Reads the conversation up to and including a turn, with its answer if there is one. Earlier failed turns are
 * left out. Messages that were added after the turn are not part of it.
 */
export async function readConversation(
  executor: Executor,
  run: { readonly id: string; readonly sessionId: string; readonly turn: number },
): Promise<readonly ModelMessage[]> {
  const rows = await executor
    .select({ content: messages.content })
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
    .orderBy(asc(messages.turn), asc(messages.position))
  return rows.map((row) => row.content as ModelMessage)
}

/** The text of a message's content. Images and files are left out. */
export function textOf(content: string | readonly ContentPart[]): string {
  if (typeof content === 'string') return content
  return content
    .map((part) => (part.type === 'text' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n')
}
