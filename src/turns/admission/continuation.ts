import { and, desc, eq, gt, inArray, ne, sql } from 'drizzle-orm'
import type { Principal } from '../../accounts/principal.ts'
import type { ToolCall } from '../../agent/provider.ts'
import type { Executor } from '../../db/client.ts'
import { messages, runs } from '../../db/schema/index.ts'
import type { Run } from '../run/run.ts'
import { visibleTo } from '../run/visibility.ts'

/** How long a run that paused for the client's tools is found by their results alone. */
const pausedHours = 24

/**
 * The run that paused with this call of a client's tool, if the principal can see it. Bounded to the last day, because
 * calls have no index of their own: an older run has to be named.
 */
export async function findRunOfCall(
  executor: Executor,
  principal: Principal,
  callId: string,
): Promise<Run | undefined> {
  const item = JSON.stringify([{ type: 'tool_call', id: callId }])
  const [run] = await executor
    .select()
    .from(runs)
    .where(
      and(
        visibleTo(principal, runs),
        gt(runs.createdAt, sql`now() - make_interval(hours => ${pausedHours})`),
        eq(runs.finishReason, 'tool_calls'),
        sql`${runs.output} @> ${item}::jsonb`,
      ),
    )
    .orderBy(desc(runs.createdAt))
    .limit(1)
  return run
}

/** The calls for whose results a run has paused. */
export function openCallsOf(run: Run): readonly ToolCall[] {
  const items = run.output as readonly ({ readonly type: string } & ToolCall)[]
  return items
    .filter((item) => item.type === 'tool_call')
    .map(({ id, name, arguments: args }) => ({ id, name, arguments: args }))
}

/** The texts of those answers with these ids that the principal can see, by id. */
export async function findAnswers(
  executor: Executor,
  principal: Principal,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await executor
    .select({ id: messages.id, content: messages.content })
    .from(messages)
    .innerJoin(runs, eq(runs.id, messages.runId))
    .where(and(inArray(messages.id, [...ids]), eq(messages.role, 'assistant'), visibleTo(principal, runs)))
  return new Map(rows.map(({ id, content }) => [id, (content as { readonly content: string }).content]))
}

/** Something else has been said in the session since. */
export class Overtaken extends Error {}

/**
 * Nothing was said in a session after `previous`; asked by a transaction that holds the session, so that no other turn
 * can come between. Failed turns leave nothing in a conversation.
 * @throws Overtaken
 */
export async function requireLast(executor: Executor, previous: Run): Promise<void> {
  const [later] = await executor
    .select({ id: runs.id })
    .from(runs)
    .where(
      and(eq(runs.sessionId, previous.sessionId), gt(runs.turn, previous.turn), ne(runs.status, 'failed')),
    )
    .limit(1)
  if (later) throw new Overtaken()
}
