import { and, asc, eq, inArray, lt, or } from 'drizzle-orm'
import type { ContentPart, ModelMessage } from '../../agent/provider.ts'
import type { Executor } from '../../db/client.ts'
import { messages, runs } from '../../db/schema/index.ts'
import type { Run } from './run.ts'
import type { RunRequest } from './run-request.ts'

/**
 * What a turn adds to its session. Without a session the client's messages are the whole transcript; with one, the
 * server's is the truth and only what follows the client's last assistant message is new. Clients that resend their
 * history therefore never store it twice.
 */
export function newInput(sent: readonly ModelMessage[], resumes: boolean): readonly ModelMessage[] {
  if (!resumes) return sent
  return sent.slice(sent.findLastIndex((message) => message.role === 'assistant') + 1)
}

/** Of an answer in its turn, behind any input: a request has at most a thousand messages. */
export const answerPosition = 1_000_000

/** What the model is told in this turn: its instructions, and the conversation up to and including its input. */
export async function readTranscript(executor: Executor, run: Run): Promise<readonly ModelMessage[]> {
  return toldToModel(run.request as RunRequest, await readConversation(executor, run))
}

export function toldToModel(
  { instructions }: RunRequest,
  conversation: readonly ModelMessage[],
): readonly ModelMessage[] {
  if (instructions === undefined) return conversation
  return [{ role: 'system', content: instructions }, ...conversation]
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
