import { and, eq, sql } from 'drizzle-orm'
import type { Plans } from '../../accounts/plans.ts'
import type { Executor } from '../../db/client.ts'
import { runs } from '../../db/schema/index.ts'
import { statement } from '../../db/statement.ts'
import type { Lease } from '../run/lease.ts'
import type { Run } from '../run/run.ts'

/**
 * Takes a run that nobody drives, in the caller's transaction: one whose owner is gone, else the one that has waited
 * longest. The new epoch shuts a former owner out.
 * @param options.orphans false leaves runs alone whose owner has not given them up but let its lease run out.
 */
export async function claimRun(
  executor: Executor,
  lease: Lease,
  options: { readonly plans: Plans; readonly orphans?: boolean },
): Promise<Run | undefined> {
  return (
    (await claimUnowned(executor, lease, options.orphans ?? true)) ??
    (await claimWaiting(executor, lease, options.plans))
  )
}

/** Nothing of its session is unfinished before it. */
const isNext = sql`not exists (
  select 1 from runs earlier
  where earlier.session_id = r.session_id and earlier.turn < r.turn
    and earlier.status in ('queued', 'in_progress'))`

/**
 * What needs no free place of its account: a run that was in progress has one, and a waiting one that is only to be
 * ended (cancelled, or out of time) calls no model.
 */
async function claimUnowned(executor: Executor, lease: Lease, orphans: boolean): Promise<Run | undefined> {
  const lost = orphans
    ? sql`(r.lease_owner is null or r.lease_expires_at < now())`
    : sql`r.lease_owner is null`
  return claim(
    executor,
    lease,
    sql`select r.id from runs r
      where r.status in ('queued', 'in_progress') and (
        (r.status = 'in_progress' and ${lost})
        or (r.status = 'queued' and r.cancel_requested_at is not null)
        or (r.status = 'queued' and r.deadline_at < now() and ${isNext}))
      order by r.created_at, r.id limit 1
      for update of r skip locked`,
  )
}

/** Accounts that one look considers, those that have waited longest first. */
const maxAccounts = 20
/** First half of the key of the lock under which one account's waiting runs are claimed; any fixed number. */
const placesLock = 720_311_503

/**
 * The waiting run whose turn it is: the oldest of an account with a free place, and of those accounts the one that
 * waits longest. One claim at a time for each account, so that its places are counted exactly; an account whose places
 * are taken, or which another replica looks at this moment, is passed over and keeps nobody else waiting.
 */
async function claimWaiting(executor: Executor, lease: Lease, plans: Plans): Promise<Run | undefined> {
  const names = [...plans.names]
  const places = names.map((name) => plans.of(name).concurrentTurns)
  const { rows } = await executor.execute<{ account: string; places: number }>(sql`
    with waiting as (
      select r.account_id as account, min(r.created_at) as since from runs r
      where r.status = 'queued' and ${isNext} group by 1)
    select account, p.places from waiting
      join accounts a on a.id = account
      join unnest(${sql.param(names)}::text[], ${sql.param(places)}::int[]) as p (plan, places) on p.plan = a.plan
    where ${running(sql`account`)} < p.places
    order by since limit ${maxAccounts}`)
  for (const { account, places } of rows) {
    const lock = await executor.execute<{ ok: boolean }>(
      sql`select pg_try_advisory_xact_lock(${placesLock}, hashtext(${account})) as ok`,
    )
    // The look before was made without the lock: now it counts.
    const run = lock.rows[0]?.ok
      ? await claim(
          executor,
          lease,
          sql`select r.id from runs r
            where r.account_id = ${account} and r.status = 'queued' and ${isNext}
              and ${running(sql`${account}`)} < ${places}
            order by r.created_at, r.id limit 1
            for update of r skip locked`,
        )
      : undefined
    if (run) return run
  }
  return undefined
}

const running = (account: ReturnType<typeof sql>) => sql`(
  select count(*) from runs other where other.account_id = ${account} and other.status = 'in_progress')`

