import { statement } from '../db/statement.ts'

/**
 * The movements of a turn, each as the common table expressions of one statement: the turn's start and
 * end put them into theirs, and `holds` runs them alone. Pools are locked in the order of their ids, by everybody; what
 * expires first is drawn first.
 */

/** From the pools into a run's hold: a movement of that kind, with that expression for the step it was made before. */
const takeParts = (kind: 'hold' | 'extend', step: string) => `
  hold_pools as materialized (
    select id, available_micros, coalesce(expires_at, 'infinity') as expiry from credit_pools
    where account_id = :accountId and available_micros > 0 and (expires_at is null or expires_at > now())
      and exists (select from hold_when)
    order by id for update),
  hold_offer as materialized (
    select coalesce(sum(available_micros), 0)::bigint as available,
      coalesce(sum(available_micros), 0) >= :holdMicros::bigint and exists (select from hold_when) as enough
    from hold_pools),
  hold_parts as materialized (
    select pool_id, least(available_micros, :holdMicros::bigint - drawn)::bigint as micros
    from (select id as pool_id, available_micros,
        sum(available_micros) over (order by expiry, id) - available_micros as drawn
      from hold_pools) as pools, hold_offer
    where enough and drawn < :holdMicros::bigint),
  hold_transaction as (
    insert into credit_transactions (account_id, run_id, kind, amount_micros, step)
    select :accountId, :runId, '${kind}', :holdMicros::bigint, ${step} from hold_offer where enough
    returning id),
  hold_entries as (
    insert into credit_entries (transaction_id, pool_id, ledger, account_id, amount_micros)
    select id, pool_id, ledger, :accountId, sign * micros
    from hold_transaction, hold_parts, (values ('available', -1), ('held', 1)) as side (ledger, sign)),
  hold_moves as (
    update credit_pools set available_micros = available_micros - micros, held_micros = held_micros + micros
    from hold_parts where id = pool_id)`

/**
 * Parameters `accountId runId holdMicros holdSeconds`. Needs an expression `hold_when` before it: only if that has a row,
 * anything is written. `hold_offer` tells what the account had, and whether it sufficed; if not, nothing is written.
 */
export const placeHoldParts = `${takeParts('hold', 'null::int')},
  hold_row as (
    insert into holds (run_id, account_id, amount_micros, expires_at)
    select :runId, :accountId, :holdMicros::bigint, now() + make_interval(secs => :holdSeconds) from hold_offer where enough)`

/** The same for a hold that is there already: `holdMicros` more, before the step `beforeStep`; without `holdSeconds`. */
export const extendHoldParts = `${takeParts('extend', ':beforeStep::int')},
  hold_row as (
    update holds set amount_micros = holds.amount_micros + :holdMicros::bigint from hold_offer
    where enough and holds.run_id = :runId)`

/** Parameter `runId`. What the run holds, by pool. */
export const heldParts = `
  settle_held as materialized (
    select p.id as pool_id, coalesce(p.expires_at, 'infinity') as expiry, sum(e.amount_micros)::bigint as micros
    from (
      -- Each in the words of an index: there is none on the run alone.
      select id from credit_transactions where run_id = :runId and kind in ('hold', 'charge', 'release')
      union all select id from credit_transactions where run_id = :runId and kind = 'extend') as t
    join credit_entries e on e.transaction_id = t.id and e.ledger = 'held'
    join credit_pools p on p.id = e.pool_id
    group by p.id)`

/**
 * Parameters `accountId runId chargeMicros facts`; without `chargeMicros` there is no charge. Needs before it the
 * expressions of `heldParts`, and `settle_when`: only if that has a row, anything is written. A charge above what is held
 * must be kept away by it, or rolled back.
 */
export const settleHoldParts = `
  settle_pools as materialized (
    select id from credit_pools
    where id in (select pool_id from settle_held) and exists (select from settle_when)
    order by id for update),
  settle_parts as materialized (
    select pool_id, micros, least(micros, greatest(0, coalesce(:chargeMicros::bigint, 0) - drawn))::bigint as charged
    from (select pool_id, micros, sum(micros) over (order by expiry, pool_id) - micros as drawn
      from settle_held join settle_pools on id = pool_id) as held),
  settle_charge as (
    insert into credit_transactions (account_id, run_id, kind, amount_micros, facts)
    select :accountId, :runId, 'charge', :chargeMicros::bigint, :facts::jsonb
    from settle_when where :chargeMicros::bigint is not null
    returning id),
  settle_release as (
    insert into credit_transactions (account_id, run_id, kind, amount_micros)
    select :accountId, :runId, 'release', coalesce((select sum(micros - charged) from settle_parts), 0)
    from settle_when
    returning id),
  settle_entries as (
    insert into credit_entries (transaction_id, pool_id, ledger, account_id, amount_micros)
    select moved.id, pool_id, ledger, :accountId, sign * case direction when 'charge' then charged else micros - charged end
    from (select id, 'charge' as direction from settle_charge union all select id, 'release' from settle_release) as moved
    join (values ('charge', 'held', -1), ('charge', 'spent', 1), ('release', 'held', -1), ('release', 'available', 1))
      as side (kind, ledger, sign) on kind = direction
    join settle_parts on case direction when 'charge' then charged > 0 else micros > charged end),
  settle_moves as (
    update credit_pools set held_micros = held_micros - micros, available_micros = available_micros + micros - charged
    from settle_parts where id = pool_id),
  settle_row as (update holds set settled_at = now() from settle_when where run_id = :runId)`

export const placeHoldAlone = statement<{ available: string; enough: boolean }>(
  'place_hold',
  `with hold_when as (select), ${placeHoldParts} select available, enough from hold_offer`,
)

export const extendHoldAlone = statement<{ available: string; enough: boolean }>(
  'extend_hold',
  `with hold_when as (select), ${extendHoldParts} select available, enough from hold_offer`,
)

export const settleHoldAlone = statement<{ held: string }>(
  'settle_hold',
  `with settle_when as (select), ${heldParts}, ${settleHoldParts} select coalesce(sum(micros), 0)::bigint as held from settle_held`,
)
