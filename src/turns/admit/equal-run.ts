import { and, desc, eq, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { runs } from '../../db/schema/index.ts'
import { endedElsewhere, isDisconnected } from '../record/statements.ts'
import { replicaHasEnded } from '../replicas/presence.ts'
import { type Repetition, type RetryRule, windowMinutes } from './admission-types.ts'

export type EqualRequest = {
  readonly accountId: string
  readonly keyId: string
  readonly hash: Buffer
  /** The client marks the request as a retry. */
  readonly retried: boolean
  /** The name under which this process holds clients. */
  readonly clientAt: string | null
}

/**
 * The run that an equal request without an `Idempotency-Key` began and that this request repeats, newest first:
 *
 * 1. any, if the client marks the request as a retry;
 * 2. one whose client is recorded as disconnected;
 * 3. an unfinished one whose client was connected to a replica that has ended.
 *
 * The client of the request becomes the run's client. The caller holds the account's lock, so of two retries at the same
 * moment each finds a run of its own.
 * @returns `undecided` if an unfinished run, or one that ended within the last second, has its client on another live
 * replica: its disconnect may be on the way.
 */
export async function findEqualRun(tx: Executor, request: EqualRequest): Promise<Repetition | undefined> {
  const { clientAt, retried } = request
  const disconnected = await newest(tx, request, isDisconnected)
  if (disconnected) return adopt(tx, disconnected.id, clientAt, 'client_disconnected')
  const marked = retried && (await newest(tx, request, sql`true`))
  if (marked) return adopt(tx, marked.id, clientAt, 'marked_as_retry')
  const elsewhere = await tx
    .select({ id: runs.id, clientAt: runs.clientAt })
    .from(runs)
    .where(
      and(
        eq(runs.accountId, request.accountId),
        sql`${runs.status} in ('queued', 'in_progress')`,
        sql`${runs.apiKeyId} || '' = ${request.keyId}`,
        eq(runs.requestHash, request.hash),
        clientAt === null ? undefined : or(ne(runs.clientAt, clientAt), sql`${runs.clientAt} is null`),
      ),
    )
    .orderBy(desc(runs.createdAt))
  for (const run of elsewhere) {
    if (run.clientAt !== null && (await replicaHasEnded(tx, run.clientAt)))
      return adopt(tx, run.id, clientAt, 'replica_ended')
  }
  const ended = await tx.execute<{ id: string }>(endedElsewhere(isEqual(request), sql`${clientAt}::text`))
  const open = elsewhere[0] ?? ended.rows[0]
  return open && { kind: 'undecided', runId: open.id }
}

/** Run `r` is of the same request, and of the time in which a retry is recognised. */
const isEqual = ({ keyId, hash }: EqualRequest) => sql`r.api_key_id = ${keyId} and r.request_hash = ${hash}
  and r.created_at > now() - make_interval(mins => ${windowMinutes})`

async function newest(
  tx: Executor,
  request: EqualRequest,
  which: SQL,
): Promise<{ readonly id: string } | undefined> {
  const { rows } = await tx.execute<{ id: string }>(sql`
    select r.id from runs r where ${isEqual(request)} and ${which} order by r.created_at desc limit 1`)
  return rows[0]
}

/** The facts of an admission, with one more request that got the run again. The first ten are kept. */
const withRepeat = (repeat: object) => sql`case
  when jsonb_array_length(coalesce(${runs.admission}->'repeats', '[]')) >= 10 then ${runs.admission}
  else coalesce(${runs.admission}, '{}') || jsonb_build_object('repeats',
    coalesce(${runs.admission}->'repeats', '[]') || ${JSON.stringify([repeat])}::jsonb) end`

/** Makes the client of a request the client of the run that it repeats. */
export async function adopt(
  tx: Executor,
  runId: string,
  clientAt: string | null,
  rule: RetryRule,
): Promise<Repetition> {
  const repeat = { at: new Date().toISOString(), rule }
  await tx
    .update(runs)
    .set({ clientAt, clientClosedAt: null, admission: withRepeat(repeat) })
    .where(eq(runs.id, runId))
  return { kind: 'repeated', runId, rule }
}
