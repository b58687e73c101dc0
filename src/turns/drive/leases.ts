import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Plans } from '../../accounts/plans.ts'
import { type Database, type Executor, withBackgroundTx } from '../../db/client.ts'
import { runs } from '../../db/schema/index.ts'
import { type PeriodicTask, startPeriodicTask } from '../../periodic-work.ts'
import type { OutageLog } from '../replicas/outage-log.ts'
import { type Lease, leaseSeconds } from '../run/lease.ts'
import type { Run } from '../run/run.ts'
import { lockedRuns } from '../run/runs.ts'

/**
 * Claims one run that nobody drives, in the caller's transaction. Runs without an owner come first, then the
 * queued run that has waited longest. The new epoch fences off a former owner.
 * @param options.orphans false: claim only released runs, not runs whose lease expired.
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

/** The session has no earlier unfinished turn. */
const isNext = sql`not exists (
  select 1 from runs earlier
  where earlier.session_id = r.session_id and earlier.turn < r.turn
    and earlier.status in ('queued', 'in_progress'))`

/**
 * Claims a run that needs no free slot. A run in progress already has its slot; a queued run that is cancelled
 * or past its deadline calls no model.
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

/** Maximum accounts that one look considers. Those with the longest wait come first. */
const maxAccounts = 20
/** First half of the advisory lock key for claiming an account's queued runs. The number is arbitrary. */
const slotsLock = 720_311_503

/**
 * Claims the oldest queued run of the account that has waited longest and has a free slot. One claim at a time
 * runs per account, so its slots are counted exactly. Accounts without a free slot, and accounts that another
 * replica checks at this moment, are skipped.
 */
