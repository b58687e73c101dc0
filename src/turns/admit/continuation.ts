import { and, desc, eq, gt, inArray, sql } from 'drizzle-orm'
import type { Principal } from '../../accounts/principal.ts'
import type { ToolCall } from '../../agent/provider.ts'
import type { Executor } from '../../db/client.ts'
import { messages, runs } from '../../db/schema/index.ts'
import type { Run } from '../run/run.ts'
import { replyOf } from '../run/run-events.ts'
import { visibleTo } from '../run/visibility.ts'

/** How many hours the call id in a tool result is enough to find the paused run. */
const pausedHours = 24

/**
 * Finds the run that paused with this call of a client's tool, if the principal can see it. Only runs of the
 * last 24 hours are searched, because call ids have no index. Older runs must be named by id.
 */
export async function findRunOfCall(
  executor: Executor,
  principal: Principal,
  callId: string,
): Promise<Run | undefined> {
  const call = JSON.stringify([{ id: callId }])
  const [run] = await executor
    .select()
    .from(runs)
    .where(
      and(
        visibleTo(principal, runs),
        gt(runs.createdAt, sql`now() - make_interval(hours => ${pausedHours})`),
        eq(runs.finishReason, 'tool_calls'),
        sql`${runs.reply} #> '{end,tool_calls}' @> ${call}::jsonb`,
      ),
    )
    .orderBy(desc(runs.createdAt))
    .limit(1)
  return run
}

/** The tool calls that a paused run waits for. */
export function openCallsOf(run: Run): readonly ToolCall[] {
  return replyOf(run)?.end.tool_calls ?? []
}

/**
 * Reads the texts of these answers, by message id. Answers that the principal cannot see, and those of responses with
 * `store: false`, are left out.
 */
export async function findAnswers(
  executor: Executor,
  principal: Principal,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await executor
    .select({ id: messages.id, content: messages.content })
    .from(messages)
    .innerJoin(runs, eq(runs.id, messages.runId))
    .where(
      and(
        inArray(messages.id, [...ids]),
        eq(messages.role, 'assistant'),
        visibleTo(principal, runs),
        sql`${runs.request} #>> '{response,store}' is null`,
      ),
    )
  return new Map(rows.map(({ id, content }) => [id, (content as { readonly content: string }).content]))
}

/**
 * Thrown when the session has a newer turn than the one to continue from. Failed turns do not count, because they
 * add nothing to the conversation.
 */
export class NotLastTurn extends Error {}
