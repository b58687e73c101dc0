import { movements } from '../ledger.ts'
import type { Proof } from './invariant-proofs.ts'

/**
 * A rule that must always hold, with a statement that returns the rows that break it. The statement names the
 * tables `runs`, `run_steps`, `run_events`, `credit_transactions` and `credit_entries` without a schema, so
 * that a check of some runs can replace them by their rows.
 */
export type Invariant = {
  readonly name: string
  readonly statement: string
  /**
   * What the rule examines; default: `runs`, each with its rows in the other tables. `unfinished runs` uses an
   * index, so its time does not depend on the number of runs. `pools` compares pools with the sums of their
   * entries. `keys` sums charges over the life of a key, so only a check of all rows examines it.
   */
  readonly of?: 'runs' | 'unfinished runs' | 'pools' | 'keys'
  /** The rule holds if all these proofs succeed. Its statement is then skipped. */
  readonly provenBy?: readonly [Proof, ...Proof[]]
}

const kinds = Object.entries(movements)
  .map(([kind, [from, to]]) => `('${kind}', '${from}', '${to}')`)
  .join(', ')

/** Rules about money and runs that hold between any two transactions. */
export const invariants: readonly Invariant[] = [
  {
    name: 'every transaction sums to zero',
    provenBy: ['transactions balance'],
    statement: `select t.id, sum(e.amount_micros)::text as sum
      from credit_transactions t join credit_entries e on e.transaction_id = t.id
      group by t.id having sum(e.amount_micros) <> 0`,
  },
  {
    name: 'the amount of a transaction is what its entries move',
    provenBy: ['transactions balance'],
    statement: `select t.id, t.amount_micros::text, coalesce(sum(e.amount_micros) filter (where e.amount_micros > 0), 0)::text as moved
      from credit_transactions t left join credit_entries e on e.transaction_id = t.id
      group by t.id, t.amount_micros
      having t.amount_micros <> coalesce(sum(e.amount_micros) filter (where e.amount_micros > 0), 0)`,
  },
  {
    name: 'a transaction moves credits from and to where its kind says',
    provenBy: ['transactions balance'],
    statement: `select t.id, t.kind, e.ledger, sum(e.amount_micros)::text as moved
      from credit_transactions t join (values ${kinds}) as k (kind, debit, credit) on k.kind = t.kind
        join credit_entries e on e.transaction_id = t.id
      group by t.id, t.kind, t.amount_micros, e.ledger, k.debit, k.credit
      having sum(e.amount_micros)
        <> t.amount_micros * case e.ledger when k.credit then 1 when k.debit then -1 else 0 end`,
  },
  {
    name: 'a pool holds what its entries say',
    of: 'pools',
    provenBy: ['pools add up'],
    statement: `select p.id, p.available_micros::text, p.held_micros::text, s.available::text, s.held::text
      from credit_pools p left join (
        select pool_id, sum(amount_micros) filter (where ledger = 'available') as available,
               sum(amount_micros) filter (where ledger = 'held') as held
        from credit_entries group by pool_id) s on s.pool_id = p.id
      where p.available_micros <> coalesce(s.available, 0) or p.held_micros <> coalesce(s.held, 0)`,
  },
  {
    name: 'no pool is negative',
    statement: `select id from credit_pools where available_micros < 0 or held_micros < 0`,
  },
  {
    name: 'entries stay within the account of their pool and transaction',
    provenBy: ['transactions balance', 'entries are in their pools'],
    statement: `select e.transaction_id, e.pool_id from credit_entries e
      left join credit_pools p on p.id = e.pool_id left join credit_transactions t on t.id = e.transaction_id
      where p.account_id is distinct from e.account_id or t.account_id is distinct from e.account_id`,
  },
  {
    name: 'an API key has spent on each day what the ledger charged',
    of: 'keys',
    // Charges from before the table are counted only for keys that existed then.
    statement: `select key_id, day, s.micros::text as spent, c.micros::text as charged
      from key_spending s full join (
        select facts->>'key_id' as key_id, (created_at at time zone 'UTC')::date as day, sum(amount_micros) as micros
        from credit_transactions where kind = 'charge' and amount_micros > 0 and facts->>'key_id' is not null
        group by 1, 2) c using (key_id, day)
      where coalesce(s.micros, 0) <> coalesce(c.micros, 0) and (s.key_id is not null or key_id in (select id from api_keys))`,
  },
  {
    name: 'a run is held, charged and released at most once',
    provenBy: ['movements are unique'],
    statement: `select run_id, kind, count(*)::int from credit_transactions
      where kind in ('hold', 'charge', 'release') and run_id is not null
      group by run_id, kind having count(*) > 1`,
  },
  {
    name: 'an unfinished run has an open hold',
    of: 'unfinished runs',
    statement: `select r.id, array_agg(t.kind) as movements from runs r
      left join credit_transactions t on t.run_id = r.id and t.kind in ('hold', 'charge', 'release')
      where r.status in ('queued', 'in_progress')
      group by r.id having count(*) <> 1 or max(t.kind) is distinct from 'hold'`,
  },
  {
    name: 'a finished run has no open hold',
    provenBy: ['finished runs are released'],
    statement: `select r.id from runs r left join credit_transactions t on t.run_id = r.id and t.kind = 'release'
      where r.status in ('completed', 'failed', 'cancelled') and t.id is null`,
  },
  {
    name: 'a hold is the sum of what was held for its run',
    provenBy: ['holds add up'],
    statement: `select r.id, r.hold_micros::text, coalesce(sum(t.amount_micros), 0)::text as held
      from runs r left join credit_transactions t on t.run_id = r.id and t.kind in ('hold', 'extend')
      group by r.id, r.hold_micros having r.hold_micros <> coalesce(sum(t.amount_micros), 0)`,
  },
  {
    name: 'an unfinished run holds of each pool what the ledger says',
    of: 'unfinished runs',
    // One subquery per kind, because no index covers the run alone.
    statement: `with unfinished as (select * from runs where status in ('queued', 'in_progress')),
      held as (
        select r.id, t.id as transaction from unfinished r join credit_transactions t on t.run_id = r.id and t.kind = 'hold'
        union all
        select r.id, t.id from unfinished r join credit_transactions t on t.run_id = r.id and t.kind = 'extend')
      select id, pool_id, sum(micros)::text as difference from (
        select r.id, part.pool_id, coalesce(part.micros, 0) as micros
        from unfinished r, unnest(r.hold_pools, r.hold_parts) as part (pool_id, micros)
        union all
        select h.id, e.pool_id, -e.amount_micros
        from held h join credit_entries e on e.transaction_id = h.transaction and e.ledger = 'held') as parts
      group by id, pool_id having sum(micros) <> 0`,
  },
  {
    name: 'what was held of a pool goes back to or is spent from that pool',
    provenBy: ['holds keep to their pools'],
    statement: `select t.run_id, e.pool_id, sum(e.amount_micros)::text as still_held
      from credit_transactions t join credit_entries e on e.transaction_id = t.id and e.ledger = 'held'
      group by t.run_id, e.pool_id having bool_or(t.kind in ('charge', 'release')) and sum(e.amount_micros) <> 0`,
  },
  {
    name: 'what a settled hold took is charged or given back, to the last micro-credit',
    provenBy: ['runs are settled in full'],
    statement: `select run_id from credit_transactions where run_id is not null group by run_id
      having bool_or(kind in ('charge', 'release'))
        and coalesce(sum(amount_micros) filter (where kind in ('hold', 'extend')), 0)
          <> coalesce(sum(amount_micros) filter (where kind in ('charge', 'release')), 0)`,
  },
  {
    name: 'a run shows what the ledger charged',
    provenBy: ['costs are charges'],
    statement: `select r.id, r.cost_micros::text, coalesce(t.amount_micros, 0)::text as charged
      from runs r left join credit_transactions t on t.run_id = r.id and t.kind = 'charge'
      where r.status in ('completed', 'failed', 'cancelled') and r.cost_micros <> coalesce(t.amount_micros, 0)`,
  },
  {
    name: 'a run costs no more than its steps',
    provenBy: ['costs are those of steps'],
    statement: `select r.id, r.cost_micros::text, coalesce(sum(s.cost_micros), 0)::text as steps
      from runs r left join run_steps s on s.run_id = r.id
      where r.status in ('completed', 'failed', 'cancelled')
      group by r.id, r.cost_micros having r.cost_micros > coalesce(sum(s.cost_micros), 0)`,
  },
  {
    name: 'a run that failed with nothing to show was not charged',
    provenBy: ['nothing shown costs nothing'],
    // Text that a lost owner showed is not part of the output; the unfinished step records it.
    statement: `select r.id from runs r join credit_transactions t on t.run_id = r.id and t.kind = 'charge'
      where r.status = 'failed' and jsonb_array_length(r.output) = 0
        and not exists (select from run_steps s where s.run_id = r.id and s.record @> '{"unfinished": true}')`,
  },
  {
    name: 'a completed run has exactly one charge',
    provenBy: ['finished runs are charged'],
    statement: `select r.id from runs r left join credit_transactions t on t.run_id = r.id and t.kind = 'charge'
      where r.status = 'completed' group by r.id having count(t.id) <> 1`,
  },
  {
    name: 'the events of a run are numbered without gap',
    provenBy: ['events are numbered'],
    statement: `select r.id, r.event_count, count(e.seq)::int as events from runs r join run_events e on e.run_id = r.id
      group by r.id, r.event_count
      having count(e.seq) <> max(e.seq) - min(e.seq) + 1 or max(e.seq) <> r.event_count`,
  },
  {
    name: 'the steps of a run are numbered without gap',
    provenBy: ['steps are numbered'],
    statement: `select r.id from runs r join run_steps s on s.run_id = r.id
      group by r.id, r.step_count having count(*) <> max(s.step) or max(s.step) <> r.step_count`,
  },
  {
    name: 'steps and events belong to a run',
    provenBy: ['steps are numbered', 'events have runs'],
    statement: `select distinct w.run_id from (select run_id from run_steps union all select run_id from run_events) w
      left join runs r on r.id = w.run_id where r.id is null`,
  },
  {
    name: 'no step costs less than nothing',
    provenBy: ['steps cost something'],
    statement: `select run_id, step from run_steps where cost_micros < 0`,
  },
  {
    name: 'a session runs one turn at a time',
    of: 'unfinished runs',
    statement: `select session_id, count(*)::int from runs
      where status = 'in_progress' and cancel_requested_at is null
      group by session_id having count(*) > 1`,
  },
  {
    name: 'no unfinished run is far past its deadline',
    of: 'unfinished runs',
    statement: `select id, deadline_at from runs
      where status in ('queued', 'in_progress') and deadline_at < now() - interval '2 minutes'`,
  },
]
