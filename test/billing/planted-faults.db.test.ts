import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examine } from '../../src/billing/checks/examine.ts'
import { invariants } from '../../src/billing/checks/invariants.ts'
import { withTx } from '../../src/db/client.ts'
import { findViolations } from '../support/invariants.ts'
import { callTools, error, gate, reply } from '../support/scripted-upstream.ts'
import { makeAccount, makeKey } from '../support/world/accounts.ts'
import { call, question } from '../support/world/requests.ts'
import { useWorld, type World } from '../support/world/world.ts'

let { db, upstream, service } = {} as World
const held = gate()
let running: Promise<Response>

/** One completed run with a tool, one that failed for nothing, one in progress, and another account. */
const world = useWorld()
beforeAll(async () => {
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
})

const completed = `(select id from runs where status = 'completed' order by created_at limit 1)`
const inProgress = `(select id from runs where status = 'in_progress' limit 1)`
const theirs = `(select a.id from accounts a, runs r where r.id = ${completed} and a.id <> r.account_id limit 1)`
const unlock = 'alter table ledger disable trigger user; alter table ledger drop constraint ledger_signs;'

/** The rules, and faults that each of them has to notice. */
const faults: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'an account has what its ledger says, less its holds': {
    'credits are added to an account without a row of the ledger':
      'update accounts set granted_micros = granted_micros + 1',
    'credits change their kind':
      'update accounts set allowance_micros = allowance_micros - 1, granted_micros = granted_micros + 1 where allowance_micros > 0',
    'a balance is clamped at zero': 'update accounts set allowance_micros = 0',
    'a row of the ledger is lost': `${unlock} delete from ledger where kind in ('grant', 'allowance')`,
    'a row of the ledger belongs to nobody': `insert into ledger (account_id, kind, allowance_micros, granted_micros) values ('acct_gone', 'grant', 0, 1)`,
  },
  'an account holds what its unfinished runs hold': {
    'a hold is given back twice':
      'update accounts set granted_micros = granted_micros + held_micros, held_micros = 0 where held_micros > 0',
    'a hold grows without credits': `update runs set hold_micros = hold_micros + 1 where id = ${inProgress}`,
    'a run ends and its hold stays': `update runs set status = 'completed' where id = ${inProgress}`,
  },
  'an account uses a slot for each session with an unfinished run': {
    'a slot is never given back': 'update accounts set open_turns = open_turns + 1',
  },
  'no amount of an account is below zero': {
    'a balance goes below zero':
      'alter table accounts drop constraint accounts_state; update accounts set granted_micros = -1',
  },
  'each row of the ledger has the sign of its kind': {
    'a charge gives credits': `${unlock} update ledger set granted_micros = 5 where run_id = ${completed}`,
  },
  'a run is charged at most once': {
    'a run is charged twice': `drop index ledger_one_charge; insert into ledger (account_id, run_id, kind, allowance_micros, granted_micros)
      select account_id, run_id, kind, 0, 0 from ledger where run_id = ${completed}`,
  },
  'an API key has spent on each day what the ledger charged': {
    'a key has spent more than was charged': `update key_spending set micros = micros + 1 where key_id = (select api_key_id from runs where id = ${completed})`,
    'a charge is missing in what a key has spent': `delete from key_spending where key_id = (select api_key_id from runs where id = ${completed})`,
    'a charge of a key counts on another day': `update key_spending set day = day - 1 where key_id = (select api_key_id from runs where id = ${completed})`,
  },
  'a session counts its unfinished runs': {
    'a session counts a run that has ended as open': `update sessions set open_runs = open_runs + 1 where id = (select session_id from runs where id = ${completed})`,
  },
  'a session runs one turn at a time': {
    'two turns of a session run at once': `update runs set status = 'in_progress', session_id = (select session_id from runs where id = ${inProgress}), turn = 99 where id = ${completed}`,
  },
  'a session has counted each of its turns': {
    'a turn has a number that its session never gave': `update runs set turn = turn + 1 where id = ${completed}`,
  },
  'a run costs what the ledger charged': {
    'the shown cost is rounded': `update runs set cost_micros = cost_micros / 1000000 * 1000000 + 1 where id = ${completed}`,
  },
  'a finished run is charged once, unless it failed and cost nothing': {
    'a charge is lost': `${unlock} delete from ledger where run_id = ${completed}`,
  },
  'an unfinished run has not been charged': {
    'a finished run is reopened': `update runs set status = 'in_progress' where id = ${completed}`,
  },
  'a run is charged to its own account': {
    'a charge is booked on another account': `${unlock} update ledger set account_id = ${theirs} where run_id = ${completed}`,
  },
  'a run costs no more than its hold': {
    'a run is charged for more than it held': `alter table runs drop constraint runs_cost; update runs set hold_micros = cost_micros - 1 where id = ${completed}`,
  },
  'a hold takes no more of the allowance than it holds': {
    'a run holds more of the allowance than it holds': `update runs set held_allowance_micros = hold_micros + 1 where id = ${inProgress}`,
  },
  'a run costs what its steps cost, at most its hold, unless it failed and cost nothing': {
    'a run is charged for more than it did': `update run_log set cost_micros = 0 where run_id = ${completed}`,
    'a run is charged for less than it did': `update run_log set cost_micros = cost_micros + 1 where run_id = ${completed} and steps > 0`,
  },
  'no step costs less than nothing': {
    'a step gives credits back': `update run_log set cost_micros = -1 where run_id = ${completed}`,
  },
  'the steps of a run are numbered without gap': {
    'a step is lost': `update run_log set entries = entries - -1, steps = steps - 1 where run_id = ${completed} and steps > 0`,
  },
  'the events of a run are numbered without gap': {
    'an event is lost': `update run_log set entries = entries - 0, events = events - 1 where run_id = ${completed} and events > 0`,
    'an owner without its epoch appends an event': `insert into run_log (run_id, seq, step, account_id, epoch, events, steps, cost_micros, entries) select id, event_count + 2, step_count, account_id, 0, 1, 0, 0, '[{}]' from runs where id = ${completed}`,
  },
  'steps and events belong to a run': {
    'a run goes and leaves its events': `insert into run_log (run_id, seq, step, account_id, epoch, events, steps, cost_micros, entries) select 'run_gone', 1, 0, account_id, 1, 1, 0, 0, '[{}]' from runs where id = ${completed}`,
    'a run goes and leaves its steps': `update run_log set run_id = 'run_gone' where run_id = ${completed}`,
  },
  'no unfinished run is far past its deadline': {
    'a run is forgotten': `update runs set deadline_at = now() - interval '1 hour' where id = ${inProgress}`,
  },
}

