import { and, eq, gt, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { idempotencyKeys, runs } from '../../db/schema/index.ts'
import { ServiceError } from '../../errors.ts'
import type { Run } from '../run/run.ts'

/** What tells one intent of a client from another. */
export type RequestIdentity = {
  /** SHA-256 over route, session channel, user and body. */
  readonly hash: Buffer
  /** The client's own `Idempotency-Key`. */
  readonly key: string | undefined
  /** Whether the client says that it is trying again (`X-Stainless-Retry-Count` above zero). */
  readonly retried: boolean
}

/** Stands for the API key of people, who have none: their forms bring keys of their own. */
export const noApiKey = ''

/** How long a client's key is remembered. */
export const keyHours = 24

/**
 * How far back a repeated request without a key still means the same turn: an earlier run of the same key and request,
 * when the client marks the request as a retry, or when that run's own client was seen to leave before its reply was
 * complete (`start-statements`). Equal requests whose connections are both open are two turns: a back end serves many
 * people with one API key.
 */
export const retryWindowMinutes = 15

type Owner = { readonly accountId: string; readonly apiKeyId: string }

/**
 * The run of this client's key. Asked under the account's lock, so that two repetitions at the same moment cannot both
 * start one.
 * @throws ServiceError `idempotency_key_reused` when the key came with another request.
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

/** Binds a client's key to the run it started. An expired row of the same key gives way. */
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
