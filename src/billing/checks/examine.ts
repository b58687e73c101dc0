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

/**
 * Checks all rules on one snapshot, and writes nothing. Two connections share the looks, because Postgres groups and joins
 * rows of one statement on one core.
 * @param timeoutSeconds per statement. Rules whose statement takes longer are not checked.
 * @throws if the database cannot be used at all.
 */
export async function examineAll(database: Database, timeoutSeconds = 600): Promise<Examination> {
  const begin = sql.raw(`set transaction isolation level repeatable read, read only;
    set local statement_timeout = '${timeoutSeconds}s'; set local idle_in_transaction_session_timeout = 0`)
  return withTx(database, 'system', async (one) => {
    await one.execute(begin)
    const { rows } = await one.execute<{ id: string }>(sql`select pg_export_snapshot() as id`)
    return withTx(database, 'system', async (other) => {
      await other.execute(begin)
      await other.execute(sql.raw(`set transaction snapshot '${rows[0]?.id}'`))
      const waiting = looks.values()
      const parts = [examine(one, waiting), examine(other, waiting)]
      // Neither transaction may end while its connection still works.
      await Promise.allSettled(parts)
      const found = await Promise.all(parts)
      return {
        broken: found.flatMap(({ broken }) => broken),
        unchecked: found.flatMap(({ unchecked }) => unchecked),
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
  const [broken, unchecked]: [Violation[], Examination['unchecked'][number][]] = [[], []]
  await tx.execute(sql.raw(plans))
  for (const look of waiting) {
    await tx.execute(sql`savepoint look`)
    try {
      broken.push(...(await violationsIn(tx, look)))
    } catch (error) {
      await tx.execute(sql`rollback to savepoint look`)
      for (const invariant of Object.keys(look.rules)) unchecked.push({ invariant, reason: reasonOf(error) })
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
    const { rows } = await tx.execute(sql.raw(`select ${show} from ${from} where ${broken} limit 20`))
    violations.push({ invariant, rows })
  }
  return violations
}

/** The result of the newest check, on whichever replica it ran. */
export type CheckState = {
  readonly checkedAt: Date
  /** Names of rules. */
  readonly broken: readonly string[]
  readonly unchecked: readonly string[]
}

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
      select pg_try_advisory_xact_lock(7203115030) and not exists (
        select from invariant_checks where attempted_at > now() - make_interval(secs => ${freshSeconds})) as due`)
    if (!rows[0]?.due) return
    // The check has its own transactions. This one holds the lock meanwhile, so that one check runs over all replicas.
    await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`)
    const found = await examineAll(database, 120)
    await save(tx, found)
    onFound(found)
  })
  return newestState(database)
}

/** The newest state; undefined before the first check. */
export async function newestState(database: Database): Promise<CheckState | undefined> {
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
