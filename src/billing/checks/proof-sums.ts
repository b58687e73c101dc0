import { type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import type { movements } from '../ledger.ts'
import { ledgerWeight, type Weights } from './proof-weights.ts'

/*
 * Each function scans one table once, in parallel, and joins no table of that size. Looking up the run of each row would
 * take several times as long as the scan.
 */

const finished = `status in ('completed', 'failed', 'cancelled')`
/** Such a run may have no charge although its steps have a cost. */
const free = `status = 'failed' and cost_micros = 0`

export type RunSums = {
  readonly holds: bigint
  /** Cost of finished runs. */
  readonly costs: bigint
  /** Weights of finished runs, and of those among them that are not free. */
  readonly finished: bigint
  readonly paid: bigint
  readonly stepCounts: bigint
  readonly stepNumbers: bigint
  /** Whether a failed run without output has a cost. */
  readonly costsForNothing: boolean
  /** Ids of unfinished runs. */
  readonly open: readonly string[]
  /** Ids of failed runs that cost nothing, and of those among them without output. */
  readonly free: readonly string[]
  readonly silent: readonly string[]
}

export async function sumRuns(executor: Executor, { prime, ofText }: Weights): Promise<RunSums> {
  const weight = ofText('id')
  const isSilent = `case when status = 'failed' then jsonb_array_length(output) = 0 else false end`
  const row = await one<Texts<RunSums>>(
    executor,
    sql.raw(`select sum(hold_micros % ${prime} * ${weight}) as holds,
        sum(cost_micros % ${prime} * ${weight}) filter (where ${finished}) as costs,
        sum(${weight}) filter (where ${finished}) as finished,
        sum(${weight}) filter (where ${finished} and not (${free})) as paid,
        sum(step_count * ${weight}) as "stepCounts",
        sum(step_count::bigint * (step_count + 1) / 2 * ${weight}) as "stepNumbers",
        coalesce(bool_or(cost_micros <> 0 and ${isSilent}), false) as "costsForNothing",
        coalesce(array_agg(id) filter (where not (${finished})), '{}') as open,
        coalesce(array_agg(id) filter (where ${free}), '{}') as free,
        coalesce(array_agg(id) filter (where cost_micros = 0 and ${isSilent}), '{}') as silent
      from runs`),
  )
  return {
    ...row,
    holds: big(row.holds),
    costs: big(row.costs),
    finished: big(row.finished),
    paid: big(row.paid),
    stepCounts: big(row.stepCounts),
    stepNumbers: big(row.stepNumbers),
  }
}

export type StepSums = {
  readonly counts: bigint
  readonly numbers: bigint
  /** Cost of the steps of finished runs that are not free. */
  readonly costs: bigint
  readonly minNumber: number
  readonly hasNegativeCost: boolean
}

export async function sumSteps(
  executor: Executor,
  { prime, ofText }: Weights,
  { open, free }: RunSums,
): Promise<StepSums> {
  const weight = sql.raw(ofText('run_id'))
  const row = await one<Texts<StepSums>>(
    executor,
    sql`select sum(${weight}) as counts, sum(step * ${weight}) as numbers,
        sum(cost_micros % ${sql.raw(String(prime))} * ${weight})
          filter (where cost_micros <> 0 and run_id <> all(${list([...open, ...free])})) as costs,
        coalesce(min(step), 1) as "minNumber", coalesce(min(cost_micros) < 0, false) as "hasNegativeCost"
      from run_steps`,
  )
  return { ...row, counts: big(row.counts), numbers: big(row.numbers), costs: big(row.costs) }
}

/** Finds faults in the event log. Few runs have events, because they are deleted a day after the run's end. */
export function faultsOfEvents(executor: Executor): Promise<{ withoutRun: boolean; gaps: boolean }> {
  return one(
    executor,
    sql`with numbers as materialized (
        select run_id, count(*) as n, min(seq) as first, max(seq) as last from run_events group by run_id)
      select coalesce(bool_or(r.id is null), false) as "withoutRun",
        coalesce(bool_or(n <> last - first + 1 or last <> r.event_count), false) as gaps
      from numbers left join (select id, event_count from runs) r on r.id = numbers.run_id`,
  )
}

export type TransactionSums = {
  readonly kind: keyof typeof movements
  /** Which runs the sums cover: `open` are unfinished; `free` and `silent`, as above, apply to charges only. */
  readonly of: 'open' | 'silent' | 'free' | 'others'
  /**
   * Number of transactions, weights of their runs, and amounts weighted by run, and by transaction and account.
   */
  readonly count: bigint
  readonly runs: bigint
  readonly amounts: bigint
  readonly weighed: bigint
}

export async function sumTransactions(
  executor: Executor,
  { prime, ofNumber, ofText }: Weights,
  { open, free, silent }: RunSums,
): Promise<readonly TransactionSums[]> {
  const weighed = `amount_micros % ${prime} * ${ofNumber('id')} % ${prime} * ${ofText('account_id')}`
  const { rows } = await executor.execute<Texts<TransactionSums>>(
    sql`select kind, case when run_id = any(${list(open)}) then 'open'
          when kind = 'charge' and run_id = any(${list(free)})
            then case when run_id = any(${list(silent)}) then 'silent' else 'free' end else 'others' end as of,
        count(*) as count, sum(${sql.raw(ofText('run_id'))}) as runs,
        sum(${sql.raw(`amount_micros % ${prime} * ${ofText('run_id')}`)}) as amounts, sum(${sql.raw(weighed)}) as weighed
      from credit_transactions group by 1, 2`,
  )
  return rows.map((row) => ({
    ...row,
    count: big(row.count),
    runs: big(row.runs),
    amounts: big(row.amounts),
    weighed: big(row.weighed),
  }))
}

export type ForgottenSums = Pick<TransactionSums, 'kind' | 'runs' | 'amounts'>

/** Sums of transactions whose runs were deleted. The ledger outlives deleted sessions. */
export async function sumForgotten(
  executor: Executor,
  { prime, ofText }: Weights,
): Promise<readonly ForgottenSums[]> {
  const { rows } = await executor.execute<Texts<ForgottenSums>>(
    sql`select kind, sum(${sql.raw(ofText('run_id'))}) as runs,
        sum(${sql.raw(`amount_micros % ${prime} * ${ofText('run_id')}`)}) as amounts
      from credit_transactions where run_id in (
        select t.run_id from credit_transactions t left join (select id from runs) r on r.id = t.run_id
        where t.kind = 'hold' and r.id is null)
      group by kind`,
  )
  return rows.map((row) => ({ ...row, runs: big(row.runs), amounts: big(row.amounts) }))
}

export type EntrySums = {
  readonly weighed: bigint
  readonly inTheirPools: boolean
  readonly poolsAddUp: boolean
  /** Accounts with held credits of several pools. */
  readonly accounts: readonly string[]
}

export async function sumEntries(executor: Executor, weights: Weights): Promise<EntrySums> {
  const { prime, ofNumber, ofText } = weights
  const micros = `amount_micros % ${prime} * ${ofNumber('transaction_id')}`
  const row = await one<Texts<EntrySums>>(
    executor,
    sql.raw(`with entries as materialized (
        select pool_id, account_id, ledger, sum(amount_micros) as micros, bool_or(amount_micros = 0) as has_empty,
          coalesce(sum(${micros}) filter (where amount_micros > 0), 0) as came,
          coalesce(sum(${micros}) filter (where amount_micros < 0), 0) as went
        from credit_entries group by pool_id, account_id, ledger)
      select
        (select sum((came % ${prime} * ${ledgerWeight(weights, 'into')} + went % ${prime} * ${ledgerWeight(weights, 'outOf')})
          % ${prime} * ${ofText('account_id')}) from entries) as weighed,
        not exists (select from entries e left join credit_pools p on p.id = e.pool_id
          where e.has_empty or p.account_id is distinct from e.account_id) as "inTheirPools",
        not exists (select from credit_pools p left join (
            select pool_id, sum(micros) filter (where ledger = 'available') as available,
              sum(micros) filter (where ledger = 'held') as held
            from entries group by pool_id) s on s.pool_id = p.id
          where p.available_micros <> coalesce(s.available, 0) or p.held_micros <> coalesce(s.held, 0)) as "poolsAddUp",
        array(select account_id from entries where ledger = 'held' group by account_id having count(*) > 1) as accounts`),
  )
  return { ...row, weighed: big(row.weighed) }
}

/**
 * Whether held credits of these accounts returned to their pools. This is the only proof that joins entries
 * with transactions.
 */
export async function heldKeepsToPools(
  executor: Executor,
  { prime, ofNumber, ofText }: Weights,
  { open }: RunSums,
  { accounts }: EntrySums,
): Promise<boolean> {
  if (accounts.length === 0) return true
  const weighed = `amount_micros % ${prime} * run % ${prime} * ${ofNumber('pool_id')}`
  const { kept } = await one<{ kept: boolean }>(
    executor,
    sql`select coalesce(sum(${sql.raw(weighed)}), 0) % ${sql.raw(String(prime))} = 0 as kept
      from credit_entries e join (
        select id, ${sql.raw(ofText('run_id'))} as run from credit_transactions where run_id <> all(${list(open)})) t
        on t.id = e.transaction_id
      where e.ledger = 'held' and e.account_id = any(${list(accounts)})`,
  )
  return kept
}

/** The form of `T` that the driver returns: bigints as text. */
type Texts<T> = { readonly [K in keyof T]: T[K] extends bigint ? string | null : T[K] }

const big = (text: string | null) => BigInt(text ?? 0)
const list = (ids: readonly string[]): SQL => sql`${sql.param(ids)}::text[]`

async function one<T extends Record<string, unknown>>(executor: Executor, statement: SQL): Promise<T> {
  const { rows } = await executor.execute<T>(statement)
  if (!rows[0]) throw new Error('a sum has no row')
  return rows[0] as T
}
