import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkChanges, checkFromMark } from '../../src/billing/checks/check-changes.ts'
import { examine } from '../../src/billing/checks/examine.ts'
import { provenNow } from '../../src/billing/checks/invariant-proofs.ts'
import { invariants } from '../../src/billing/checks/invariants.ts'
import { type Executor, withTx } from '../../src/db/client.ts'
import { findViolations } from '../support/invariants.ts'
import { callTools, error, gate, reply } from '../support/scripted-upstream.ts'
import { makeAccount, makeKey } from '../support/world/accounts.ts'
import { call, question } from '../support/world/requests.ts'
import { openWorld, type World } from '../support/world/world.ts'

let world: World
let { db, upstream, service } = {} as World
const held = gate()
let running: Promise<Response>

/** One completed run with a tool, one that failed for nothing, one in progress, and another account. */
beforeAll(async () => {
  world = await openWorld()
  ;({ db, upstream, service } = world)
  const ask = (text: string, key = world.key) =>
    call(service, key, 'POST', '/v1/chat/completions', question(text))
  upstream.enqueue(callTools([{ name: 'list_files', arguments: {} }]), reply('Done.'))
  expect((await ask('With a tool')).status).toBe(200)
  upstream.enqueue(error(400, { error: { message: 'no' } }))
  expect((await ask('That fails')).status).toBe(502)
  const asked = upstream.requests.length
  upstream.enqueue([{ waitFor: held.opened }, { text: 'held' }])
  running = ask('That runs')
  await upstream.request(asked)
  upstream.enqueue(reply('Theirs.'))
  await ask('Another account', await makeKey(db.database, (await makeAccount(db.database)).id))
})
afterAll(async () => {
  held.open()
  await (await running).text()
  await world.close()
})

const completed = `(select id from runs where status = 'completed' order by created_at limit 1)`
const failed = `(select id from runs where status = 'failed' limit 1)`
const inProgress = `(select id from runs where status = 'in_progress' limit 1)`
const charge = `(select id from credit_transactions where kind = 'charge' and run_id = ${completed})`
const unlock =
  'alter table credit_entries disable trigger user; alter table credit_transactions disable trigger user;'

