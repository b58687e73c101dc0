import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { libraryJobs } from '../../db/schema/index.ts'

/** Attempts in a row that end without progress before a job fails. */
export const maxFailedAttempts = 3

/** Works that the newest attempt has done. It passes the works of earlier attempts first, because they are stored. */
const done = sql`coalesce((${libraryJobs.progress} ->> 'done')::int, 0)`
const failedAttempts = sql`case when ${done} > ${libraryJobs.worksDone} then 0 else ${libraryJobs.failedAttempts} + 1 end`

const isExpired = and(eq(libraryJobs.status, 'running'), sql`${libraryJobs.leaseExpiresAt} < now()`)
const isOfService = eq(libraryJobs.runBy, 'service')

/**
 * Ends the attempts whose process has ended. A cancelled job ends. A job of a service goes back to the queue, and fails
 * after `maxFailedAttempts` attempts without progress: the work may be what ends the process. A command is started again
 * by its user.
 */
export async function releaseExpired(tx: Executor): Promise<void> {
  const attempt = { failedAttempts, worksDone: sql`greatest(${libraryJobs.worksDone}, ${done})` }
  const ended = { finishedAt: sql`now()`, leaseOwner: null, leaseExpiresAt: null }
  await tx
    .update(libraryJobs)
    .set({ ...ended, status: 'cancelled' })
    .where(and(isExpired, isNotNull(libraryJobs.cancelRequestedAt)))
  await tx
    .update(libraryJobs)
    .set({ ...attempt, ...ended, status: 'failed', error: gaveUp })
    .where(and(isExpired, isOfService, sql`${failedAttempts} >= ${maxFailedAttempts}`))
  await tx
    .update(libraryJobs)
    .set({ ...attempt, status: 'queued', leaseOwner: null, leaseExpiresAt: null })
    .where(and(isExpired, isOfService))
  await tx
    .update(libraryJobs)
    .set({ ...ended, status: 'failed', error: 'the command ended before the import' })
    .where(isExpired)
}

/** Where the attempt stood, as far as it was recorded. */
const place = sql`case when coalesce(${libraryJobs.progress} ->> 'title', '') = '' then ''
  else ' at "' || (${libraryJobs.progress} ->> 'title') || '"' end`

const gaveUp = sql`${`The service ended ${maxFailedAttempts} times while it ran this import`}::text || ${place} ||
  ${'. Find the reason in the log of the service and of the machine, often too little memory. Then start the import again: it continues.'}::text`
