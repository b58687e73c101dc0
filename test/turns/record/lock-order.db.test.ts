import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandLine } from '../../../src/accounts/audit.ts'
import { deleteAccount } from '../../../src/accounts/delete-account.ts'
import { noSettings } from '../../../src/accounts/keys/key-settings.ts'
import { changeKey } from '../../../src/accounts/keys/keys.ts'
import type { Principal } from '../../../src/accounts/principal.ts'
import { grantCredits } from '../../../src/billing/account-credits.ts'
import { changePlan } from '../../../src/billing/change-plan.ts'
import { chargeDirectly } from '../../../src/billing/direct-charge.ts'
import { takeCreditsBack } from '../../../src/billing/take-back.ts'
import { type Database, type Executor, openDatabase, withTx } from '../../../src/db/client.ts'
import { releaseLeases, renewLeases } from '../../../src/turns/drive/leases.ts'
import { createTurnStore, recordDisconnect } from '../../../src/turns/record/turn-store.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import { readRun, requestCancel } from '../../../src/turns/run/runs.ts'
import { addMessages, deleteRun } from '../../../src/turns/sessions/conversations.ts'
import { deleteProject } from '../../../src/turns/sessions/delete-project.ts'
import { changeProject, defaultProjectId } from '../../../src/turns/sessions/projects.ts'
import { createSession, deleteSession, type Session } from '../../../src/turns/sessions/sessions.ts'
import { revokeKeyAndTurns, suspendAccount } from '../../../src/turns/sessions/suspension.ts'
import { type Caller, makeCaller, withKey } from '../../support/turns/caller.ts'
import { endRun, endWith, journalOf } from '../../support/turns/journal.ts'
import { admissionOf, decide, look, plainInput, start } from '../../support/turns/start.ts'
import { useStore } from '../../support/world/store.ts'

/**
 * The order in which transactions lock rows. For each transaction and each row, somebody else has the row; the transaction
 * then waits for it with the locks that it took before. Two transactions whose orders differ can deadlock.
 */

/** Connections that only the transactions under test use. */
let own: Database

const { db } = useStore()
beforeAll(async () => {
  const url = new URL(db.url)
  url.searchParams.set('application_name', 'under_test')
  own = openDatabase({ url: url.href, onIdleError: () => undefined })
})
afterAll(() => own.close())

/** An account with a row of each kind. Its run has ended, unless it is `open`. */
type Fixture = {
  readonly person: Caller
  readonly owner: Principal
  readonly run: Run
  readonly session: Session
  readonly ids: Readonly<Record<Row, string>>
}

/** The rows, and the strongest lock that any transaction takes on each. */
const rows = {
  account: ['accounts', 'no key update'],
  project: ['projects', 'update'],
  key: ['api_keys', 'update'],
  session: ['sessions', 'update'],
  run: ['runs', 'update'],
} as const
type Row = keyof typeof rows
const kinds = Object.keys(rows) as Row[]

async function fixture(isOpen: boolean): Promise<Fixture> {
  const bare = await makeCaller(db.database, { concurrentTurns: 10 })
  const principal = await withKey(db.database, bare)
  const person = { ...bare, principal }
  const run = await start(db.database, person)
  if (!isOpen) await endRun(db.database, run)
  const { accountId, keyId, binding } = principal
  const ids = {
    ...{ account: accountId, project: binding.projectId ?? '', key: keyId ?? '' },
    ...{ session: run.sessionId, run: run.id },
  }
  const now = await withTx(db.database, principal, (tx) => readRun(tx, run.id))
  return {
    ...{
      person,
      ids,
      run: now ?? run,
      session: { id: run.sessionId, accountId, projectId: ids.project } as Session,
    },
    owner: { ...principal, binding: { kind: 'owner', projectId: null } },
  }
}

type Work = (fixture: Fixture) => Promise<unknown>
const inTx =
  (work: (tx: Executor, fixture: Fixture) => Promise<unknown>): Work =>
  (fixture) =>
    withTx(own, fixture.person.principal, (tx) => work(tx, fixture))
const asOperator =
  (work: (tx: Executor, fixture: Fixture) => Promise<unknown>): Work =>
  (fixture) =>
    withTx(own, 'system', (tx) => work(tx, fixture))
const inSession = ({ run }: Fixture) => ({ input: plainInput({ sessionId: run.sessionId }) })
const send = ({ run }: Fixture) => createTurnStore(own).sendTo(run.accountId)

