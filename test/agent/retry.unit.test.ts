import { expect, test } from 'vitest'
import { retryTransient } from '../../src/db/retry.ts'

const fault = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

/** Fails with `error` the first `times`. */
function failing(error: Error, times: number) {
  const work = {
    calls: 0,
    do: () => (++work.calls > times ? Promise.resolve('done') : Promise.reject(error)),
  }
  return work
}

test('what the database fails is done again until it works', async () => {
  const work = failing(fault, 3)
  expect(await retryTransient(work.do, new AbortController().signal)).toBe('done')
  expect(work.calls).toBe(4)
})

test('retries stop at the deadline with the last fault, and wait between tries', async () => {
  const work = failing(fault, Number.POSITIVE_INFINITY)
  await expect(retryTransient(work.do, AbortSignal.timeout(300))).rejects.toBe(fault)
  expect(work.calls).toBeGreaterThan(1)
  expect(work.calls).toBeLessThan(12)
})

test('what is not the fault of the database is not tried again', async () => {
  const work = failing(new TypeError('a mistake'), 1)
  await expect(retryTransient(work.do, new AbortController().signal)).rejects.toThrow('a mistake')
  expect(work.calls).toBe(1)
})

test('whoever leaves is not waited for', async () => {
  const leaving = new AbortController()
  const work = failing(fault, Number.POSITIVE_INFINITY)
  const waiting = retryTransient(work.do, leaving.signal)
  leaving.abort()
  await expect(waiting).rejects.toBe(fault)
})
