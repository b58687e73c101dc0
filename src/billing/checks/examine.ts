import { sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { reasonOf } from '../../db/errors.ts'
import { type Look, looks } from './invariants.ts'

export type Violation = { readonly invariant: string; readonly rows: readonly unknown[] }

/** The findings of a check. A rule that holds is in neither list. */
export type Examination = {
  /** Each with up to 20 rows that break it. */
  readonly broken: readonly Violation[]
  /** Rules with an unknown result: their statement failed or timed out. */
  readonly unchecked: readonly { readonly invariant: string; readonly reason: string }[]
}

/** Rows shown per broken rule. */
const maxRows = 20

/**
 * Checks all rules on one snapshot, and writes nothing. Two connections share the looks, because Postgres groups and joins
 * rows of one statement on one core.
 * @param timeoutSeconds per statement. Rules whose statement takes longer are not checked.
 * @throws if the database cannot be used at all.
 */
export async function examineAll(database: Database, timeoutSeconds = 600): Promise<Examination> {
  const begin = async (tx: Executor) => {
    await tx.execute(sql`set transaction isolation level repeatable read, read only`)
    await tx.execute(sql.raw(`set local statement_timeout = '${timeoutSeconds}s'`))
    await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`)
  }
  return withTx(database, 'system', async (one) => {
    await begin(one)
    const { rows } = await one.execute<{ id: string }>(sql`select pg_export_snapshot() as id`)
    return withTx(database, 'system', async (other) => {
      await begin(other)
      await other.execute(sql.raw(`set transaction snapshot '${rows[0]?.id}'`))
      const waiting = looks.values()
      const [first, second] = await Promise.all([examine(one, waiting), examine(other, waiting)])
      return {
        broken: [...first.broken, ...second.broken],
        unchecked: [...first.unchecked, ...second.unchecked],
      }
    })
  })
}

/**
 * Row-level security hides row counts from the planner, which then expects few rows and picks nested loops. Each look reads
 * whole tables, so these settings choose scans and hash joins.
 */
const plans = `set local jit = off; set local enable_nestloop = off; set local enable_mergejoin = off;
  set local enable_sort = off; set local work_mem = '256MB'; set local max_parallel_workers_per_gather = 0`

/**
 * Checks the rules in an open transaction, which must see all accounts.
 * @param waiting the looks to make. Several transactions may take them from one list.
 */
export async function examine(tx: Executor, waiting: Iterable<Look> = looks): Promise<Examination> {
  const broken: Violation[] = []
  const unchecked: { readonly invariant: string; readonly reason: string }[] = []
  await tx.execute(sql.raw(plans))
  for (const look of waiting) {
    await tx.execute(sql`savepoint look`)
    try {
      broken.push(...(await violationsIn(tx, look)))
    } catch (error) {
      await tx.execute(sql`rollback to savepoint look`)
      const reason = reasonOf(error)
      unchecked.push(...Object.keys(look.rules).map((invariant) => ({ invariant, reason })))
    }
  }
  return { broken, unchecked }
}

/** One pass finds which rules are broken. Only those are looked at again for their rows. */
async function violationsIn(tx: Executor, { from, show, rules }: Look): Promise<readonly Violation[]> {
  const conditions = Object.values(rules).map((broken, i) => `bool_or(${broken}) as "${i}"`)
  const found = await tx.execute<Record<string, boolean>>(
    sql.raw(`select ${conditions.join(', ')} from ${from}`),
  )
  const violations: Violation[] = []
  for (const [i, [invariant, broken]] of Object.entries(rules).entries()) {
    if (!found.rows[0]?.[i]) continue
    const { rows } = await tx.execute(sql.raw(`select ${show} from ${from} where ${broken} limit ${maxRows}`))
    violations.push({ invariant, rows })
  }
  return violations
}

/** The result of the newest check, on whichever replica it ran. */
export type CheckState = {
  readonly checkedAt: Date
  readonly broken: readonly string[]
  readonly unchecked: readonly string[]
}

/** One check runs at a time over all replicas. The lock is released with its transaction. */
const checkLock = 7_203_115_030n
/** Per statement of a check by the service. */
const watchSeconds = 120

/**
 * Checks all rules, unless another replica does it now or a check began within `freshSeconds`.
 * @param onFound called with the findings of this check.
 * @returns the newest state; undefined while the first check runs on another replica.
 */
export async function examineUnlessFresh(
  database: Database,
  freshSeconds: number,
  onFound: (found: Examination) => void,
): Promise<CheckState | undefined> {
  await withTx(database, 'system', async (tx) => {
    const { rows } = await tx.execute<{ due: boolean }>(sql`
      select pg_try_advisory_xact_lock(${checkLock}) and not exists (
        select from invariant_checks where attempted_at > now() - make_interval(secs => ${freshSeconds})) as due`)
    if (!rows[0]?.due) return
    // The check has its own transaction. This one holds the lock meanwhile.
    await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`)
    const found = await examineAll(database, watchSeconds)
    await save(tx, found)
    onFound(found)
  })
  const { rows } = await database.system.execute<{ at: string; broken: string[]; unchecked: string[] }>(sql`
    select extract(epoch from checked_at)::text as at, broken, unchecked from invariant_checks`)
  return rows[0] && { ...rows[0], checkedAt: new Date(Number(rows[0].at) * 1_000) }
}

async function save(tx: Executor, { broken, unchecked }: Examination): Promise<void> {
  const names = (found: readonly { readonly invariant: string }[]) =>
    sql`${sql.param(found.map(({ invariant }) => invariant))}::text[]`
  await tx.execute(sql`
    insert into invariant_checks as c (id, checked_at, attempted_at, broken, unchecked)
    values (1, case when ${unchecked.length === 0} then clock_timestamp() else 'epoch' end, clock_timestamp(),
      ${names(broken)}, ${names(unchecked)})
    on conflict (id) do update set checked_at = greatest(c.checked_at, excluded.checked_at),
      attempted_at = excluded.attempted_at, broken = excluded.broken, unchecked = excluded.unchecked`)
}
