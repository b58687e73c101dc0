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
 * Quick proofs that many rules hold, with one pass over each table and without grouping rows by transaction or run. A rule
 * says that two sums are equal for each run (or transaction). Each run gets a random weight, new for each check. If the
 * weighted sums over all runs are equal modulo a prime, then the sums of every run are equal, with an error probability of
 * about one in two thousand million. A failed proof says nothing: the rule's statement then decides.
 */
export type Proof =
  /** Every transaction has entries of its account that move its amount between the ledgers of its kind. */
  | 'transactions balance'
  /** Every entry belongs to the account of its pool. */
  | 'entries are in their pools'
  /** Every pool's sums equal the sums of its entries. */
  | 'pools add up'
  /** Every settled run's hold was fully charged or released. No other run has a charge or a release. */
  | 'runs are settled in full'
  /** Held credits return to, or are spent from, the pool that they came from. */
  | 'holds keep to their pools'
  /** The database refuses a second hold, charge or release of a run. */
  | 'movements are unique'
  /** Every finished run has a release. */
  | 'finished runs are released'
  /** Every finished run has a charge, except failed runs that cost nothing. */
  | 'finished runs are charged'
  /** Every run's hold equals the sum of its hold transactions. */
  | 'holds add up'
  /** Every finished run's cost equals its charge. */
  | 'costs are charges'
  /** No failed run without output has a charge. */
  | 'nothing shown costs nothing'
  /** Every finished run's cost equals that of its steps, except failed runs that cost nothing. */
  | 'costs are those of steps'
  /** No step has a negative cost. */
  | 'steps cost something'
  /** Every run's steps are numbered from 1 to its step count. No other steps exist. */
  | 'steps are numbered'
  /** The events of every run that still has any are numbered without gaps up to its event count. */
  | 'events are numbered'
  /** Every event belongs to a run. */
  | 'events have runs'

/**
 * Returns the proofs that succeed now.
 * @param executor an open transaction that sees all accounts. Changes during the reads make proofs fail.
 */
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
  // Few runs have events, so each run is looked up by its id.
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

/**
 * Compares the movements of all runs with the runs. Movements of deleted runs are subtracted only if the first
 * comparison fails.
 */
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
