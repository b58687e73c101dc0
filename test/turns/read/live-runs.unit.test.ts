import { expect, test } from 'vitest'
import { createLiveRun, type LiveRun } from '../../../src/turns/drive/live-runs.ts'
import type { RunEvent } from '../../../src/turns/run/run-events.ts'

const said = (text: string): RunEvent => ({ type: 'text.delta', step: 1, text })
const cancelled = { type: 'run.cancelled', end: {} } as RunEvent

async function readAll(live: LiveRun, signal = new AbortController().signal): Promise<readonly RunEvent[]> {
  const seen: RunEvent[] = []
  await live.read(signal, (batch) => {
    seen.push(...batch)
    return false
  })
  return seen
}

test('a reader of a silent run ends when its client leaves', async () => {
  const live = createLiveRun()
  live.push(said('one'))
  const left = new AbortController()
  const reading = readAll(live, left.signal)
  // It waits by now.
  await new Promise((resolve) => setImmediate(resolve))
  left.abort()
  expect(await reading).toEqual([said('one')])
})

test('a reader that left before it began still hears all that was said until then', async () => {
  const live = createLiveRun()
  live.push(said('one'))
  live.push(cancelled)
  expect(await readAll(live, AbortSignal.abort())).toEqual([said('one'), cancelled])
})

test('readers of a run that was given up end without an end, and know it', async () => {
  const live = createLiveRun()
  const early = readAll(live)
  live.push(said('one'))
  expect(live.abandoned).toBe(false)
  live.abandon()
  expect(live.abandoned).toBe(true)
  expect(await early).toEqual([said('one')])
  expect(await readAll(live)).toEqual([said('one')])
})

test('a slow reader gets all later events and the end once it reads on', async () => {
  const live = createLiveRun()
  const taken = Promise.withResolvers<boolean>()
  const batches: (readonly RunEvent[])[] = []
  live.push(said('one'))
  const reading = live.read(new AbortController().signal, (batch) => {
    batches.push(batch)
    return batches.length === 1 ? taken.promise : false
  })
  await new Promise((resolve) => setImmediate(resolve))
  live.push(said('two'))
  live.push(cancelled)
  await new Promise((resolve) => setImmediate(resolve))
  expect(batches).toEqual([[said('one')]])
  taken.resolve(false)
  expect(await reading).toBe(false)
  expect(batches).toEqual([[said('one')], [said('two'), cancelled]])
})

test.each([
  ['at once', () => true],
  ['later', async () => true],
])('a reader that has heard enough, which it says %s, is told nothing more', async (_, enough) => {
  const live = createLiveRun()
  let told = 0
  const reading = live.read(new AbortController().signal, () => {
    told += 1
    return enough()
  })
  live.push(said('one'))
  expect(await reading).toBe(true)
  live.push(said('two'))
  live.abandon()
  await new Promise((resolve) => setImmediate(resolve))
  expect(told).toBe(1)
})

test.each([
  [
    'throws',
    () => {
      throw new Error('no more')
    },
  ],
  ['rejects', async () => Promise.reject(new Error('no more'))],
])('a reader that %s ends with that, and the others go on', async (_, hear) => {
  const live = createLiveRun()
  const other = readAll(live)
  const reading = live.read(new AbortController().signal, hear)
  live.push(said('one'))
  await expect(reading).rejects.toThrow('no more')
  live.push(cancelled)
  expect(await other).toEqual([said('one'), cancelled])
})