/** Each fault, and the rule that has to notice it. */
const faults: readonly (readonly [fault: string, rule: string, statements: string])[] = [
  [
    'an entry is changed',
    'every transaction sums to zero',
    `${unlock} update credit_entries set amount_micros = amount_micros + 1 where transaction_id = ${charge} and ledger = 'spent'`,
  ],
  [
    'an entry is lost',
    'every transaction sums to zero',
    `${unlock} delete from credit_entries where transaction_id = ${charge} and ledger = 'held'`,
  ],
  [
    'all entries of a charge are lost',
    'the amount of a transaction is what its entries move',
    `${unlock} delete from credit_entries where transaction_id = ${charge}`,
  ],
  [
    'a hold is spent at once',
    'a transaction moves credits from and to where its kind says',
    `${unlock} update credit_entries set ledger = 'spent' where ledger = 'held' and amount_micros > 0 and transaction_id in (select id from credit_transactions where kind = 'hold' and run_id = ${completed})`,
  ],
  [
    'credits are added to a pool without an entry',
    'a pool holds what its entries say',
    'update credit_pools set available_micros = available_micros + 1',
  ],
  [
    'a hold is given back twice',
    'a pool holds what its entries say',
    `update credit_pools set held_micros = 0, available_micros = available_micros + held_micros where held_micros > 0`,
  ],
  [
    'a balance is clamped at zero',
    'a pool holds what its entries say',
    `update credit_pools set available_micros = 0`,
  ],
  [
    'a balance goes below zero',
    'no pool is negative',
    `alter table credit_pools drop constraint credit_pools_available; update credit_pools set available_micros = -1`,
  ],
  [
    'a charge is booked on another account',
    'entries stay within the account of their pool and transaction',
    `${unlock} update credit_entries set account_id = (select id from accounts where id <> account_id limit 1) where transaction_id = ${charge}`,
  ],
  [
    'an entry belongs to no transaction',
    'entries stay within the account of their pool and transaction',
    `insert into credit_entries (transaction_id, pool_id, ledger, account_id, amount_micros) select 0, pool_id, ledger, account_id, 0 from credit_entries limit 1`,
  ],
  [
    'a run goes and leaves its events',
    'steps and events belong to a run',
    `insert into run_events (run_id, seq, account_id, step, attempt, event) select 'run_gone', 1, account_id, 0, 1, '{}' from runs where id = ${completed}`,
  ],
  [
    'a step gives credits back',
    'no step costs less than nothing',
    `update run_steps set cost_micros = -1 where run_id = ${completed}`,
  ],
  [
    'a run is settled twice',
    'a run is held, charged and released at most once',
    `drop index credit_transactions_once; insert into credit_transactions (account_id, run_id, kind, amount_micros) select account_id, run_id, kind, amount_micros from credit_transactions where id = ${charge}`,
  ],
  [
    'a running turn loses its hold',
    'an unfinished run has an open hold',
    `${unlock} update credit_transactions set kind = 'release' where kind = 'hold' and run_id = ${inProgress}`,
  ],
  [
    'a run ends without settling',
    'a finished run has no open hold',
    `update runs set status = 'completed' where id = ${inProgress}`,
  ],
  [
    'a finished run is reopened',
    'an unfinished run has an open hold',
    `update runs set status = 'in_progress' where id = ${completed}`,
  ],
  [
    'a hold grows without credits',
    'a hold is the sum of what was held for its run',
    `update runs set hold_micros = hold_micros + 1 where id = ${inProgress}`,
  ],
  [
    'what a run holds stands at another pool',
    'an unfinished run holds of each pool what the ledger says',
    `update runs set hold_pools = array[0::bigint] where id = ${inProgress}`,
  ],
  [
    'what was held of one pool is given back to another',
    'what was held of a pool goes back to or is spent from that pool',
    `${unlock} update credit_entries set pool_id = 0 where ledger = 'held' and transaction_id in (select id from credit_transactions where kind = 'release' and run_id = ${completed})`,
  ],
  [
    'the rest of a hold is never given back',
    'what a settled hold took is charged or given back, to the last micro-credit',
    `${unlock} delete from credit_entries where transaction_id in (select id from credit_transactions where kind = 'release' and run_id = ${completed}); delete from credit_transactions where kind = 'release' and run_id = ${completed}`,
  ],
  [
    'the shown cost is rounded',
    'a run shows what the ledger charged',
    `update runs set cost_micros = cost_micros / 1000000 * 1000000 + 1 where id = ${completed}`,
  ],
  [
    'a charge is lost',
    'a completed run has exactly one charge',
    `${unlock} delete from credit_entries where transaction_id = ${charge}; delete from credit_transactions where id = ${charge}`,
  ],
  [
    'a run is charged for more than it did',
    'a run costs no more than its steps',
    `delete from run_steps where run_id = ${completed}`,
  ],
  [
    'a failed turn is charged',
    'a run that failed with nothing to show was not charged',
    `${unlock} update credit_transactions set run_id = ${failed} where id = ${charge}`,
  ],
  [
    'an event is lost',
    'the events of a run are numbered without gap',
    `delete from run_events where run_id = ${completed} and seq = 2`,
  ],
  [
    'an owner without its epoch appends an event',
    'the events of a run are numbered without gap',
    `insert into run_events (run_id, seq, account_id, step, attempt, event) select id, event_count + 2, account_id, 0, 0, '{}' from runs where id = ${completed}`,
  ],
  [
    'a step is lost',
    'the steps of a run are numbered without gap',
    `delete from run_steps where run_id = ${completed} and step = 1`,
  ],
  [
    'two turns of a session run at once',
    'a session runs one turn at a time',
    `update runs set status = 'in_progress', session_id = (select session_id from runs where id = ${inProgress}), turn = 99 where id = ${completed}`,
  ],
  [
    'a run is forgotten',
    'no unfinished run is far past its deadline',
    `update runs set deadline_at = now() - interval '1 hour' where id = ${inProgress}`,
  ],
]

