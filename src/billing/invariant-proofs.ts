import { randomInt } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { ledgers } from '../db/schema/index.ts'
import { type Ledger, movements } from './ledger.ts'

/**
 * Quick proofs that many rules hold at once, in one pass over each table and without grouping its rows by transaction or by
 * run. A rule says "for each run (or transaction) these two sums are equal". Each run gets a random weight, new for each
 * check; if the weighted sums over all runs are equal modulo a prime, the sums of every single run are, but for a chance of
 * about one in two thousand million. A proof that fails says nothing: the statement of the rule then decides.
 */
export const proofs = [
  /** Every transaction has entries of its account which move its amount between the ledgers of its kind. */
  'transactions balance',
  /** Every entry belongs to the account of its pool. */
  'entries are in their pools',
  /** The sums of every pool are those of its entries. */
  'pools add up',
  /** What was held of every settled run was charged or released. */
  'runs are settled in full',
  /** Credits of an account that were held could only be those of one pool, or went back to the pool they came from. */
  'holds keep to their pools',
  /** The database refuses a second hold, charge or release of a run. */
  'movements are unique',
  /** Every finished run has a release. */
  'finished runs are released',
  /** Every completed run has a charge. */
  'completed runs are charged',
  /** The hold of every run is that of its transactions. */
  'holds add up',
  /** The cost of every finished run is its charge. */
  'costs are charges',
  /** No failed run without output has a charge. */
  'nothing shown costs nothing',
  /** The cost of every finished run is that of its steps. */
  'costs are those of steps',
  /** No step has a negative cost. */
  'steps cost something',
  /** Steps of every run count from 1 to its number of steps. */
  'steps are numbered',
  /** Events of every run that has any count from 1 to its number of events. */
  'events are numbered',
  /** Every step and event belongs to a run. */
  'steps and events have runs',
] as const

export type Proof = (typeof proofs)[number]

/** @param executor an open transaction that sees all accounts; its isolation need not be more than the usual one. */
export async function provenNow(executor: Executor): Promise<ReadonlySet<Proof>> {
  const weights = drawWeights()
  const found = await executor.execute<{ proven: readonly Proof[]; accounts: readonly string[] }>(
    sql.raw(proofStatement(weights)),
  )
  const { proven: named = [], accounts = [] } = found.rows[0] ?? {}
  const proven = new Set(named)
  const balances = proven.has('transactions balance') && proven.has('runs are settled in full')
  if (balances && (accounts.length === 0 || (await keepToPools(executor, weights, accounts))))
    proven.add('holds keep to their pools')
  return proven
}

/** The largest primes below 2^31: a difference that one of them divides is found by the next check. */
const primes = [2_147_483_647, 2_147_483_629, 2_147_483_587, 2_147_483_579, 2_147_483_563]

type Weights = {
  /** The product of two remainders fits into a bigint. */
  readonly prime: number
  readonly factor: number
  readonly ofLedger: ReadonlyMap<Ledger, number>
  /** SQL for the weight of a number, or of a text: from 1 to 2^30. */
  readonly ofNumber: (value: string) => string
  readonly ofText: (value: string) => string
}

function drawWeights(): Weights {
  const seed = randomInt(2 ** 47)
  const draw = () => randomInt(1, 2 ** 30)
  return {
    prime: primes[randomInt(primes.length)] ?? 2_147_483_647,
    factor: draw(),
    ofLedger: new Map(ledgers.map((ledger) => [ledger, draw()])),
    ofNumber: (value) => `((hashint8extended(${value}, ${seed}) & 1073741823) + 1)`,
    ofText: (value) => `((hashtextextended(${value}, ${seed}) & 1073741823) + 1)`,
  }
}

/**
 * An entry counts as its amount times a random factor, plus its size: what adds up to the right sum in a ledger, but of other
 * parts than its transaction says, does not add up then.
 */
function entriesOf({ prime, factor, ofNumber }: Weights): string {
  return `select pool_id, account_id, ledger, sum(amount_micros) as micros, bool_or(amount_micros = 0) as has_empty,
      sum((amount_micros % ${prime} * ${factor} + abs(amount_micros) % ${prime}) % ${prime} * ${ofNumber('transaction_id')}) as weighed
    from credit_entries group by pool_id, account_id, ledger`
}

