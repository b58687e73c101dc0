import { type SQL, sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { type Examination, examine, examineAll } from './examine.ts'
import { type Invariant, invariants } from './invariants.ts'

/** The result of the newest check, on whichever replica it ran. */
export type CheckState = {
  readonly checkedAt: Date
  readonly broken: readonly string[]
  readonly unchecked: readonly string[]
}

/** One check runs at a time over all replicas. The lock is released with its transaction. */
const checkLock = 7_203_115_030n

/** Ledger transactions per batch. */
const batchSize = 3_000
/** Old transactions, and old runs, that each check examines again. */
const patrolSize = 1_000
/** After this time the remaining rows wait for the next check. */
const maxMs = 60_000
/** Smaller than every transaction id. */
const beforeAll = -1
/** A transaction may become visible later than one with a higher id. After this time its id is settled. */
const settledSeconds = 60

/**
 * Checks what changed since the last check of any replica, compares pools by stored sums, and examines a slice
 * of old rows again. A suspected violation is confirmed on all rows. Does nothing while another replica checks,
 * or if a check began within `freshSeconds`.
 * @param onBroken called with the findings of this check.
 * @returns the newest state; undefined while the first check runs on another replica.
 */
export async function checkChanges(
  database: Database,
  freshSeconds: number,
  onBroken: (found: Examination) => void,
): Promise<CheckState | undefined> {
  await withTx(database, 'system', async (lock) => {
    const { rows } = await lock.execute<{ mine: boolean }>(sql`
      select pg_try_advisory_xact_lock(${checkLock}) as mine`)
    if (!rows[0]?.mine || (await isFresh(lock, freshSeconds))) return
    // The transaction only holds the lock while the check runs in its own transaction.
    await lock.execute(sql`set local idle_in_transaction_session_timeout = 0`)
    onBroken(await checkOnce(database))
  })
  return readState(database.system)
}

async function isFresh(executor: Executor, seconds: number): Promise<boolean> {
  const { rows } = await executor.execute(sql`
    select 1 from invariant_checks where attempted_at > now() - make_interval(secs => ${seconds})`)
  return rows.length > 0
}

async function readState(executor: Executor): Promise<CheckState | undefined> {
  const { rows } = await executor.execute<{ at: string; broken: string[]; unchecked: string[] }>(sql`
    select extract(epoch from checked_at)::text as at, broken, unchecked from invariant_checks`)
  return rows[0] && { ...rows[0], checkedAt: new Date(Number(rows[0].at) * 1_000) }
}

async function checkOnce(database: Database): Promise<Examination> {
  const seen = await withTx(database, 'system', async (tx) => {
    await tx.execute(sql`set transaction isolation level repeatable read`)
    return checkFromMark(tx)
  })
  if (seen && seen.suspects.size === 0) return seen
  // The first check of an installation, and a check that found something, examine all rows.
  const rules = seen && invariants.filter(({ name }) => seen.suspects.has(name))
  const found = await examineAll(database, { rules, timeoutSeconds: 120 })
  const all = { broken: found.broken, unchecked: [...(seen?.unchecked ?? []), ...found.unchecked] }
  await withTx(database, 'system', (tx) => startOver(tx, all))
  return all
}

type Marks = {
  readonly ledger_mark: number
  readonly patrol_transaction: number
  readonly patrol_run: string
}

type Seen = Examination & { readonly suspects: ReadonlySet<string> }

/**
 * Runs one check in an open transaction with one snapshot, without confirming on all rows.
 * @returns undefined before the first check.
 */
export async function checkFromMark(tx: Executor): Promise<Seen | undefined> {
  await tx.execute(sql`set local statement_timeout = '15s'`)
  const { rows } = await tx.execute<Marks>(sql`
    select ledger_mark::float8, patrol_transaction::float8, patrol_run from invariant_checks`)
  const marks = rows[0]
  if (!marks) return undefined
  const results = new Results()
  const { mark, isWhole } = await checkNew(tx, marks.ledger_mark, results)
  results.add(await examine(tx, { rules: rulesOf('unfinished runs') }))
  results.add(await examine(tx, { rules: rulesOf('pools'), instead: sumsFrom(mark) }))
  const patrol = await patrolOld(tx, marks, results)
  await saveState(tx, results, isWhole)
  await tx.execute(sql`
    update invariant_checks set ledger_mark = ${mark}, patrol_transaction = ${patrol.transaction}, patrol_run = ${patrol.run}`)
  return results.seen()
}

/** Collects the findings of several batches. A rule that breaks in several of them is named once. */
class Results {
  readonly #broken: Examination['broken'][number][] = []
  readonly #unchecked: Examination['unchecked'][number][] = []

  add({ broken, unchecked }: Examination): void {
    this.#broken.push(...broken)
    this.#unchecked.push(...unchecked)
  }

  seen(): Seen {
    const names = this.#broken.map(({ invariant }) => invariant)
    return { broken: this.#broken, unchecked: this.#unchecked, suspects: new Set(names) }
  }
}

const rulesOf = (of: Invariant['of']) => invariants.filter((rule) => (rule.of ?? 'runs') === of)

/**
 * Checks every transaction after the mark.
 * @returns the new mark, and whether the check finished in time.
 */
async function checkNew(
  tx: Executor,
  from: number,
  results: Results,
): Promise<{ readonly mark: number; readonly isWhole: boolean }> {
  const begun = performance.now()
  let mark = from
  while (performance.now() - begun < maxMs) {
    const batch = await transactionsAfter(tx, mark, batchSize)
    const range = rangeOf(mark, batch, batchSize)
    results.add(await examine(tx, { rules: rulesOf('runs'), instead: await rowsOf(tx, batch, range) }))
    const settled = batch.filter(({ settled }) => settled).at(-1)?.id ?? mark
    await addSums(tx, mark, settled)
    mark = settled
    if (batch.length < batchSize || batch.some((line) => !line.settled)) return { mark, isWhole: true }
  }
  return { mark, isWhole: false }
}

type Line = { readonly id: number; readonly run_id: string | null; readonly settled: boolean }

async function transactionsAfter(tx: Executor, mark: number, count: number): Promise<readonly Line[]> {
  const { rows } = await tx.execute<Line>(sql`
    select id::float8, run_id, created_at < now() - make_interval(secs => ${settledSeconds}) as settled
    from credit_transactions where id > ${mark} order by id limit ${count}`)
  const open = rows.findIndex((line) => !line.settled)
  // A transaction after an unsettled one is not settled either.
  return open < 0 ? rows : rows.map((line, i) => (i < open ? line : { ...line, settled: false }))
}

type Range = { readonly after: number; readonly to: number }

/** The ids of a batch, including gaps and the rest after it: entries may exist without a transaction. */
const rangeOf = (after: number, lines: readonly Line[], size: number): Range => ({
  after,
  to: lines.length < size ? Number.MAX_SAFE_INTEGER : (lines.at(-1)?.id ?? after),
})

/** A `with` clause that replaces the tables by the rows of these transactions and runs. */
async function rowsOf(
  tx: Executor,
  lines: readonly Line[],
  { after, to }: Range,
  further: readonly string[] = [],
): Promise<SQL> {
  const runs = [...new Set([...lines.flatMap(({ run_id }) => run_id ?? []), ...further])]
  const ofRuns = sql.param(runs)
  const { rows } = await tx.execute<{ id: number }>(sql`
    select id::float8 from credit_transactions
    where run_id = any(${ofRuns}::text[]) and kind in ('hold', 'charge', 'release')
    union all select id from credit_transactions where run_id = any(${ofRuns}::text[]) and kind = 'extend'`)
  const transactions = sql.param([...new Set([...lines, ...rows].map(({ id }) => id))])
  return sql`with runs as materialized (select * from public.runs where id = any(${ofRuns}::text[])),
    run_steps as materialized (select * from public.run_steps where run_id = any(${ofRuns}::text[])),
    run_events as materialized (select * from public.run_events where run_id = any(${ofRuns}::text[])),
    credit_transactions as materialized (select * from public.credit_transactions where id = any(${transactions}::bigint[])),
    credit_entries as materialized (
      select * from public.credit_entries where transaction_id = any(${transactions}::bigint[])
      union select * from public.credit_entries where transaction_id > ${after} and transaction_id <= ${to})`
}

/** A `with` clause that replaces the entries by the sums up to the mark and the entries after it. */
const sumsFrom = (mark: number) => sql`with credit_entries as materialized (
    select pool_id, ledger, amount_micros from public.invariant_sums
    union all select pool_id, ledger, amount_micros from public.credit_entries where transaction_id > ${mark})`

async function addSums(tx: Executor, from: number, to: number): Promise<void> {
  await tx.execute(sql`
    insert into invariant_sums as s (pool_id, ledger, amount_micros)
    select pool_id, ledger, sum(amount_micros) from credit_entries
    where transaction_id > ${from} and transaction_id <= ${to} group by pool_id, ledger
    on conflict (pool_id, ledger) do update set amount_micros = s.amount_micros + excluded.amount_micros`)
}

/**
 * Examines a slice of old rows, so that over time every row is checked again. A manipulation of old rows leaves
 * no trace in the ledger.
 */
async function patrolOld(tx: Executor, marks: Marks, results: Results) {
  const lines = await transactionsAfter(tx, marks.patrol_transaction, patrolSize)
  const { rows } = await tx.execute<{ run_id: string }>(sql`
    (select distinct run_id from run_steps where run_id > ${marks.patrol_run} order by run_id limit ${patrolSize})
    union (select distinct run_id from run_events where run_id > ${marks.patrol_run} order by run_id limit ${patrolSize})
    order by run_id limit ${patrolSize}`)
  const runs = rows.map(({ run_id }) => run_id)
  const range = rangeOf(marks.patrol_transaction, lines, patrolSize)
  results.add(await examine(tx, { rules: rulesOf('runs'), instead: await rowsOf(tx, lines, range, runs) }))
  return {
    transaction: lines.length < patrolSize ? beforeAll : (lines.at(-1)?.id ?? beforeAll),
    run: runs.length < patrolSize ? '' : (runs.at(-1) ?? ''),
  }
}

async function saveState(tx: Executor, results: Results, isWhole: boolean): Promise<void> {
  const { broken, unchecked } = names(results.seen())
  await tx.execute(sql`
    update invariant_checks set attempted_at = clock_timestamp(),
      checked_at = case when ${isWhole && unchecked.length === 0} then clock_timestamp() else checked_at end,
      broken = ${sql.param(broken)}::text[], unchecked = ${sql.param(unchecked)}::text[]`)
}

const names = ({ broken, unchecked }: Examination) => ({
  broken: [...new Set(broken.map(({ invariant }) => invariant))],
  unchecked: [...new Set(unchecked.map(({ invariant }) => invariant))],
})

/** Saves the result of a check of all rows, and rebuilds the sums from all settled entries. */
async function startOver(tx: Executor, found: Examination): Promise<void> {
  await tx.execute(sql`set transaction isolation level repeatable read`)
  await tx.execute(sql`set local statement_timeout = '120s'`)
  const { rows } = await tx.execute<{ mark: number }>(sql`
    select coalesce(max(id) filter (where created_at < now() - make_interval(secs => ${settledSeconds})), ${beforeAll})::float8 as mark
    from (select id, created_at from credit_transactions order by id desc limit 100000) newest`)
  const mark = rows[0]?.mark ?? beforeAll
  const { broken, unchecked } = names(found)
  const checked = unchecked.length === 0
  await tx.execute(sql`delete from invariant_sums`)
  await addSums(tx, beforeAll, mark)
  await tx.execute(sql`
    insert into invariant_checks (id, ledger_mark, checked_at, attempted_at, broken, unchecked)
    values (1, ${mark}, case when ${checked} then clock_timestamp() else 'epoch' end, clock_timestamp(),
      ${sql.param(broken)}::text[], ${sql.param(unchecked)}::text[])
    on conflict (id) do update set ledger_mark = excluded.ledger_mark, attempted_at = excluded.attempted_at,
      checked_at = case when ${checked} then excluded.checked_at else invariant_checks.checked_at end,
      broken = excluded.broken, unchecked = excluded.unchecked`)
}
