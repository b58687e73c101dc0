import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import {
  isShortOfMemory,
  type Pressure,
  reasonIn,
  watchPressure,
} from '../../../src/turns/replicas/pressure.ts'

const calm = { loopDelayMs: 5, heap: 0.5, memory: 0.5 }
let watched: Pressure | undefined

afterEach(() => watched?.stop())

test.each([
  ['a late event loop', { loopDelayMs: 501 }, 'event_loop', false],
  ['a full heap', { heap: 0.86 }, 'heap', true],
  ['little memory left', { memory: 0.91 }, 'memory', true],
  ['all of it within bounds', { loopDelayMs: 500, heap: 0.85, memory: 0.9 }, undefined, false],
])('%s', (_, more, reason, isShort) => {
  expect(reasonIn({ ...calm, ...more })).toBe(reason)
  expect(isShortOfMemory({ ...calm, ...more })).toBe(isShort)
})

test('pressure is noticed while it lasts and forgotten when it is over', async () => {
  let readings = { ...calm, heap: 0.9 }
  watched = watchPressure({ read: () => readings, close: () => undefined })
  await expect.poll(() => watched?.reason()).toBe('heap')
  readings = calm
  await expect.poll(() => watched?.reason()).toBeUndefined()
})

/** Keeps the event loop busy in pieces, as too much work does, until `done` says so; 10 s at most. */
async function keepBusy(pieceMs: number, done: () => boolean): Promise<void> {
  const until = performance.now() + 10_000
  while (!done() && performance.now() < until) {
    const end = performance.now() + pieceMs
    while (performance.now() < end);
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('this very process is under pressure while its event loop is busy, and not before and after', async () => {
  watched = watchPressure()
  expect(watched.reason()).toBeUndefined()
  await keepBusy(800, () => watched?.reason() !== undefined)
  expect(watched.reason()).toBe('event_loop')
  await expect.poll(() => watched?.reason(), { timeout: 10_000 }).toBeUndefined()
})

test('one long pause is no pressure: a process that was frozen is not busy', async () => {
  watched = watchPressure()
  let pieces = 0
  await keepBusy(3_000, () => ++pieces > 1)
  for (let looks = 0; looks < 12; looks += 1) {
    await delay(100)
    expect(watched.reason()).toBeUndefined()
  }
})