async function claimWaiting(executor: Executor, lease: Lease, plans: Plans): Promise<Run | undefined> {
  const names = [...plans.names]
  const slots = names.map((name) => plans.of(name).concurrentTurns)
  const { rows } = await executor.execute<{ account: string; slots: number }>(sql`
    with waiting as (
      select r.account_id as account, min(r.created_at) as since from runs r
      where r.status = 'queued' and ${isNext} group by 1)
    select account, p.slots from waiting
      join accounts a on a.id = account
      join unnest(${sql.param(names)}::text[], ${sql.param(slots)}::int[]) as p (plan, slots) on p.plan = a.plan
    where ${running(sql`account`)} < p.slots
    order by since limit ${maxAccounts}`)
  for (const { account, slots } of rows) {
    const lock = await executor.execute<{ ok: boolean }>(
      sql`select pg_try_advisory_xact_lock(${slotsLock}, hashtext(${account})) as ok`,
    )
    // The first count was read without the lock. This one decides.
    const run = lock.rows[0]?.ok
      ? await claim(
          executor,
          lease,
          sql`select r.id from runs r
            where r.account_id = ${account} and r.status = 'queued' and ${isNext}
              and ${running(sql`${account}`)} < ${slots}
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
      // If the replica of the waiting client has ended, the client is disconnected. From now on an equal
      // request counts as a retry.
      clientClosedAt: sql`case when ${runs.clientAt} is not null and replica_ended(${runs.clientAt})
        then coalesce(${runs.clientClosedAt}, now()) else ${runs.clientClosedAt} end`,
    })
    .where(eq(runs.id, sql`(${candidate})`))
    .returning()
  return run
}

/**
 * Extends the leases of these runs, if this owner holds them and they are not overdue: one minute past the deadline
 * the owner hangs.
 * @param locked what to do about rows that another transaction has locked.
 * @returns ids of the runs whose leases were not extended.
 */
export async function renewLeases(
  executor: Executor,
  { owner, seconds }: Lease,
  runIds: readonly string[],
  locked: 'skip' | 'wait',
): Promise<readonly string[]> {
  // One text for all ids: a process may drive thousands of runs.
  const ids = sql`string_to_array(${runIds.join(',')}, ',')`
  // `status || ''` keeps the planner from using an index of open runs.
  const { rows } = await executor.execute<{ id: string }>(sql`
    with given as (select unnest(${ids}) as id), prolonged as (
      update runs set lease_expires_at = now() + make_interval(secs => ${seconds})
      where id in (select id from runs where id = any(${ids}) order by id
          for no key update ${locked === 'skip' ? sql`skip locked` : sql``})
        and lease_owner = ${owner} and status || '' = 'in_progress' and deadline_at >= now() - interval '1 minute'
      returning id)
    select id from given where id not in (select id from prolonged)`)
  return rows.map(({ id }) => id)
}

type StoppableRun = { readonly id: string; readonly lost: boolean }

/** Finds those of an owner's runs that it must stop: they have another owner or were deleted (`lost`), or are to be cancelled. */
export async function stoppableRuns(
  executor: Executor,
  owned: readonly { readonly id: string; readonly epoch: number }[],
): Promise<readonly StoppableRun[]> {
  const ids = owned.map(({ id }) => id).join(',')
  const epochs = owned.map(({ epoch }) => epoch).join(',')
  const { rows } = await executor.execute<StoppableRun>(sql`
    select given.id, runs.epoch is distinct from given.epoch as lost
    from unnest(string_to_array(${ids}, ','), string_to_array(${epochs}, ',')::int[]) as given (id, epoch)
      left join runs on runs.id = given.id
    where runs.epoch is distinct from given.epoch or runs.cancel_requested_at is not null`)
  return rows
}

/**
 * Releases one attempt at a run, so any replica can claim it. Does nothing if this process is no longer the
 * owner.
 */
export async function releaseLease(
  executor: Executor,
  run: { readonly id: string; readonly epoch: number },
): Promise<void> {
  await executor
    .update(runs)
    .set({ leaseOwner: null, leaseExpiresAt: sql`now()` })
    .where(and(eq(runs.id, run.id), eq(runs.epoch, run.epoch), eq(runs.status, 'in_progress')))
}

/** Releases every run of this owner, so any replica can claim them. */
export async function releaseLeases(executor: Executor, lease: Lease): Promise<void> {
  await executor
    .update(runs)
    .set({ leaseOwner: null, leaseExpiresAt: sql`now()` })
    // With a parameter in place of the literal, the plan could not use an index of unfinished runs.
    .where(
      inArray(
        runs.id,
        lockedRuns(executor, and(eq(runs.leaseOwner, lease.owner), sql`${runs.status} = 'in_progress'`)),
      ),
    )
}

/** Signals make a look happen sooner. */
const pollMs = 1_000
/** Owners renew every third of a lease. After an outage this long, leases of live owners may have expired. */
const longOutageMs = (leaseSeconds * 1_000) / 2
/** After a long outage, owners get this time to renew before their runs count as orphans. */
const renewalMs = 5_000

export type ClaimingOptions = {
  readonly database: Database
  readonly lease: Lease
  readonly plans: Plans
  readonly outage: OutageLog
  /** While it returns true, nothing is claimed. */
  readonly paused: () => boolean
  /** Called with each claimed run. */
  readonly start: (run: Run) => void
}

/** Looks for runs without an owner every second and on signals, and claims them one by one. */
export function createClaiming(options: ClaimingOptions): PeriodicTask {
  const { database, lease, plans, outage } = options
  let lastClaimAt = performance.now()
  let orphansFrom = lastClaimAt

  const claimNext = async () => {
    const wasAway = performance.now() - lastClaimAt > longOutageMs
    const orphans = !wasAway && performance.now() >= orphansFrom
    const run = await withBackgroundTx(database, (tx) => claimRun(tx, lease, { plans, orphans }))
    lastClaimAt = performance.now()
    if (wasAway) orphansFrom = lastClaimAt + renewalMs
    return run
  }

  const claimAll = async () => {
    while (!options.paused()) {
      const run = await claimNext()
      outage.works()
      if (!run) return
      options.start(run)
    }
  }
  return startPeriodicTask(claimAll, pollMs, outage.failed)
}