/** Faults that only a check of all rows notices. */
const faultsOfKeys: typeof faults = [
  [
    'a key has spent more than was charged',
    'an API key has spent on each day what the ledger charged',
    `update key_spending set micros = micros + 1 where key_id = (select api_key_id from runs where id = ${completed})`,
  ],
  [
    'a charge is missing in what a key has spent',
    'an API key has spent on each day what the ledger charged',
    `delete from key_spending where key_id = (select api_key_id from runs where id = ${completed})`,
  ],
  [
    'a charge of a key counts on another day',
    'an API key has spent on each day what the ledger charged',
    `update key_spending set day = day - 1 where key_id = (select api_key_id from runs where id = ${completed})`,
  ],
]

test('a database that the service has written breaks no rule', async () => {
  expect(await findViolations(db.database)).toEqual([])
  const found: unknown[] = []
  const state = await checkChanges(db.database, 0, (examination) => found.push(examination))
  expect(state).toMatchObject({ broken: [], unchecked: [] })
  expect(found).toEqual([{ broken: [], unchecked: [] }])
  expect(await brokenIn(suspectsIn)).toEqual([])
})

class Undo extends Error {}

/** Names of the rules that `look` finds broken; what it looks at is undone. */
async function brokenIn(look: (tx: Executor) => Promise<Iterable<string>>): Promise<readonly string[]> {
  let names: readonly string[] = []
  await withTx(db.database, 'system', async (tx) => {
    names = [...(await look(tx))]
    throw new Undo()
  }).catch((fault: unknown) => {
    if (!(fault instanceof Undo)) throw fault
  })
  return names
}

const namesOf = ({ broken }: Awaited<ReturnType<typeof examine>>) => broken.map(({ invariant }) => invariant)
const suspectsIn = async (tx: Executor) => (await checkFromMark(tx))?.suspects ?? []

/** As if the last check had been made now, with nothing under way. */
const seal = `update invariant_checks set ledger_mark = (select max(id) from credit_transactions);
  insert into invariant_sums select pool_id, ledger, sum(amount_micros) from credit_entries group by pool_id, ledger`

test.each([...faults, ...faultsOfKeys])('doctor notices when %s', async (_, rule, statements) => {
  const names = await brokenIn(async (tx) => {
    await tx.execute(sql.raw(statements))
    return namesOf(await examine(tx))
  })
  expect(names).toContain(rule)
})

test.each(faults)('the next check of the service notices when %s', async (_, rule, statements) => {
  const names = await brokenIn(async (tx) => {
    await tx.execute(sql.raw(statements))
    return suspectsIn(tx)
  })
  expect(names).toContain(rule)
})

test.each(faults)('a check of old rows notices when %s', async (_, rule, statements) => {
  const names = await brokenIn(async (tx) => {
    await tx.execute(sql.raw(seal))
    expect(await suspectsIn(tx)).toEqual(new Set())
    await tx.execute(sql.raw(statements))
    return suspectsIn(tx)
  })
  expect(names).toContain(rule)
})

const allProofs = new Set(invariants.flatMap(({ provenBy = [] }) => provenBy))

test('quick proofs spare all rules their statements, also those of runs that are gone', async () => {
  const { proven, left } = await withTx(db.database, 'system', async (tx) => {
    const before = await provenNow(tx)
    await tx.execute(
      sql.raw(`delete from sessions where id = (select session_id from runs where id = ${completed})`),
    )
    const after = await provenNow(tx)
    const gone = await tx.execute(
      sql`select 1 from credit_transactions where kind = 'charge' and run_id not in (select id from runs)`,
    )
    expect(gone.rows.length).toBeGreaterThan(0)
    throw new Undo('', { cause: { proven: before, left: after } })
  }).catch((fault: unknown) => {
    if (!(fault instanceof Undo)) throw fault
    return fault.cause as { readonly proven: unknown; readonly left: unknown }
  })
  expect(proven).toEqual(allProofs)
  expect(left).toEqual(allProofs)
})

test('every rule is proven by at least one fault', () => {
  const proven = new Set([...faults, ...faultsOfKeys].map(([, rule]) => rule))
  expect(invariants.map(({ name }) => name).filter((name) => !proven.has(name))).toEqual([])
})
