import { expect, test } from 'vitest'
import { createFairLimit } from '../../src/workspace/children/fair-limit.ts'

const never = new AbortController().signal

/** Starts work that ends when `end` is called, and tells in `order` when it starts. */
function started(limit: ReturnType<typeof createFairLimit>, owner: string, order: string[], name = owner) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = limit.run(owner, never, async () => {
    order.push(name)
    await promise
  })
  const end = (): Promise<void> => {
    resolve()
    return done
  }
  return { end }
}

test('one owner with much work never has all slots', async () => {
  const limit = createFairLimit(2)
  const order: string[] = []
  const greedy = ['a1', 'a2', 'a3'].map((name) => started(limit, 'a', order, name))
  const other = started(limit, 'b', order)
  await new Promise(setImmediate)
  expect(order).toEqual(['a1', 'b'])
  await other.end()
  expect(order).toEqual(['a1', 'b'])
  for (const one of greedy) await one.end()
  expect(order).toEqual(['a1', 'b', 'a2', 'a3'])
})

test('a slot goes to the owner with the fewest slots, then to who came first', async () => {
  const limit = createFairLimit(3)
  const order: string[] = []
  const [first] = ['a1', 'a2', 'a3', 'a4'].map((name) => started(limit, 'a', order, name))
  const b = started(limit, 'b', order)
  started(limit, 'c', order)
  started(limit, 'd', order)
  await first?.end()
  expect(order).toEqual(['a1', 'a2', 'b', 'c'])
  await b.end()
  expect(order).toEqual(['a1', 'a2', 'b', 'c', 'd'])
})

test('an aborted waiter is rejected at once, and its work never starts', async () => {
  const limit = createFairLimit(2)
  const order: string[] = []
  const running = started(limit, 'a', order)
  const abort = new AbortController()
  const waiting = limit.run('a', abort.signal, async () => void order.push('aborted'))
  abort.abort(new Error('cancelled'))
  await expect(waiting).rejects.toThrow('cancelled')
  await running.end()
  await limit.run('a', never, async () => undefined)
  expect(order).toEqual(['a'])
})

test('an aborted signal starts no work, even when a slot is free', async () => {
  const work = createFairLimit(2).run('a', AbortSignal.abort(new Error('cancelled')), () =>
    Promise.reject(new Error('ran')),
  )
  await expect(work).rejects.toThrow('cancelled')
})

test('an abort does not end work that runs, and a failure frees its slot', async () => {
  const limit = createFairLimit(2)
  const abort = new AbortController()
  const end = Promise.withResolvers<string>()
  const running = limit.run('a', abort.signal, () => end.promise)
  await new Promise(setImmediate)
  abort.abort()
  end.resolve('done')
  expect(await running).toBe('done')
  await expect(limit.run('a', never, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await limit.run('a', never, async () => 'next')).toBe('next')
})