async function claim(
  executor: Executor,
  lease: Lease,
  candidate: ReturnType<typeof sql>,
): Promise<Run | undefined> {
  const [run] = await executor
    .update(runs)
    .set({
      status: 'in_progress',
      epoch: sql`${runs.epoch} + 1`,
      leaseOwner: lease.owner,
      leaseExpiresAt: sql`now() + make_interval(secs => ${lease.seconds})`,
      startedAt: sql`coalesce(${runs.startedAt}, now())`,
      // Whoever waited at a replica that has ended waits no longer: the same request is a retry from now on.
      clientClosedAt: sql`case when ${runs.clientAt} is not null and replica_ended(${runs.clientAt})
        then coalesce(${runs.clientClosedAt}, now()) else ${runs.clientClosedAt} end`,
    })
    .where(eq(runs.id, sql`(${candidate})`))
    .returning()
  return run
}

/**
 * Ids travel as one text, and back come only those that something is the matter with: a process asks about thousands of runs,
 * whose rows would each be an object here. A lease is not prolonged for a turn that has not ended a minute after its deadline:
 * something in its owner hangs. `status || ''`: no index of open runs serves for it.
 */
const prolong = (locked: 'skip locked' | '') => `
  with prolonged as (
    update runs set lease_expires_at = now() + make_interval(secs => :seconds)
    where id in (select id from runs where id = any(string_to_array(:runIds, ',')) for update ${locked})
      and lease_owner = :owner and status || '' = 'in_progress' and deadline_at >= now() - interval '1 minute'
    returning id)
  select given.id from unnest(string_to_array(:runIds, ',')) as given (id)
  where given.id not in (select id from prolonged)`

const prolongLeases = {
  skip: statement<{ id: string }>('prolong_free_leases', prolong('skip locked')),
  wait: statement<{ id: string }>('prolong_leases', prolong('')),
}

/**
 * Prolongs the leases of these runs, as far as they are this owner's and not overdue.
 * @param locked what to do about rows that another transaction has locked at this moment.
 * @returns the runs whose leases were not prolonged.
 */
export async function renewLeases(
  executor: Executor,
  { owner, seconds }: Lease,
  runIds: readonly string[],
  locked: 'skip' | 'wait',
): Promise<readonly string[]> {
  const rest = await prolongLeases[locked](executor, { runIds: runIds.join(','), owner, seconds })
  return rest.map(({ id }) => id)
}

const findMarked = statement<MarkedRun>(
  'marked_runs',
  `select given.id, runs.epoch is distinct from given.epoch as lost
  from unnest(string_to_array(:runIds, ','), string_to_array(:epochs, ',')::int[]) as given (id, epoch)
    left join runs on runs.id = given.id
  where runs.epoch is distinct from given.epoch or runs.cancel_requested_at is not null`,
)

/** A run that its owner has to stop: it is another's or gone, or it is to be cancelled. */
export type MarkedRun = { readonly id: string; readonly lost: boolean }

/** Those of an owner's runs that it has to stop. */
export function markedRuns(
  executor: Executor,
  owned: readonly { readonly id: string; readonly epoch: number }[],
): Promise<readonly MarkedRun[]> {
  return findMarked(executor, {
    runIds: owned.map(({ id }) => id).join(','),
    epochs: owned.map(({ epoch }) => epoch).join(','),
  })
}

/** Gives up one attempt at a run, for any replica to take. Nothing happens when it is not the owner any more. */
export async function releaseLease(
  executor: Executor,
  run: { readonly id: string; readonly epoch: number },
): Promise<void> {
  await executor
    .update(runs)
    .set({ leaseOwner: null, leaseExpiresAt: sql`now()` })
    .where(and(eq(runs.id, run.id), eq(runs.epoch, run.epoch), eq(runs.status, 'in_progress')))
}

/** Gives up every run of this owner, for any replica to take. */
export async function releaseLeases(executor: Executor, lease: Lease): Promise<void> {
  await executor
    .update(runs)
    .set({ leaseOwner: null, leaseExpiresAt: sql`now()` })
    // Not as a parameter, with which the plan could not use an index of unfinished runs.
    .where(and(eq(runs.leaseOwner, lease.owner), sql`${runs.status} = 'in_progress'`))
}
