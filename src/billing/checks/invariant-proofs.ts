import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import {
  type ForgottenSums,
  faultsOfEvents,
  heldKeepsToPools,
  type RunSums,
  sumEntries,
  sumForgotten,
  sumRuns,
  sumSteps,
  sumTransactions,
  type TransactionSums,
} from './proof-sums.ts'
import { drawWeights, kindWeight, type Weights } from './proof-weights.ts'

/*
 * Quick proofs that many rules hold at once, in one pass over each table and without grouping its rows by transaction or by
 * run. A rule says "for each run (or transaction) these two sums are equal". Each run gets a random weight, new for each
 * check; if the weighted sums over all runs are equal modulo a prime, the sums of every single run are, but for a chance of
 * about one in two thousand million. A proof that fails says nothing: the statement of the rule then decides.
 */
export type Proof =
  /** Every transaction has entries of its account which move its amount between the ledgers of its kind. */
  | 'transactions balance'
  /** Every entry belongs to the account of its pool. */
  | 'entries are in their pools'
  /** The sums of every pool are those of its entries. */
  | 'pools add up'
  /** What was held of every settled run was charged or released, and no other has a charge or release. */
  | 'runs are settled in full'
  /** Credits of an account that were held could only be those of one pool, or went back to the pool they came from. */
  | 'holds keep to their pools'
  /** The database refuses a second hold, charge or release of a run. */
  | 'movements are unique'
  /** Every finished run has a release. */
  | 'finished runs are released'
  /** Every finished run has a charge, but failed ones that cost nothing. */
  | 'finished runs are charged'
  /** The hold of every run is that of its transactions. */
  | 'holds add up'
  /** The cost of every finished run is its charge. */
  | 'costs are charges'
  /** No failed run without output has a charge. */
  | 'nothing shown costs nothing'
  /** The cost of every finished run is that of its steps, but of failed ones that cost nothing. */
  | 'costs are those of steps'
  /** No step has a negative cost. */
  | 'steps cost something'
  /** Steps of every run count from 1 to its number of steps, and there are no others. */
  | 'steps are numbered'
  /** Events of every run that has any count from some number to its number of events. */
  | 'events are numbered'
  /** Every event belongs to a run. */
  | 'events have runs'

/** @param executor an open transaction that sees all accounts; what changes while it reads makes proofs fail. */
export async function provenNow(executor: Executor): Promise<ReadonlySet<Proof>> {
  const weights = drawWeights()
  const runs = await sumRuns(executor, weights)
  const proven = new Set<Proof>()
  const add = (proofs: Partial<Record<Proof, boolean>>) => {
    for (const [proof, holds] of Object.entries(proofs)) if (holds) proven.add(proof as Proof)
  }
  add(await proveSteps(executor, weights, runs))
  add(await proveEvents(executor))
  add(await proveLedger(executor, weights, runs))
  return proven
}

type Proofs = Partial<Record<Proof, boolean>>

async function proveSteps(executor: Executor, weights: Weights, runs: RunSums): Promise<Proofs> {
  const { same } = comparison(weights)
  const steps = await sumSteps(executor, weights, runs)
  return {
    'costs are those of steps': same(steps.costs, runs.costs),
    'steps cost something': !steps.hasNegativeCost,
    'steps are numbered':
      steps.minNumber >= 1 && same(steps.counts, runs.stepCounts) && same(steps.numbers, runs.stepNumbers),
  }
}

async function proveEvents(executor: Executor): Promise<Proofs> {
  // The events of few runs: each of these is looked up by its id.
  await executor.execute(sql.raw('set local enable_nestloop = on; set local enable_hashjoin = off'))
  const { withoutRun, gaps } = await faultsOfEvents(executor)
  await executor.execute(sql.raw('set local enable_nestloop = off; set local enable_hashjoin = on'))
  return { 'events are numbered': !gaps, 'events have runs': !withoutRun }
}