const states = ['open', 'ended'] as const
type State = (typeof states)[number]

const markedRetry = { ...plainInput(), identity: { ...plainInput().identity, retried: true } }

const ofAnyRun: Readonly<Record<string, Work>> = {
  'a retry': (f) => look(own, admissionOf(f.person, { input: markedRetry })),
  'a disconnect': (f) => recordDisconnect(send(f), f.run.id, 'replica_here'),
}

/** By the state of the run that they need: one for an open run never meets one for a run that has ended. */
const works: Readonly<Record<State, Readonly<Record<string, Work>>>> = {
  open: {
    'a start behind an open turn': (f) => look(own, admissionOf(f.person, inSession(f))),
    'a model call': async ({ run }) => journalOf(own, run).prepareCall(5n),
    'a tool that writes': async ({ run }) =>
      journalOf(own, run).change(async () => ({ events: [{ type: 'run.started' }], steps: [] })),
    'an end': async ({ run }) => endWith(journalOf(own, run)),
    ...ofAnyRun,
    'a cancellation': inTx((tx, { run }) => requestCancel(tx, run.id)),
    'a lease renewal': inTx((tx, { run }) =>
      renewLeases(tx, { owner: 'replica_gone', seconds: 15 }, [run.id], 'wait'),
    ),
    'a key revocation': inTx((tx, { ids }) => revokeKeyAndTurns(tx, ids.key, ids.account)),
    'a suspension': ({ ids }) => suspendAccount(own, { actor: commandLine, accountId: ids.account }),
  },
  ended: {
    ...ofAnyRun,
    'a start': (f) => decide(createTurnStore(own), admissionOf(f.person)),
    'a start in a session': (f) => decide(createTurnStore(own), admissionOf(f.person, inSession(f))),
    'a start that looks': (f) => look(own, admissionOf(f.person, inSession(f))),
    'a start with a first default project': ({ person, owner }) =>
      look(own, admissionOf({ ...person, principal: owner })),
    'embeddings with a first default project': inTx(async (tx, { person, owner }) => {
      await defaultProjectId(tx, owner)
      const { accountId, keyId, plan } = person.principal
      return chargeDirectly(tx, { accountId, keyId, plan, micros: 5n, facts: { key_id: keyId } })
    }),
    'a new session': inTx((tx, { owner, ids }) =>
      createSession(tx, owner, { ...newSession, projectId: ids.project }),
    ),
    'messages without a turn': inTx((tx, { person, session }) =>
      addMessages(tx, person.principal, session, [{ role: 'user', content: 'x' }], noFiles),
    ),
    'a deletion of a run': inTx((tx, { run }) => deleteRun(tx, run)),
    'a deletion of a session': inTx((tx, { session }) => deleteSession(tx, session)),
    'a deletion of a project': ({ owner, ids }) => deleteProject(own, owner, ids.project),
    'a deletion of an account': ({ ids }) =>
      deleteAccount(own, { actor: commandLine, accountId: ids.account }),
    'a change of a project': inTx((tx, { owner, ids }) =>
      changeProject(tx, owner, ids.project, { name: 'Q', instructions: 'Be brief.' }),
    ),
    'a change of a key': inTx((tx, { ids }) => changeKey(tx, ids.key, { name: 'k', settings: noSettings })),
    'a grant': asOperator((tx, { ids }) => grantCredits(tx, ids.account, 5n)),
    'credits taken back': asOperator((tx, { ids }) =>
      takeCreditsBack(tx, { actor: commandLine, accountId: ids.account, micros: 1n }),
    ),
    'another plan': asOperator(async (tx, { ids, person }) => {
      const { rows: found } = await tx.execute<{ email: string }>(
        `select email from accounts where id = '${ids.account}'`,
      )
      return changePlan(tx, person.plans, { actor: commandLine, email: found[0]?.email ?? '', plan: 'pro' })
    }),
  },
}

const newSession = { model: 'service', name: 'S' }
const noFiles = { ids: new Set<string>(), inline: new Map(), readsImages: false, param: 'messages' }

