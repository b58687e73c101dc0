import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Executor } from '../../../src/db/client.ts'
import type { ClientConnections } from '../../../src/turns/replicas/client-connections.ts'
import { openClientInquiry } from '../../../src/turns/replicas/client-inquiry.ts'
import type { Signal, Signals } from '../../../src/turns/replicas/signals.ts'

/** True inside the work whose timers count: the test runner starts timers too. */
const counted = new AsyncLocalStorage<true>()

/** Timers by their ids, of both kinds: callbacks and promises. */
const open = new Set<number>()
const timers = createHook({
  init: (id, type) => void (type === 'Timeout' && counted.getStore() && open.add(id)),
  destroy: (id) => void open.delete(id),
})

/** The timers that `work` leaves behind. */
async function timersLeftBy<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly left: number }> {
  open.clear()
  timers.enable()
  try {
    const result = await counted.run(true, work)
    // The hook hears of an end in the next turn of the event loop.
    await setImmediate()
    await setImmediate()
    return { result, left: open.size }
  } finally {
    timers.disable()
  }
}

const running = { execute: async () => ({ rows: [{ ended: false }] }) } as unknown as Executor
const nobodyLost = { lost: () => [] } as unknown as ClientConnections

/** Signals that reach every replica at once, except those that `isLost` keeps back. */
function openSignals(isLost: (signal: Signal) => boolean): Signals {
  const listeners = new Set<(signal: Signal) => void>()
  return {
    listening: () => true,
    send: (signal) => {
      if (!isLost(signal)) for (const heard of [...listeners]) heard(signal)
    },
    subscribe: (heard) => {
      listeners.add(heard)
      return () => listeners.delete(heard)
    },
    waitForEvents: async () => {},
    close: async () => {},
  }
}

function openPair(isLost: (signal: Signal) => boolean) {
  const signals = openSignals(isLost)
  openClientInquiry(running, 'asked', signals, nobodyLost)
  return openClientInquiry(running, 'asking', signals, nobodyLost)
}

test('an answered question leaves no timer', async () => {
  const inquiry = openPair(() => false)
  const { result, left } = await timersLeftBy(() => inquiry.ask('identity', ['asked']))
  expect([...result.replicas]).toEqual(['asked'])
  expect(left).toBe(0)
})

test('a question that is answered only when it is repeated leaves no timer', async () => {
  let questions = 0
  const inquiry = openPair(({ kind }) => {
    if (kind === 'ask') questions += 1
    return kind === 'ask' && questions === 1
  })
  const { result, left } = await timersLeftBy(() => inquiry.ask('identity', ['asked']))
  expect([...result.replicas]).toEqual(['asked'])
  expect({ questions, left }).toEqual({ questions: 2, left: 0 })
})
