import { afterEach, expect, test } from 'vitest'
import {
  isShortOfMemory,
  LoopDelay,
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

/** Keeps the event loop busy in pieces, as too much work does, until `done` says so; two minutes at most. */
async function keepBusy(pieceMs: number, done: () => boolean): Promise<void> {
  const until = performance.now() + 120_000
  while (!done() && performance.now() < until) {
    const end = performance.now() + pieceMs
    while (performance.now() < end);
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('a process is under pressure only while its event loop is busy', async () => {
  watched = watchPressure()
  expect(watched.reason()).toBeUndefined()
  await keepBusy(800, () => watched?.reason() !== undefined)
  expect(watched.reason()).toBe('event_loop')
  await expect.poll(() => watched?.reason()).toBeUndefined()
})

test('one long pause is no pressure: a process that was frozen is not busy', () => {
  const loop = new LoopDelay(0)
  let now = 0
  const beat = (elapsedMs: number) => {
    now += elapsedMs
    loop.beat(now)
    return loop.delayMs()
  }
  for (let n = 0; n < 5; n += 1) expect(beat(100)).toBe(0)
  expect(beat(60_000)).toBe(0)
  for (let n = 0; n < 5; n += 1) expect(beat(100)).toBe(0)
  // Busy is a loop most of whose beats are late.
  expect([800, 800, 800].map(beat)).toEqual([0, 0, 700])
})