/** The rows that the work has locked when it comes to a row that somebody else has. Undefined: it never needs it. */
async function heldBefore(row: Row, work: Work, isOpen: boolean): Promise<readonly Row[] | undefined> {
  const made = await fixture(isOpen)
  const other = await db.database.systemPool.connect()
  try {
    await other.query('begin')
    await other.query(lockOf(row), [made.ids[row]])
    let isOver = false
    const outcome = work(made).then(
      () => undefined,
      (error: unknown) => error,
    )
    void outcome.then(() => {
      isOver = true
    })
    await expect.poll(async () => isOver || (await isWaiting()), { interval: 2 }).toBe(true)
    const held = isOver ? undefined : await lockedOf(made, row)
    await other.query('rollback')
    const error = await outcome
    if (error !== undefined) throw error
    return held
  } finally {
    other.release(true)
  }
}

const lockOf = (row: Row) => `select 1 from ${rows[row][0]} where id = $1 for ${rows[row][1]}`

async function isWaiting(): Promise<boolean> {
  const { rowCount } = await db.database.systemPool.query(
    `select from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'under_test' and datname = current_database()`,
  )
  return (rowCount ?? 0) > 0
}

async function lockedOf({ ids }: Fixture, except: Row): Promise<readonly Row[]> {
  const locked: Row[] = []
  for (const row of kinds) {
    if (row === except) continue
    const { rowCount } = await db.database.systemPool.query(`${lockOf(row)} skip locked`, [ids[row]])
    if (rowCount === 0) locked.push(row)
  }
  return locked
}

/** A transaction that waits for a row, with the rows that it has locked. */
type Waiting = {
  readonly name: string
  readonly state: State
  readonly held: readonly Row[]
  readonly row: Row
}
const waiting: Waiting[] = []

test.each(
  states.flatMap((state) => Object.entries(works[state]).map(([name, work]) => ({ name, work, state }))),
)('$name ($state) locks rows in an order', async ({ name, work, state }) => {
  let locks = 0
  for (const row of kinds) {
    const held = await heldBefore(row, work, state === 'open')
    if (!held) continue
    locks += 1
    waiting.push({ name, state, held, row })
  }
  expect(locks).toBeGreaterThan(0)
})

/** Transactions of which each waits for a row of the next. None has a row that another has. */
function findCircle(chain: readonly Waiting[]): readonly Waiting[] | undefined {
  const [first] = chain
  const last = chain.at(-1)
  if (!first || !last) return undefined
  if (first.held.includes(last.row)) return chain
  const taken = chain.flatMap(({ held }) => held)
  for (const next of waiting) {
    const isPossible =
      next.state === first.state &&
      next.held.includes(last.row) &&
      next.held.every((row) => !taken.includes(row))
    const circle = isPossible ? findCircle([...chain, next]) : undefined
    if (circle) return circle
  }
  return undefined
}

test('no transactions can wait for each other in a circle', () => {
  expect(waiting.filter(({ held }) => held.length > 0).length).toBeGreaterThan(20)
  expect(waiting.flatMap((one) => findCircle([one]) ?? [])).toEqual([])
})

const ofTwoRuns: Readonly<Record<string, (f: Fixture, ids: readonly string[]) => Promise<unknown>>> = {
  'a lease renewal': ({ person, run }, ids) =>
    withTx(own, person.principal, (tx) =>
      renewLeases(tx, { owner: run.leaseOwner ?? '', seconds: 15 }, ids, 'wait'),
    ),
  'a release of leases': ({ person, run }) =>
    withTx(own, person.principal, (tx) => releaseLeases(tx, { owner: run.leaseOwner ?? '', seconds: 15 })),
  'a suspension': ({ ids }) => suspendAccount(own, { actor: commandLine, accountId: ids.account }),
}

test.each(Object.entries(ofTwoRuns))('%s waits for a run without those of higher ids', async (_, work) => {
  const made = await fixture(true)
  let [higher, lower] = [made.run, await start(db.database, made.person)]
  // Rows lie in the order of their starts. The later one must be the first to lock.
  while (lower.id > higher.id) [higher, lower] = [lower, await start(db.database, made.person)]
  const other = await db.database.systemPool.connect()
  try {
    await other.query('begin')
    await other.query(lockOf('run'), [lower.id])
    const done = work(made, [higher.id, lower.id])
    await expect.poll(isWaiting, { interval: 2 }).toBe(true)
    const { rowCount } = await db.database.systemPool.query(`${lockOf('run')} skip locked`, [higher.id])
    await other.query('rollback')
    await done
    expect(rowCount).toBe(1)
  } finally {
    other.release(true)
  }
})
