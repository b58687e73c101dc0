import { expect, test } from 'vitest'
import { patiently } from '../../src/turns/patience.ts'

const fault = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const open = new AbortController().signal
const brief = { forMs: 200, firstPauseMs: 1, longestPauseMs: 8 }

/** Fails with `error` the first `times`. */
function failing(error: Error, times: number) {
  const work = {
    calls: 0,
    do: () => (++work.calls > times ? Promise.resolve('read') : Promise.reject(error)),
  }
  return work
}

test('what the database fails is done again until it works', async () => {
  const work = failing(fault, 5)
  expect(await patiently(work.do, open, brief)).toBe('read')
  expect(work.calls).toBe(6)
})

test('it is given up after its time, with the fault, and not tried in a hurry until then', async () => {
  const work = failing(fault, Number.POSITIVE_INFINITY)
  const began = performance.now()
  await expect(patiently(work.do, open, brief)).rejects.toBe(fault)
  expect(performance.now() - began).toBeLessThan(1_000)
  // 1 + 2 + 4 ms, then 8 ms each.
  expect(work.calls).toBeGreaterThan(5)
  expect(work.calls).toBeLessThan(35)
})

test('what is not the fault of the database is not tried again', async () => {
  const work = failing(new TypeError('a mistake'), 1)
  await expect(patiently(work.do, open, brief)).rejects.toThrow('a mistake')
  expect(work.calls).toBe(1)
})

test('whoever leaves is not waited for', async () => {
  const leaving = new AbortController()
  const work = failing(fault, Number.POSITIVE_INFINITY)
  const waiting = patiently(work.do, leaving.signal, {
    forMs: 60_000,
    firstPauseMs: 30_000,
    longestPauseMs: 30_000,
  })
  leaving.abort()
  expect(await waiting).toBeUndefined()
})
