import { type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import type { movements } from '../ledger.ts'
import { ledgerWeight, type Weights } from './proof-weights.ts'

/*
 * Each function reads one table once, in parallel, and joins nothing of its size: to look each row's run up in a table of all
 * runs takes several times as long as to read the rows.
 */

const finished = `status in ('completed', 'failed', 'cancelled')`
/** It may have no charge, and its steps may have cost something. */
const free = `status = 'failed' and cost_micros = 0`

export type RunSums = {
  readonly holds: bigint
  /** Of finished runs. */
  readonly costs: bigint
  /** Weights of finished runs, and of those of them that are not free. */
  readonly finished: bigint
  readonly paid: bigint
  readonly stepCounts: bigint
  readonly stepNumbers: bigint
  /** A run that failed with nothing to show has a cost. */
  readonly costsForNothing: boolean
  /** Unfinished runs. */
  readonly open: readonly string[]
  /** Runs that failed and cost nothing, and those of them with nothing to show. */
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
  /** Of finished runs that are not free. */
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

/** What is wrong with events. There are few runs that have any, for they go a day after their run has ended. */
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
  /** Of which runs: unfinished ones, and for charges `free` and `silent` ones as above. */
  readonly of: 'open' | 'silent' | 'free' | 'others'
  /** How many, weights of their runs, amounts by their runs, and amounts by themselves and their accounts. */
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

/** Of transactions whose runs are gone: the ledger outlives the sessions that are deleted. */
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
  /** Accounts that have held credits of several pools. */
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

/** Whether held credits of these accounts went back to the pools they came from; it has to join entries with transactions. */
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

/** What `T` is as the driver gives it: big numbers as text. */
type Texts<T> = { readonly [K in keyof T]: T[K] extends bigint ? string | null : T[K] }

const big = (text: string | null) => BigInt(text ?? 0)
const list = (ids: readonly string[]): SQL => sql`${sql.param(ids)}::text[]`

async function one<T extends Record<string, unknown>>(executor: Executor, statement: SQL): Promise<T> {
  const { rows } = await executor.execute<T>(statement)
  if (!rows[0]) throw new Error('a sum has no row')
  return rows[0] as T
}
