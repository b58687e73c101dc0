import { type SQL, sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { reasonOf } from '../../db/errors.ts'
import { type Proof, provenNow } from './invariant-proofs.ts'
import { type Invariant, invariants } from './invariants.ts'

export type Violation = { readonly invariant: string; readonly rows: readonly unknown[] }

/** What a check found out. A rule is in neither list when it holds. */
export type Examination = {
  /** Each with up to 20 of the rows that break it. */
  readonly broken: readonly Violation[]
  /** Rules that may hold or not: their statement failed or took too long. */
  readonly unchecked: readonly { readonly invariant: string; readonly reason: string }[]
}

/** Rows shown of one broken rule. */
const maxRows = 20

/**
 * Checks rules on all rows, in one transaction that sees one state of the database.
 * @param timeoutSeconds for a single statement; a rule whose statement takes longer is not checked.
 * @throws when the database cannot be used at all.
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
  /** A `with` clause that puts some rows in the place of tables; without it all rows count, and quick proofs are tried first. */
  readonly instead?: SQL
}

/** Checks rules in an open transaction that sees all accounts. */
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

/** Proofs only save time: without them the statement of each rule decides. */
async function proveMany(tx: Executor): Promise<ReadonlySet<Proof>> {
  const proven = await attempt(tx, plans.allRows, () => provenNow(tx))
  return 'reason' in proven ? noProofs : proven.value
}

const settings = (values: Readonly<Record<string, string>>) =>
  Object.entries({ jit: 'off', enable_bitmapscan: 'off', ...values })
    .map(([name, value]) => `set local ${name} = '${value}'`)
    .join('; ')

/**
 * Row-level security hides from the planner how many rows there are: it expects a few, and walks through all of one table for
 * each row of another. So the way to find and to join rows is set here.
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

/** Behind a savepoint: a statement that fails ends only itself. */
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