function transactionsOf({ prime, ofNumber, ofText }: Weights): string {
  return `select t.kind, r.status, count(*) as n,
      sum(t.amount_micros % ${prime} * ${ofNumber('t.id')} % ${prime} * ${ofText('t.account_id')}) as weighed,
      sum(t.amount_micros % ${prime} * ${ofText('t.run_id')}) as by_run,
      count(*) filter (where t.amount_micros <> r.cost_micros) as unlike_cost,
      count(*) filter (where r.cost_micros <> 0) as with_cost, count(*) filter (where r.is_empty) as for_nothing
    from credit_transactions t left join (
      select id, status, cost_micros,
        case when status = 'failed' then jsonb_array_length(output) = 0 else false end as is_empty from runs) r on r.id = t.run_id
    group by t.kind, r.status`
}

function runsOf({ prime, ofText }: Weights): string {
  return `select status, count(*) as n, count(*) filter (where cost_micros <> 0) as with_cost,
      sum(hold_micros % ${prime} * ${ofText('id')}) as holds, sum(cost_micros % ${prime} * ${ofText('id')}) as costs,
      sum(step_count * ${ofText('id')}) as step_counts,
      sum(step_count::bigint * (step_count + 1) / 2 * ${ofText('id')}) as step_numbers
    from runs group by status`
}

function stepsOf({ prime, ofText }: Weights): string {
  return `select r.status, count(*) as n, min(s.cost_micros) as least, sum(${ofText('s.run_id')}) as counts,
      sum(s.step * ${ofText('s.run_id')}) as numbers,
      sum(s.cost_micros % ${prime} * ${ofText('s.run_id')}) filter (where r.cost_micros > 0) as costs
    from run_steps s left join (select id, status, cost_micros from runs) r on r.id = s.run_id group by r.status`
}

/** Each event but the last one asks for the next number; each but the first one is asked for. */
function eventsOf({ ofNumber, ofText }: Weights): string {
  const weight = (seq: string) => `${ofNumber(seq)} * ${ofText('e.run_id')}`
  return `select count(*) filter (where r.id is null) as without_run, count(*) filter (where e.seq > r.event_count) as beyond,
      coalesce(sum(${weight('e.seq + 1')}) filter (where e.seq < r.event_count), 0)
        - coalesce(sum(${weight('e.seq')}) filter (where e.seq > 1), 0) as missing
    from run_events e left join (select id, event_count from runs) r on r.id = e.run_id`
}

function proofStatement(weights: Weights): string {
  return `with entries as materialized (${entriesOf(weights)}), transactions as materialized (${transactionsOf(weights)}),
      all_runs as materialized (${runsOf(weights)}), steps as materialized (${stepsOf(weights)}),
      events as materialized (${eventsOf(weights)})
    select array(select account_id from entries where ledger = 'held' group by account_id having count(*) > 1) as accounts,
      array_remove(array[${Object.entries(conditions(weights))
        .map(([proof, condition]) => `case when (${condition}) then '${proof}' end`)
        .join(', ')}], null) as proven`
}

const finished = `status in ('completed', 'failed', 'cancelled')`
const oncePerRun = `exists (select from pg_index where indrelid = 'credit_transactions'::regclass and indisunique and indisvalid
  and pg_get_indexdef(indexrelid) like '%(run_id, kind) WHERE (kind = ANY (ARRAY[''hold''::text, ''charge''::text, ''release''::text]))')`

