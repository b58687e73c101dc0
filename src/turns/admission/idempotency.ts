import { and, eq, gt, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { idempotencyKeys, runs } from '../../db/schema/index.ts'
import { ServiceError } from '../../errors.ts'
import type { Run } from '../run/run.ts'

/** Identifies one intended request of a client. Retries have the same identity. */
export type RequestIdentity = {
  /** SHA-256 over route, session channel, user and body. */
  readonly hash: Buffer
  /** The client's own `Idempotency-Key`. */
  readonly key: string | undefined
  /** Whether the client marks the request as a retry (`X-Stainless-Retry-Count` above zero). */
  readonly retried: boolean
}

/** Stored in place of an API key for requests from the web pages. Web forms send idempotency keys too. */
export const noApiKey = ''

/** Hours for which an `Idempotency-Key` is remembered. */
export const keyHours = 24

/**
 * The retry window, in minutes, for requests without an `Idempotency-Key`. Within it, an equal request of the
 * same API key returns the earlier run if the client marks it as a retry, or if the run's client disconnected
 * before its reply was complete (see `start-statements`). Equal requests on two open connections start two
 * turns, because a back end serves many people with one API key.
 */
export const retryWindowMinutes = 15

type Owner = { readonly accountId: string; readonly apiKeyId: string }

/**
 * Finds the run that this `Idempotency-Key` started. The caller holds the account's lock, so two simultaneous
 * duplicates cannot both start a run.
 * @throws ServiceError `idempotency_key_reused` if the key was used for a different request.
 */
export async function findByKey(
  executor: Executor,
  owner: Owner,
  request: { readonly hash: Buffer; readonly key: string },
): Promise<Run | undefined> {
  const [known] = await executor
    .select({ hash: idempotencyKeys.requestHash, run: runs })
    .from(idempotencyKeys)
    .innerJoin(runs, eq(runs.id, idempotencyKeys.runId))
    .where(
      and(
        eq(idempotencyKeys.accountId, owner.accountId),
        eq(idempotencyKeys.apiKeyId, owner.apiKeyId),
        eq(idempotencyKeys.key, request.key),
        gt(idempotencyKeys.expiresAt, sql`now()`),
      ),
    )
  if (!known) return undefined
  if (known.hash.equals(request.hash)) return known.run
  throw new ServiceError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another request. Use a new key for a new request.',
    { shouldRetry: false },
  )
}

/** Stores which run an `Idempotency-Key` started. It replaces an expired row of the same key. */
export async function rememberKey(
  executor: Executor,
  owner: Owner,
  request: RequestIdentity,
  runId: string,
): Promise<void> {
  if (request.key === undefined) return
  const expiresAt = sql`now() + make_interval(hours => ${keyHours})` as unknown as Date
  const row = { requestHash: request.hash, runId, expiresAt }
  await executor
    .insert(idempotencyKeys)
    .values({ ...owner, key: request.key, ...row })
    .onConflictDoUpdate({
      target: [idempotencyKeys.accountId, idempotencyKeys.apiKeyId, idempotencyKeys.key],
      set: { ...row, createdAt: sql`now()` },
    })
}
