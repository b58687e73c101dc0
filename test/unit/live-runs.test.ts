import { expect, test } from 'vitest'
import { createLiveRun, type LiveRun } from '../../src/turns/live-runs.ts'
import type { RunEvent } from '../../src/turns/run-events.ts'

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
  const live = createLiveRun('run_1')
  live.push(said('one'))
  const left = new AbortController()
  const reading = readAll(live, left.signal)
  // It waits by now.
  await new Promise((resolve) => setImmediate(resolve))
  left.abort()
  expect(await reading).toEqual([said('one')])
})

test('a reader that left before it began, or that is slow, still hears all that was said until then', async () => {
  const live = createLiveRun('run_1')
  live.push(said('one'))
  live.push(cancelled)
  expect(await readAll(live, AbortSignal.abort())).toEqual([said('one'), cancelled])
})

test('readers of a run that was given up end without an end, and know it', async () => {
  const live = createLiveRun('run_1')
  const early = readAll(live)
  live.push(said('one'))
  expect(live.abandoned).toBe(false)
  live.abandon()
  expect(live.abandoned).toBe(true)
  expect(await early).toEqual([said('one')])
  expect(await readAll(live)).toEqual([said('one')])
})