/** One condition for each proof over the few rows that the passes leave. */
function conditions(weights: Weights): Readonly<Record<Exclude<Proof, 'holds keep to their pools'>, string>> {
  const same = (left: string, right: string) =>
    `(coalesce((${left}), 0) - coalesce((${right}), 0)) % ${weights.prime} = 0`
  const equal = (left: string, right: string) => `coalesce((${left}), 0) = coalesce((${right}), 0)`
  return {
    'transactions balance': same(
      `select sum(weighed % ${weights.prime} * ${weights.ofText('account_id')} * case ledger ${ledgerCases(weights)} end) from entries`,
      `select sum(weighed * (case kind ${kindCases(weights)} end)) from transactions`,
    ),
    'entries are in their pools': `not exists (select from entries e left join credit_pools p on p.id = e.pool_id
      where e.has_empty or p.account_id is distinct from e.account_id)`,
    'pools add up': `not exists (select from credit_pools p left join (
        select pool_id, sum(micros) filter (where ledger = 'available') as available, sum(micros) filter (where ledger = 'held') as held
        from entries group by pool_id) s on s.pool_id = p.id
      where p.available_micros <> coalesce(s.available, 0) or p.held_micros <> coalesce(s.held, 0))`,
    'runs are settled in full': same(
      `select sum(by_run) from transactions where kind in ('hold', 'extend') and (status is null or ${finished})`,
      `select sum(by_run) from transactions where kind in ('charge', 'release') and (status is null or ${finished})`,
    ),
    'movements are unique': oncePerRun,
    'finished runs are released': `${oncePerRun} and ${equal(
      `select sum(n) from transactions where kind = 'release' and ${finished}`,
      `select sum(n) from all_runs where ${finished}`,
    )}`,
    'completed runs are charged': `${oncePerRun} and ${equal(
      `select sum(n) from transactions where kind = 'charge' and status = 'completed'`,
      `select sum(n) from all_runs where status = 'completed'`,
    )}`,
    'holds add up': same(
      `select sum(by_run) from transactions where kind in ('hold', 'extend') and status is not null`,
      `select sum(holds) from all_runs`,
    ),
    'costs are charges': `${oncePerRun} and ${equal(
      `select sum(unlike_cost) from transactions where kind = 'charge' and ${finished}`,
      'select 0',
    )} and ${equal(
      `select sum(with_cost) from transactions where kind = 'charge' and ${finished}`,
      `select sum(with_cost) from all_runs where ${finished}`,
    )}`,
    'nothing shown costs nothing': equal(
      `select sum(for_nothing) from transactions where kind = 'charge'`,
      'select 0',
    ),
    'costs are those of steps': same(
      `select sum(costs) from all_runs where ${finished}`,
      `select sum(costs) from steps where ${finished}`,
    ),
    'steps cost something': `not exists (select from steps where least < 0)`,
    'steps are numbered': `${equal('select sum(counts) from steps', 'select sum(step_counts) from all_runs')} and ${equal(
      'select sum(numbers) from steps',
      'select sum(step_numbers) from all_runs',
    )}`,
    'events are numbered': '(select beyond = 0 and missing = 0 from events)',
    'steps and events have runs': `not exists (select from steps where status is null) and (select without_run = 0 from events)`,
  }
}

const ledgerCases = ({ ofLedger }: Weights) =>
  [...ofLedger].map(([ledger, weight]) => `when '${ledger}' then ${weight}`).join(' ')

/** What the entries of a transaction of amount 1 come to. */
const kindCases = ({ ofLedger, factor }: Weights) =>
  Object.entries(movements)
    .map(([kind, [from, to]]) => {
      const [paid, got] = [BigInt(ofLedger.get(from) ?? 0), BigInt(ofLedger.get(to) ?? 0)]
      return `when '${kind}' then ${paid * BigInt(1 - factor) + got * BigInt(1 + factor)}`
    })
    .join(' ')

/** The same for accounts whose holds were drawn from several pools, which takes a join of the entries with their transactions. */
async function keepToPools(
  executor: Executor,
  { prime, ofNumber, ofText }: Weights,
  accounts: readonly string[],
): Promise<boolean> {
  const weighed = `sum(e.amount_micros % ${prime} * ${ofText('t.run_id')} % ${prime} * ${ofNumber('e.pool_id')})`
  const found = await executor.execute<{ kept: boolean }>(sql`
    select coalesce(${sql.raw(weighed)}, 0) % ${sql.raw(String(prime))} = 0 as kept
    from credit_entries e join credit_transactions t on t.id = e.transaction_id
    where e.ledger = 'held' and e.account_id = any(${sql.param(accounts)}::text[])
      and t.run_id not in (select id from runs where status in ('queued', 'in_progress'))`)
  return found.rows[0]?.kept ?? false
}
