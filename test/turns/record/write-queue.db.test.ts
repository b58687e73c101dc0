import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withTx } from '../../../src/db/client.ts'
import { readLog } from '../../../src/turns/record/run-log.ts'
import { createSharedAppends, type SharedAppends } from '../../../src/turns/record/shared-appends.ts'
import { createTurnStore } from '../../../src/turns/record/turn-store.ts'
import { WriteQueue } from '../../../src/turns/record/write-queue.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import { useCaller } from '../../support/turns/caller.ts'
import { start } from '../../support/turns/start.ts'
import { useStore } from '../../support/world/store.ts'

const { db } = useStore()
const person = useCaller(db)

// Only the timers of flushes are advanced. Those of the database's connections are far longer.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** An append: its answer to the queue, and its real execution. */
type Append = { answer(isWritten: boolean | undefined): void; really(): Promise<boolean | undefined> }

/** A writer whose flushes are due, and whose shared appends are made and answered, when the test says so. */
async function writing() {
  const run = await start(db.database, person)
  const store = createTurnStore(db.database)
  const real = createSharedAppends(store)
  const appends: Append[] = []
  const faults: unknown[] = []
  const leave = new AbortController()
  const shared: SharedAppends = {
    append(run, events) {
      const { promise, resolve } = Promise.withResolvers<boolean | undefined>()
      appends.push({ answer: resolve, really: () => real.append(run, events) })
      return promise
    },
  }
  const writer = new WriteQueue(run, {
    store,
    costMicros: 0n,
    appends: shared,
    leave: leave.signal,
    onCommit: () => undefined,
    onFault: (fault) => faults.push(fault),
  })
  const ring = () => vi.advanceTimersByTime(100)
  const done = () => appends.length + faults.length
  /** Whether a flush is due. It makes an append, or fails. */
  const isScheduled = async () => {
    const before = done()
    ring()
    // Some promises after the flush.
    await new Promise(setImmediate)
    return done() > before
  }
  const say = (text: string, step = 1) => writer.append([{ type: 'text.delta', step, text }])
  /** The append of that attempt, once the queue has made it. */
  const appended = async (attempt: number) => {
    await expect.poll(() => appends.length).toBeGreaterThan(attempt)
    return appends[attempt] as Append
  }
  return { run, writer, isScheduled, appends, appended, faults, leave, ring, say }
}

const textsOf = async (run: Run) =>
  (await withTx(db.database, run, (tx) => readLog(tx, run.id))).events.map(({ seq, event }) => [
    seq,
    event.type === 'text.delta' ? event.text : event.type,
  ])

const stepOf = (text: string) => ({
  record: {
    kind: 'model' as const,
    text,
    toolCalls: [],
    reason: 'stop' as const,
    usage: { promptTokens: 1, completionTokens: 1, estimated: false },
  },
  costMicros: 5n,
})

test('a write waits for what is on its way with others, and comes after it', async () => {
  const { run, writer, appends, appended, ring, say } = await writing()
  say('one')
  ring()
  say('two', 2)
  let isOver = false
  const write = writer.prepareCall(0n).finally(() => {
    isOver = true
  })
  expect(await textsOf(run)).toEqual([])
  const append = await appended(0)
  expect(await append.really()).toBe(true)
  expect(isOver).toBe(false)
  append.answer(true)
  await write
  expect(await textsOf(run)).toEqual([
    [1, 'one'],
    [2, 'two'],
  ])
  expect(appends).toHaveLength(1)
  await writer.close()
})

test('a write that found no shared slot is made alone, before later ones', async () => {
  const { run, writer, appends, appended, faults, isScheduled, ring, say } = await writing()
  say('one')
  ring()
  say('two', 2)
  const write = writer.prepareCall(0n)
  for (const attempt of [0, 1, 2]) (await appended(attempt)).answer(false)
  await write
  expect(appends).toHaveLength(3)
  expect(await textsOf(run)).toEqual([
    [1, 'one'],
    [2, 'two'],
  ])
  expect([faults, await isScheduled()]).toEqual([[], false])
  await writer.close()
})

test.each([
  ['the first', 0],
  ['the last', 2],
])('a shared write by %s attempt with an unknown outcome is not repeated', async (_, worked) => {
  const { run, writer, appended, faults, ring, say } = await writing()
  say('one')
  ring()
  for (const attempt of [0, 1, 2]) {
    const append = await appended(attempt)
    if (attempt === worked) expect(await append.really()).toBe(true)
    append.answer(attempt === worked ? undefined : false)
  }
  say('two', 2)
  await writer.prepareCall(0n)
  expect(await textsOf(run)).toEqual([
    [1, 'one'],
    [2, 'two'],
  ])
  expect(faults).toEqual([])
  await writer.close()
})

test('a step and text that come during a write are in the next one', async () => {
  const { run, writer, appended, isScheduled, ring, say } = await writing()
  say('one')
  ring()
  const append = await appended(0)
  writer.append([], stepOf('one'))
  say('two', 2)
  expect(await isScheduled()).toBe(false)
  expect(await append.really()).toBe(true)
  append.answer(true)
  await expect
    .poll(() => {
      ring()
      return textsOf(run)
    })
    .toHaveLength(2)
  const steps = await db.database.systemPool.query(
    'select step from run_log where run_id = $1 and steps > 0',
    [run.id],
  )
  expect(steps.rows).toEqual([{ step: 1 }])
  expect(writer.costMicros).toBe(5n)
  await writer.close()
})

test('who closes it waits for what is on its way, and nothing is begun after that', async () => {
  const { run, writer, appended, isScheduled, ring, say } = await writing()
  say('one')
  ring()
  const append = await appended(0)
  say('never', 2)
  let isClosed = false
  const closed = writer.close().finally(() => {
    isClosed = true
  })
  expect(await append.really()).toBe(true)
  expect(isClosed).toBe(false)
  append.answer(true)
  await closed
  say('nor this', 2)
  writer.append([], stepOf('nor this'))
  expect(await isScheduled()).toBe(false)
  expect(await textsOf(run)).toEqual([[1, 'one']])
})

test('a run left between two attempts is reported once and not tried again', async () => {
  const { run, writer, appends, appended, isScheduled, faults, leave, ring, say } = await writing()
  say('one')
  ring()
  const append = await appended(0)
  leave.abort(new Error('left'))
  append.answer(false)
  await expect.poll(() => faults).toEqual([new Error('left')])
  expect([appends.length, await isScheduled()]).toEqual([1, false])
  expect(await textsOf(run)).toEqual([])
  await writer.close()
})

test('a run that is somebody else’s is told of once, and does not come back by itself', async () => {
  const { run, writer, appended, isScheduled, faults, ring, say } = await writing()
  await db.database.systemPool.query('update runs set epoch = epoch + 1 where id = $1', [run.id])
  say('one')
  ring()
  for (const attempt of [0, 1, 2]) (await appended(attempt)).answer(false)
  await expect.poll(() => faults).toHaveLength(1)
  expect(await isScheduled()).toBe(false)
  expect(await textsOf(run)).toEqual([])
  await writer.close()
})
