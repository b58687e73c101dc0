import { type SQL, sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { reasonOf } from '../../db/errors.ts'
import { type Proof, provenNow } from './invariant-proofs.ts'
import { type Invariant, invariants } from './invariants.ts'

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
 * Checks rules on all rows, in one transaction with one snapshot.
 * @param timeoutSeconds per statement. A rule that takes longer is not checked.
 * @throws if the database cannot be used at all.
 */
export function examineAll(
  database: Database,
  { rules = invariants, timeoutSeconds = 600 }: Limits = {},
): Promise<Examination> {
  return withTx(database, 'system', async (tx) => {
    await tx.execute(sql`set transaction isolation level repeatable read, read only`)
    await tx.execute(sql.raw(`set local statement_timeout = '${timeoutSeconds}s'`))
    return examine(tx, { rules })
  })
}

type Limits = { readonly rules?: readonly Invariant[] | undefined; readonly timeoutSeconds?: number }

type Extent = {
  readonly rules?: readonly Invariant[]
  /**
   * A `with` clause that replaces tables by some of their rows. Without it all rows are checked, and quick
   * proofs are tried first.
   */
  readonly instead?: SQL
}

/** Checks rules in an open transaction, which must see all accounts. */
export async function examine(
  tx: Executor,
  { rules = invariants, instead }: Extent = {},
): Promise<Examination> {
  const proven =
    instead || rules.every(({ provenBy }) => provenBy === undefined) ? noProofs : await proveMany(tx)
  const broken: Violation[] = []
  const unchecked: { readonly invariant: string; readonly reason: string }[] = []
  for (const { name, statement, of, provenBy } of rules) {
    if (provenBy?.every((proof) => proven.has(proof))) continue
    const plan = of === 'unfinished runs' ? plans.fewRows : instead ? plans.someRows : plans.allRows
    const shown = sql`select * from (${sql.raw(statement)}) broken limit ${sql.raw(String(maxRows))}`
    const found = await attempt(tx, plan, () => tx.execute(instead ? sql`${instead} ${shown}` : shown))
    if ('reason' in found) unchecked.push({ invariant: name, reason: found.reason })
    else if (found.value.rows.length > 0) broken.push({ invariant: name, rows: found.value.rows })
  }
  return { broken, unchecked }
}

const noProofs: ReadonlySet<Proof> = new Set()

/** Proofs only save time. If they fail, the statements decide. */
async function proveMany(tx: Executor): Promise<ReadonlySet<Proof>> {
  const proven = await attempt(tx, plans.allRows, () => provenNow(tx))
  return 'reason' in proven ? noProofs : proven.value
}

const settings = (values: Readonly<Record<string, string>>) =>
  Object.entries({ jit: 'off', enable_bitmapscan: 'off', ...values })
    .map(([name, value]) => `set local ${name} = '${value}'`)
    .join('; ')

/**
 * Row-level security hides row counts from the planner, which then expects few rows and picks nested loops.
 * These settings choose the scans and joins instead.
 */
const plans = {
  allRows: settings({
    enable_seqscan: 'on',
    enable_nestloop: 'off',
    enable_hashjoin: 'on',
    enable_sort: 'off',
    work_mem: '128MB',
  }),
  someRows: settings({ enable_seqscan: 'off', enable_nestloop: 'off', enable_hashjoin: 'on' }),
  fewRows: settings({ enable_seqscan: 'off', enable_nestloop: 'on', enable_hashjoin: 'off' }),
} as const

/** Uses a savepoint, so a failing statement does not end the transaction. */
async function attempt<T>(
  tx: Executor,
  plan: string,
  work: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly reason: string }> {
  try {
    await tx.execute(sql.raw(`savepoint rule; ${plan}`))
    const value = await work()
    await tx.execute(sql`release savepoint rule`)
    return { value }
  } catch (error) {
    await tx.execute(sql`rollback to savepoint rule`).catch(() => undefined)
    return { reason: reasonOf(error) }
  }
}