async function proveLedger(executor: Executor, weights: Weights, runs: RunSums): Promise<Proofs> {
  const { same } = comparison(weights)
  const transactions = await sumTransactions(executor, weights, runs)
  const entries = await sumEntries(executor, weights)
  const balance = same(
    entries.weighed,
    transactions.reduce((sum, { kind, weighed }) => sum + weighed * kindWeight(weights, kind), 0n),
  )
  const settled = isSettled(weights, transactions)
  return {
    'transactions balance': balance,
    'entries are in their pools': entries.inTheirPools,
    'pools add up': entries.poolsAddUp,
    'runs are settled in full': settled,
    'holds keep to their pools':
      balance && settled && (await heldKeepsToPools(executor, weights, runs, entries)),
    'nothing shown costs nothing': !runs.costsForNothing && !transactions.some(({ of }) => of === 'silent'),
    ...(await proveMovements(executor, weights, runs, transactions)),
  }
}

function isSettled(weights: Weights, transactions: readonly TransactionSums[]): boolean {
  const of = (kinds: readonly string[]) => transactions.filter(({ kind }) => kinds.includes(kind))
  const taken = of(['hold', 'extend']).filter((sums) => sums.of !== 'open')
  const settled = of(['charge', 'release'])
  return (
    settled.every((sums) => sums.of !== 'open') &&
    comparison(weights).same(total(taken, 'amounts'), total(settled, 'amounts'))
  )
}

/** Compares the movements of all runs with the runs, and leaves out those of runs that are gone only if there are any. */
async function proveMovements(
  executor: Executor,
  weights: Weights,
  runs: RunSums,
  transactions: readonly TransactionSums[],
): Promise<Proofs> {
  const unique = await isUnique(executor)
  const first = compareMovements(weights, runs, transactions, [])
  const proofs = Object.values(first).every(Boolean)
    ? first
    : compareMovements(weights, runs, transactions, await sumForgotten(executor, weights))
  const { 'finished runs are charged': charged, 'costs are charges': costs, ...others } = proofs
  return {
    ...others,
    'movements are unique': unique,
    'finished runs are charged': unique && charged,
    'costs are charges': unique && costs,
  }
}

function compareMovements(
  weights: Weights,
  runs: RunSums,
  transactions: readonly TransactionSums[],
  forgotten: readonly ForgottenSums[],
) {
  const { same } = comparison(weights)
  const existing = (field: 'runs' | 'amounts', kinds: readonly string[], of: readonly string[]) =>
    total(
      transactions.filter((sums) => kinds.includes(sums.kind) && of.includes(sums.of)),
      field,
    ) -
    total(
      forgotten.filter((sums) => kinds.includes(sums.kind)),
      field,
    )
  const settled = ['silent', 'free', 'others']
  return {
    'finished runs are released': same(existing('runs', ['release'], settled), runs.finished),
    'finished runs are charged': same(existing('runs', ['charge'], ['others']), runs.paid),
    'holds add up': same(existing('amounts', ['hold', 'extend'], ['open', ...settled]), runs.holds),
    'costs are charges': same(existing('amounts', ['charge'], settled), runs.costs),
  }
}

async function isUnique(executor: Executor): Promise<boolean> {
  const { rows } = await executor.execute(sql`
    select 1 from pg_index where indrelid = 'credit_transactions'::regclass and indisunique and indisvalid
      and pg_get_indexdef(indexrelid) like '%(run_id, kind) WHERE (kind = ANY (ARRAY[''hold''::text, ''charge''::text, ''release''::text]))'`)
  return rows.length > 0
}

const total = <F extends 'runs' | 'amounts'>(sums: readonly Readonly<Record<F, bigint>>[], field: F) =>
  sums.reduce((sum, one) => sum + one[field], 0n)

const comparison = ({ prime }: Weights) => ({
  same: (left: bigint, right: bigint) => (left - right) % BigInt(prime) === 0n,
})
