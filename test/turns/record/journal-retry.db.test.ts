import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase, withTx } from '../../../src/db/client.ts'
import type { Catalogue } from '../../../src/models/model-catalogue.ts'
import { createLiveRun } from '../../../src/turns/drive/live-runs.ts'
import { runTurn } from '../../../src/turns/drive/run-turn.ts'
import { readLog } from '../../../src/turns/record/run-log.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import type { RunEvent } from '../../../src/turns/run/run-events.ts'
import { createTurnStop } from '../../../src/turns/run/turn-stop.ts'
import { type CommitFate, type PostgresProxy, startPostgresProxy } from '../../support/postgres-proxy.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts'
import { useCaller, withKey } from '../../support/turns/caller.ts'
import { claimNext } from '../../support/turns/claim.ts'
import { endWith, journalOf, saidIn } from '../../support/turns/journal.ts'
import { scriptedCatalogue, turnServices } from '../../support/turns/services.ts'
import { start } from '../../support/turns/start.ts'
import { gate, reply, type Script } from '../../support/upstream-scripts.ts'
import { useStore } from '../../support/world/store.ts'

let proxy: PostgresProxy
/** What the turns under test use: every connection goes through the proxy. */
let proxied: Database
let upstream: ScriptedUpstream
let catalogue: Catalogue

const world = useStore()
const { db } = world
const person = useCaller(db)
beforeAll(async () => {
  proxy = await startPostgresProxy(db.url)
  proxied = openDatabase({ url: proxy.url, onIdleError: () => undefined, maxConnections: 4 })
})
beforeEach(async () => {
  upstream = await startScriptedUpstream()
  catalogue = await scriptedCatalogue(upstream.baseUrl)
})
afterEach(async () => {
  proxy.refuse(false)
  await catalogue.close()
  await upstream.close()
})
afterAll(async () => {
  await proxied.close()
  await proxy.close()
})

/** Drives one attempt, whose database is behind the proxy. */
function drive(run: Run) {
  const live = createLiveRun()
  const stop = createTurnStop()
  return { live, stop, ended: runTurn(turnServices(proxied, catalogue), run, live, stop) }
}

/** The database cannot be reached until `proxy.refuse(false)`. */
function disconnect(): void {
  proxy.refuse(true)
  proxy.cutAll()
}

const writing = (after: Promise<unknown>): Script => [
  { text: 'Let me write it down.' },
  { waitFor: after },
  { toolCalls: [{ name: 'write_file', arguments: { name: 'a.txt', content: 'Kept once.' } }] },
]

async function rowsOf(run: Run) {
  const { rows } = await db.database.systemPool.query<Record<string, unknown>>(
    `select r.status, r.epoch, r.step_count as steps, r.cost_micros = (-t.allowance_micros - t.granted_micros) as as_charged,
      (select sum(cost_micros) from run_log where run_id = r.id) = r.cost_micros as as_its_steps,
      (select count(*)::int from ledger where run_id = r.id and kind = 'charge') as charges,
      r.hold_micros as hold,
      (select count(*)::int from file_versions where run_id = r.id) as versions
    from runs r left join ledger t on t.run_id = r.id and t.kind = 'charge' where r.id = $1`,
    [run.id],
  )
  return rows[0]
}

const logOf = async (run: Run) =>
  (await withTx(db.database, 'system', (tx) => readLog(tx, run.id))).events.map(({ event }) => event)
const textOf = (events: readonly RunEvent[]) =>
  events.map((event) => (event.type === 'text.delta' ? event.text : '')).join('')

const text = 'Let me write it down.\n\nIt stands in the file a.txt.'

/** What a transaction of that kind, and none before it, sends to the server. */
const kinds = [
  ['a flush of text', 'text.delta'],
  ['the extension of the hold', 'prepare_call'],
  ['a step with a written file', 'file_versions'],
  ['the end with the charge', 'run.completed'],
] as const
const fates: readonly CommitFate[] = ['reply-lost', 'request-lost', { lateMs: 700 }]

test.each(kinds.flatMap(([kind, sends]) => fates.map((fate) => ({ kind, sends, fate }))))(
  'a connection lost at the COMMIT of $kind ($fate) writes all once',
  async ({ kind, sends, fate }) => {
    const cut = proxy.cutAtCommit(sends, fate)
    const first = kind === 'a flush of text' ? cut : Promise.resolve()
    upstream.enqueue(writing(first), reply('It stands in the file a.txt.', { chunks: 5 }))
    // Too little for the first call: the hold must be extended.
    const run = await start(db.database, person, { firstCallMicros: 10_000n })
    const { live, ended } = drive(run)
    await cut
    expect(await ended).not.toBe('given-up')
    expect(await rowsOf(run)).toMatchObject({
      status: 'completed',
      epoch: 1,
      steps: 3,
      as_charged: true,
      as_its_steps: true,
      charges: 1,
      versions: 1,
    })
    const log = await logOf(run)
    expect(textOf(log)).toBe(text)
    expect(log.filter(({ type }) => type === 'tool.finished' || type === 'file')).toHaveLength(2)
    expect(log.filter(({ type }) => type === 'step.started')).toHaveLength(2)
    expect(log.filter(({ type }) => type === 'run.completed')).toHaveLength(1)
    expect(upstream.requests).toHaveLength(2)
    const seen = await saidIn(live, 1_000)
    expect(textOf(seen)).toBe(text)
    expect(seen.at(-1)?.type).toBe('run.completed')
  },
)

