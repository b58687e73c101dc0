import { and, asc, desc, eq, gt, inArray, isNull, notExists, sql } from 'drizzle-orm'
import { alias, type PgInsertValue } from 'drizzle-orm/pg-core'
import type { Executor } from '../../db/client.ts'
import { requireWritable } from '../../db/library/library-database.ts'
import { libraryJobs } from '../../db/schema/index.ts'
import { ServiceError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { CollectionProgress } from '../collections/add-collection.ts'
import type { RestrictedLicense } from '../library/licenses.ts'
import { releaseExpired } from './expired-jobs.ts'

export type LibraryJob = typeof libraryJobs.$inferSelect

/** A claim on a job: the epoch fences off former owners. */
export type JobClaim = Pick<LibraryJob, 'id' | 'epoch'>

export type JobRequest = {
  readonly collection: string
  readonly allowLicenses: readonly RestrictedLicense[]
  /** Id of the operator's account, or `command line`. */
  readonly requestedBy: string
}

/** A lease covers many heartbeats: storing one large work may keep the process busy for seconds. */
export const leaseSeconds = 20

const lease = sql`now() + make_interval(secs => ${leaseSeconds})`
/** Taken for each change of who runs what, so that these changes follow one another. */
const jobsLock = 7_203_115_060n

async function lockJobs(tx: Executor): Promise<void> {
  await requireWritable(tx)
  await tx.execute(sql`select pg_advisory_xact_lock(${jobsLock})`)
}

/**
 * Queues an import of a collection, which any replica of the service runs.
 * @throws ServiceError `invalid_value` when the collection is being added already.
 */
export async function queueJob(tx: Executor, request: JobRequest): Promise<LibraryJob> {
  await lockJobs(tx)
  await releaseExpired(tx)
  await requireFree(tx, request.collection)
  return insertJob(tx, { ...rowOf(request), runBy: 'service', status: 'queued' })
}

/**
 * Records an import that this process runs itself.
 * @throws ServiceError `invalid_value` when another import is running.
 */
export async function beginJob(tx: Executor, request: JobRequest, owner: string): Promise<LibraryJob> {
  await lockJobs(tx)
  await releaseExpired(tx)
  const [running] = await tx.select().from(libraryJobs).where(eq(libraryJobs.status, 'running'))
  if (running) {
    throw new ServiceError(
      'invalid_value',
      `The collection "${running.collection}" is being imported. Wait until it is done, or cancel it on the page Operator, Library.`,
    )
  }
  await requireFree(tx, request.collection)
  return insertJob(tx, {
    ...rowOf(request),
    runBy: 'command',
    status: 'running',
    epoch: 1,
    startedAt: sql`now()`,
    leaseOwner: owner,
    leaseExpiresAt: lease,
  })
}

/** Claims the oldest queued job, unless a job is running. */
export async function claimJob(tx: Executor, owner: string): Promise<LibraryJob | undefined> {
  await lockJobs(tx)
  await releaseExpired(tx)
  const running = alias(libraryJobs, 'running')
  const next = tx
    .select({ id: libraryJobs.id })
    .from(libraryJobs)
    .where(
      and(
        eq(libraryJobs.status, 'queued'),
        notExists(tx.select({ id: running.id }).from(running).where(eq(running.status, 'running'))),
      ),
    )
    .orderBy(asc(libraryJobs.createdAt))
    .limit(1)
  const [job] = await tx
    .update(libraryJobs)
    .set({
      status: 'running',
      epoch: sql`${libraryJobs.epoch} + 1`,
      startedAt: sql`coalesce(${libraryJobs.startedAt}, now())`,
      leaseOwner: owner,
      leaseExpiresAt: lease,
    })
    .where(inArray(libraryJobs.id, next))
    .returning()
  return job
}

/** What the owner must do: go on, stop because an operator cancelled, or stop because the job has another owner. */
export type Renewal = 'held' | 'cancelled' | 'lost'

/** Extends the lease and records the progress. */
export async function renewJob(
  executor: Executor,
  claim: JobClaim,
  progress: CollectionProgress | undefined,
): Promise<Renewal> {
  const [row] = await executor
    .update(libraryJobs)
    .set({ leaseExpiresAt: lease, ...(progress && { progress }) })
    .where(isHeld(claim))
    .returning({ cancelled: libraryJobs.cancelRequestedAt })
  if (!row) return 'lost'
  return row.cancelled === null ? 'held' : 'cancelled'
}

type Outcome = {
  readonly status: 'done' | 'failed' | 'cancelled'
  readonly report?: object | undefined
  readonly error?: string | undefined
}

/** Ends a job, if the claim still holds. */
export async function finishJob(executor: Executor, claim: JobClaim, outcome: Outcome): Promise<void> {
  await executor
    .update(libraryJobs)
    .set({ ...outcome, finishedAt: sql`now()`, leaseOwner: null, leaseExpiresAt: null })
    .where(isHeld(claim))
}

/** Gives a job back to the queue, so that another replica continues it. */
export async function returnJob(executor: Executor, claim: JobClaim): Promise<void> {
  await executor
    .update(libraryJobs)
    .set({ status: 'queued', leaseOwner: null, leaseExpiresAt: null })
    .where(isHeld(claim))
}

/**
 * Cancels the unfinished job of a collection. A running one stops after the current work.
 * @returns whether there was one.
 */
export async function cancelJob(tx: Executor, collection: string): Promise<boolean> {
  await lockJobs(tx)
  const queued = await tx
    .update(libraryJobs)
    .set({ status: 'cancelled', cancelRequestedAt: sql`now()`, finishedAt: sql`now()` })
    .where(and(eq(libraryJobs.collection, collection), eq(libraryJobs.status, 'queued')))
  const running = await tx
    .update(libraryJobs)
    .set({ cancelRequestedAt: sql`now()` })
    .where(
      and(
        eq(libraryJobs.collection, collection),
        eq(libraryJobs.status, 'running'),
        isNull(libraryJobs.cancelRequestedAt),
      ),
    )
  return (queued.rowCount ?? 0) + (running.rowCount ?? 0) > 0
}

/** The newest job of each collection. */
export async function newestJobs(executor: Executor): Promise<readonly LibraryJob[]> {
  return executor
    .selectDistinctOn([libraryJobs.collection])
    .from(libraryJobs)
    .orderBy(libraryJobs.collection, desc(libraryJobs.createdAt))
}

/** The newest job of each collection that reached its end. */
export async function completedJobs(executor: Executor): Promise<readonly LibraryJob[]> {
  return executor
    .selectDistinctOn([libraryJobs.collection])
    .from(libraryJobs)
    .where(eq(libraryJobs.status, 'done'))
    .orderBy(libraryJobs.collection, desc(libraryJobs.finishedAt))
}

/** Jobs that ended within a day, whatever their end. */
export function recentlyEndedJobs(executor: Executor): Promise<LibraryJob[]> {
  return executor
    .select()
    .from(libraryJobs)
    .where(gt(libraryJobs.finishedAt, sql`now() - interval '1 day'`))
    .orderBy(libraryJobs.finishedAt)
}

const isHeld = ({ id, epoch }: JobClaim) =>
  and(eq(libraryJobs.id, id), eq(libraryJobs.epoch, epoch), eq(libraryJobs.status, 'running'))

async function requireFree(tx: Executor, collection: string): Promise<void> {
  const [unfinished] = await tx
    .select({ id: libraryJobs.id })
    .from(libraryJobs)
    .where(and(eq(libraryJobs.collection, collection), inArray(libraryJobs.status, ['queued', 'running'])))
  if (!unfinished) return
  throw new ServiceError(
    'invalid_value',
    `The collection "${collection}" is waiting or being imported. Cancel it first, or wait until it is done.`,
  )
}

function rowOf({ collection, allowLicenses, requestedBy }: JobRequest) {
  return { id: newId('libraryJob'), collection, allowLicenses: [...allowLicenses], requestedBy }
}

type NewJob = PgInsertValue<typeof libraryJobs>

async function insertJob(tx: Executor, row: NewJob): Promise<LibraryJob> {
  const [job] = await tx.insert(libraryJobs).values(row).returning()
  if (!job) throw new Error('the job was not inserted')
  return job
}
