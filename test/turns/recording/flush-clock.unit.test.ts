import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFlushClock } from '../../../src/turns/recording/flush-clock.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** What was called, with the time at which it was. */
function calls() {
  const called: [name: string, at: number][] = []
  const began = performance.now()
  const flush = (name: string) => () => called.push([name, Math.round(performance.now() - began)])
  return { called, flush: (name: string): (() => void) => flush(name) as () => void }
}

test('each is called once, some 100 ms after it was first asked for, in their order', () => {
  const clock = createFlushClock()
  const { called, flush } = calls()
  const [a, b] = [flush('a'), flush('b')]
  clock.schedule(a)
  vi.advanceTimersByTime(40)
  clock.schedule(b)
  clock.schedule(a)
  vi.advanceTimersByTime(1_000)
  expect(called).toEqual([
    ['a', 100],
    ['b', 140],
  ])
})

test('those that are due within a moment are called together', () => {
  const clock = createFlushClock()
  const { called, flush } = calls()
  for (const name of ['a', 'b', 'c']) {
    clock.schedule(flush(name))
    vi.advanceTimersByTime(4)
  }
  vi.advanceTimersByTime(1_000)
  expect(called).toEqual([
    ['a', 100],
    ['b', 100],
    ['c', 100],
  ])
})

test('what was taken back is not called, and the others are', () => {
  const clock = createFlushClock()
  const { called, flush } = calls()
  const [a, b] = [flush('a'), flush('b')]
  clock.schedule(a)
  clock.schedule(b)
  clock.cancel(a)
  vi.advanceTimersByTime(1_000)
  expect(called).toEqual([['b', 100]])
  clock.schedule(a)
  clock.cancel(a)
  vi.advanceTimersByTime(1_000)
  expect(called).toHaveLength(1)
})

test('a flush that asks again while it runs is called again', () => {
  const clock = createFlushClock()
  const at: number[] = []
  const again = () => {
    at.push(Math.round(performance.now()))
    if (at.length < 3) clock.schedule(again)
  }
  clock.schedule(again)
  vi.advanceTimersByTime(1_000)
  expect(at.map((time) => time - (at[0] ?? 0))).toEqual([0, 100, 200])
  expect(vi.getTimerCount()).toBe(0)
})