test('an unaffordable hold whose answer is lost is refused, and queued writes happen', async () => {
  const run = await start(db.database, person)
  const journal = journalOf(proxied, run)
  journal.event({ type: 'run.started' })
  const cut = proxy.cutAtCommit('prepare_call', 'reply-lost')
  expect(await journal.prepareCall(10n ** 15n)).toMatchObject({ isHeld: false })
  await cut
  expect(journal.holdMicros).toBe(run.holdMicros)
  expect((await logOf(run)).map(({ type }) => type)).toEqual(['run.started'])
  await endWith(journal)
  await journal.close()
})

test.each(fates)('an extension alone whose write is lost (%j) is made once', async (fate) => {
  const run = await start(db.database, person)
  const journal = journalOf(proxied, run)
  const cut = proxy.cutAtCommit('prepare_call', fate)
  expect(await journal.prepareCall(5_000n)).toMatchObject({ isHeld: true })
  await cut
  expect(await rowsOf(run)).toMatchObject({ hold: `${run.holdMicros + 5_000n}` })
  await endWith(journal)
  await journal.close()
})

test('a key that has expired is seen although the answer that says so is lost', async () => {
  const principal = await withKey(db.database, person)
  const run = await start(db.database, { ...person, principal })
  const journal = journalOf(proxied, run)
  journal.event({ type: 'run.started' })
  await db.database.systemPool.query('update api_keys set expires_at = now() where id = $1', [
    principal.keyId,
  ])
  const cut = proxy.cutAtCommit('prepare_call', 'reply-lost')
  expect(await journal.prepareCall(5_000n)).toEqual({ isHeld: false, keyUsable: false })
  await cut
  await endWith(journal)
  await journal.close()
})

test.each(fates)('steps whose write is lost (%j) are written once and charged', async (fate) => {
  const run = await start(db.database, person)
  const journal = journalOf(proxied, run)
  const call = { id: 'call_1', name: 'list_files', arguments: '{}' }
  const usage = { promptTokens: 10, completionTokens: 5, estimated: false }
  const cut = proxy.cutAtCommit('prepare_call', fate)
  journal.model({ kind: 'model', text: 'I look.', toolCalls: [call], reason: 'tool_calls', usage })
  await journal.tool(2, call, { content: '{"files":[]}' })
  const cost = journal.costMicros
  expect(await journal.prepareCall(5_000n)).toMatchObject({ isHeld: true })
  await cut
  expect([journal.costMicros, journal.holdMicros]).toEqual([cost, run.holdMicros + 5_000n])
  await endWith(journal)
  await journal.close()
  expect(await rowsOf(run)).toMatchObject({
    ...{ status: 'cancelled', steps: 2, hold: `${run.holdMicros + 5_000n}`, charges: 1 },
    ...{ as_its_steps: true, as_charged: true },
  })
})

test('text streamed while the database is away is written when it is back', async () => {
  const away = gate()
  const long = ' A sentence that goes on and on.'.repeat(2_000)
  upstream.enqueue([{ text: 'Begun.' }, { waitFor: away.opened }, { text: long, chunks: 500 }])
  const run = await start(db.database, person)
  const { live, ended } = drive(run)
  await expect.poll(async () => textOf(await logOf(run))).toBe('Begun.')
  disconnect()
  away.open()
  let seen = ''
  const isAllSaid = await live.read(AbortSignal.timeout(120_000), (batch) => {
    seen += textOf(batch)
    return seen.length === 'Begun.'.length + long.length
  })
  expect(isAllSaid).toBe(true)
  // The reader here has all of it; the database has none of what was said since.
  expect(textOf(await logOf(run))).toBe('Begun.')
  proxy.refuse(false)
  expect(await ended).not.toBe('given-up')
  expect(textOf(await logOf(run))).toBe(`Begun.${long}`)
  expect(await rowsOf(run)).toMatchObject({ status: 'completed', epoch: 1, charges: 1 })
})

test('an attempt whose run was taken over in an outage writes nothing more', async () => {
  const [rest, held] = [gate(), gate()]
  upstream.enqueue([
    { text: 'Mine.' },
    { waitFor: rest.opened },
    { text: ' Not any more.' },
    { waitFor: held.opened },
  ])
  const run = await start(db.database, person)
  const { ended } = drive(run)
  await expect.poll(async () => textOf(await logOf(run))).toBe('Mine.')
  // The next flush is carried out, and its writer does not hear of it.
  const cut = proxy.cutAtCommit('Not any more', 'reply-lost').then(() => disconnect())
  rest.open()
  await cut
  const claimed = await claimNext(db.database, person, run)
  expect(claimed.epoch).toBe(2)
  proxy.refuse(false)
  held.open()
  expect(await ended).toBe('given-up')
  expect(textOf(await logOf(run))).toBe('Mine. Not any more.')
  expect(await rowsOf(run)).toMatchObject({ status: 'in_progress', epoch: 2, steps: 0, charges: 0 })
  upstream.enqueue(reply('Somebody else’s.'))
  const next = createLiveRun()
  expect(await runTurn(turnServices(db.database, catalogue), claimed, next, createTurnStop())).not.toBe(
    'given-up',
  )
})

test('a turn that is to leave does not wait for the database', async () => {
  const rest = gate()
  upstream.enqueue([{ text: 'Begun.' }, { waitFor: rest.opened }, { text: ' Never written.' }])
  const run = await start(db.database, person)
  const { stop, ended } = drive(run)
  await expect.poll(async () => textOf(await logOf(run))).toBe('Begun.')
  disconnect()
  rest.open()
  stop.leave(new Error('the process shuts down'))
  expect(await ended).toBe('given-up')
  proxy.refuse(false)
  expect(await rowsOf(run)).toMatchObject({ status: 'in_progress', steps: 0 })
  upstream.enqueue(reply('Later.'))
  // An attempt begins with the row as it is.
  const now = { ...run, eventCount: (await logOf(run)).length }
  expect(await drive(now).ended).not.toBe('given-up')
})