test('a database that the service has written breaks no rule', async () => {
  expect(await findViolations(db.database)).toEqual([])
})

test('charges of runs that were deleted break no rule', async () => {
  const broken = await brokenAfter(
    `delete from sessions where id = (select session_id from runs where id = ${completed})`,
  )
  expect(broken).toEqual([])
})

class Undo extends Error {}

/** Names of the rules that are broken after the statements, which are undone. */
async function brokenAfter(statements: string): Promise<readonly string[]> {
  let names: readonly string[] = []
  await withTx(db.database, 'system', async (tx) => {
    await tx.execute(sql.raw(statements))
    const { broken, unchecked } = await examine(tx)
    expect(unchecked).toEqual([])
    for (const { rows } of broken) expect(rows.length).toBeGreaterThan(0)
    names = broken.map(({ invariant }) => invariant)
    throw new Undo()
  }).catch((fault: unknown) => {
    if (!(fault instanceof Undo)) throw fault
  })
  return names
}

test.each(
  Object.entries(faults).flatMap(([rule, planted]) =>
    Object.entries(planted).map(([fault, statements]) => [fault, rule, statements] as const),
  ),
)('doctor notices when %s', async (_, rule, statements) => {
  expect(await brokenAfter(statements)).toContain(rule)
})

test('every rule is proven by at least one fault', () => {
  expect(invariants.filter((name) => !(name in faults))).toEqual([])
})
