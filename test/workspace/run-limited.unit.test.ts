import pLimit from 'p-limit'
import { expect, test } from 'vitest'
import { runLimited } from '../../src/workspace/children/run-limited.ts'

const never = new AbortController().signal

test('work waits until a slot is free, in the order in which it came', async () => {
  const limit = pLimit(1)
  const order: string[] = []
  const first = Promise.withResolvers<void>()
  const runs = [
    runLimited(limit, never, async () => {
      order.push('a')
      await first.promise
    }),
    runLimited(limit, never, async () => void order.push('b')),
    runLimited(limit, never, async () => void order.push('c')),
  ]
  await new Promise(setImmediate)
  expect(order).toEqual(['a'])
  first.resolve()
  await Promise.all(runs)
  expect(order).toEqual(['a', 'b', 'c'])
})

test('an aborted waiter is rejected at once, and its work never starts', async () => {
  const limit = pLimit(1)
  const first = Promise.withResolvers<void>()
  const running = runLimited(limit, never, () => first.promise)
  const abort = new AbortController()
  let started = false
  const waiting = runLimited(limit, abort.signal, async () => {
    started = true
  })
  abort.abort(new Error('cancelled'))
  await expect(waiting).rejects.toThrow('cancelled')
  first.resolve()
  await running
  await runLimited(limit, never, async () => undefined)
  expect(started).toBe(false)
})

test('an aborted signal starts no work, even when a slot is free', async () => {
  const limit = pLimit(1)
  await expect(
    runLimited(limit, AbortSignal.abort(new Error('cancelled')), () => Promise.reject(new Error('ran'))),
  ).rejects.toThrow('cancelled')
})

test('an abort does not end work that runs, and a failure frees its slot', async () => {
  const limit = pLimit(1)
  const abort = new AbortController()
  const end = Promise.withResolvers<string>()
  const running = runLimited(limit, abort.signal, () => end.promise)
  await new Promise(setImmediate)
  abort.abort()
  end.resolve('done')
  expect(await running).toBe('done')
  await expect(runLimited(limit, never, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await runLimited(limit, never, async () => 'next')).toBe('next')
})
