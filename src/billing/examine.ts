import { type SQL, sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../db/client.ts'
import { reasonOf } from '../db/errors.ts'
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
 * Checks every rule on all rows, in one transaction that sees one state of the database.
 * @param timeoutSeconds for a single statement; a rule whose statement takes longer is not checked.
 * @throws when the database cannot be used at all.
 */
export function examineAll(database: Database, timeoutSeconds = 600): Promise<Examination> {
  return withTx(database, 'system', async (tx) => {
    await tx.execute(sql`set transaction isolation level repeatable read, read only`)
    await tx.execute(sql.raw(`set local statement_timeout = '${timeoutSeconds}s'`))
    return examine(tx)
  })
}

/**
 * Checks rules in an open transaction that sees all accounts.
 * @param prefix puts other rows in the place of tables; without it all rows count, and quick proofs are tried first.
 */
export async function examine(
  tx: Executor,
  { rules = invariants, prefix = sql`` }: { readonly rules?: readonly Invariant[]; readonly prefix?: SQL } = {},
): Promise<Examination> {
  const proven = prefix.queryChunks.length > 0 ? noProofs : await proveMany(tx)
  const broken: Violation[] = []
  const unchecked: { readonly invariant: string; readonly reason: string }[] = []
  for (const rule of rules) {
    if (rule.provenBy?.every((proof) => proven.has(proof))) continue
    const found = await attempt(tx, rule.of === 'unfinished runs' ? plans.byIndex : plans.byHash, () =>
      tx.execute(sql`${prefix} select * from (${sql.raw(rule.statement)}) broken limit ${sql.raw(String(maxRows))}`),
    )
    if ('reason' in found) unchecked.push({ invariant: rule.name, reason: found.reason })
    else if (found.value.rows.length > 0) broken.push({ invariant: rule.name, rows: found.value.rows })
  }
  return { broken, unchecked }
}

const noProofs: ReadonlySet<Proof> = new Set()

/** Proofs only save time: without them each rule is looked at by itself. */
async function proveMany(tx: Executor): Promise<ReadonlySet<Proof>> {
  const proven = await attempt(tx, plans.byHash, () => provenNow(tx))
  return 'reason' in proven ? noProofs : proven.value
}

/**
 * Row-level security hides from the planner how many rows there are: it expects a few, and walks through all of one table for
 * each row of another. So the way to join is set here.
 */
const plans = {
  byHash: `set local enable_nestloop = off; set local enable_sort = off; set local enable_hashjoin = on;
    set local enable_mergejoin = on; set local enable_seqscan = on; set local enable_bitmapscan = on;
    set local jit = off; set local work_mem = '128MB'`,
  byIndex: `set local enable_nestloop = on; set local enable_sort = on; set local enable_hashjoin = off;
    set local enable_mergejoin = off; set local enable_seqscan = off; set local enable_bitmapscan = off`,
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
    return { reason: reasonOf(error) || String(error) }
  }
}
