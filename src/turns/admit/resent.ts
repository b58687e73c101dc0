import { sql } from 'drizzle-orm'
import type { Principal } from '../../accounts/principal.ts'
import type { ToolCall } from '../../agent/provider.ts'
import { type Executor, withIndexedTx, withTx } from '../../db/client.ts'
import { retryFor } from '../../db/retry.ts'
import { notFound, ServiceError } from '../../errors.ts'
import type { Run } from '../run/run.ts'
import { findRun } from '../run/runs.ts'
import {
  answerPosition,
  hasQuestion,
  isSameAnswer,
  newInput,
  readConversation,
  type Transcript,
} from '../run/transcript.ts'
import { type Admitted, admitTurn } from './admit-turn.ts'
import type { AdmissionServices, ClientTurn } from './client-turn.ts'
import { NotLastTurn } from './continuation.ts'

/** A turn after which the conversation was the one that a request sends, up to its newest answer. */
type KnownTurn = Pick<Run, 'id' | 'sessionId' | 'turn'> & {
  /** Whether it waits for results of client tools. */
  readonly isPaused: boolean
  /** Whether it is the last turn of its session. Failed turns do not count. */
  readonly isLast: boolean
  readonly answer: { readonly content: string; readonly toolCalls: readonly ToolCall[] }
  /** The answer's text as the client got it, if the run has it. */
  readonly shown: string | null
}

/**
 * Admits a turn. If its messages continue a known transcript of the same key, it joins that session with its new
 * messages. If the session has a newer turn, or gets one at the same moment, all its messages start a new session.
 * @param input all messages that the client sent; only the new ones, if `asking` is set.
 * @param transcript undefined: the messages are not compared with known ones.
 * @param asking the turn to continue in any case: the request names it, or answers its tool calls.
 * @throws what `admitTurn` throws.
 */
export async function admitResent(
  services: AdmissionServices,
  principal: Principal,
  input: ClientTurn,
  transcript: Transcript | undefined,
  asking: Run | undefined,
): Promise<Admitted> {
  const known = await findKnownTurns(services, principal, transcript)
  const whole = { ...input, transcript: transcript?.hash }
  if (asking) {
    // A client may answer calls without its history. What it sent is then not the session's transcript.
    const isWhole = known.some(({ id }) => id === asking.id)
    return admitAfter(services, principal, isWhole ? whole : input, asking)
  }
  const after = known.find(({ isLast, isPaused }) => isLast && !isPaused)
  const isNew = hasQuestion(newInput(input.messages, true))
  if (!after || !isNew) return admitTurn(services, principal, whole)
  try {
    return await admitTurn(services, principal, { ...whole, sessionId: after.sessionId, after })
  } catch (error) {
    const isGone = error instanceof ServiceError && error.code === 'not_found'
    if (!isGone && !(error instanceof NotLastTurn)) throw error
    return admitTurn(services, principal, whole)
  }
}

/**
 * Continues from a given turn. If it is the last turn of its session, the new turn joins that session.
 * Otherwise a new session starts with a copy of the conversation up to it, so two simultaneous continuations do
 * not see each other.
 * @param input its messages are only the new ones.
 * @throws what `admitTurn` throws.
 */
async function admitAfter(
  services: AdmissionServices,
  principal: Principal,
  input: ClientTurn,
  after: Run,
): Promise<Admitted> {
  try {
    return await admitTurn(services, principal, { ...input, sessionId: after.sessionId, after })
  } catch (error) {
    if (!(error instanceof NotLastTurn)) throw error
    const earlier = await withTx(services.database, principal, async (tx) => {
      const run = await findRun(tx, principal, after.id)
      if (!run) throw notFound()
      if (run.finishedAt !== null) return readConversation(tx, run, maxCopy)
      throw new ServiceError(
        'session_busy',
        'The previous response has not ended, and another one is queued after it. Wait for its end.',
        { shouldRetry: false },
      )
    })
    const messages = [...earlier, ...input.messages]
    const { projectId } = after
    return admitTurn(services, principal, { ...input, messages, projectId, sessionId: undefined })
  }
}

/** Characters of a conversation that a new session begins with: as many as a client could send itself. */
const maxCopy = 16 * 1024 * 1024

const { placeholder } = sql

/**
 * Many people may have asked a key the same first question, so the newest turns are compared. The planner cannot join the
 * subqueries: a plan of a time with few runs may otherwise read all runs of the account.
 */
const knownTurns = sql`(
  select r.id, r.session_id as "sessionId", r.turn, r.finish_reason is not distinct from 'tool_calls' as "isPaused",
    not exists (select from runs n where n.session_id = r.session_id and n.turn > r.turn and n.status <> 'failed') as "isLast",
    a.content as answer, (r.reply #>> '{end,text}') || (r.reply #>> '{end,source_list}') as shown
  from (select m.run_id, m.created_at from messages m
    where m.transcript = ${placeholder('hash')} order by m.created_at desc limit 20) asked
  cross join lateral (select r.* from runs r
    where r.id = asked.run_id and r.account_id || '' = ${placeholder('accountId')} and r.api_key_id || '' = ${placeholder('keyId')}
      and r.status || '' in ('completed', 'cancelled')
      and (${placeholder('projectId')}::text is null or r.project_id = ${placeholder('projectId')})
    limit 1) r
  cross join lateral (select m.content from messages m
    where m.session_id = r.session_id and m.turn = r.turn and m.position = ${answerPosition} limit 1) a
  order by asked.created_at desc) as known`

/** The server parses and plans the query once per connection. */
const prepareKnown = (tx: Executor) =>
  tx.select({ row: sql<KnownTurn>`to_json(known)` }).from(knownTurns).prepare('known_transcript')

/** How long the look-up retries a failing database, in milliseconds. */
const timeoutMs = 1_000

async function findKnownTurns(
  { database }: AdmissionServices,
  principal: Principal,
  transcript: Transcript | undefined,
): Promise<readonly KnownTurn[]> {
  if (!transcript?.answered) return []
  const { hash, answer } = transcript.answered
  const { accountId, keyId, binding } = principal
  const projectId = transcript.projectId ?? (binding.kind === 'owner' ? null : binding.projectId)
  const find = (tx: Executor) => prepareKnown(tx).execute({ hash, accountId, keyId, projectId })
  const rows = await retryFor(timeoutMs, () => withIndexedTx(database, principal, find))
  return rows
    .map(({ row }) => row)
    .filter(({ answer: { content: text, toolCalls }, shown }) =>
      isSameAnswer(answer, { text, shown: shown ?? text, calls: toolCalls }),
    )
}
