import { expect, test, vi } from 'vitest'
import { databaseFault } from '../../src/db/errors.ts'
import { type Job, runJob } from '../../src/threads.ts'
import type { TestJob } from '../support/thread-jobs.ts'

/** The lane of short jobs has one thread: a job that follows an endless one shows that its thread has ended. */
const job = (maxMs = 60_000): Job => ({
  file: new URL('../support/thread-jobs.ts', import.meta.url),
  lane: 'short',
  maxMs,
})
const run = (input: TestJob, options: { maxMs?: number; signal?: AbortSignal } = {}) =>
  runJob<TestJob, string>(job(options.maxMs), input, options.signal)
const echo = () => run({ kind: 'echo', value: 'here' })

vi.setConfig({ testTimeout: 60_000 })

test('a job runs in a thread and its result comes back', async () => {
  expect(await echo()).toBe('here')
})

test('a job over its time limit ends, says so, and leaves its thread to the next', async () => {
  await expect(run({ kind: 'loop' }, { maxMs: 500 })).rejects.toMatchObject({
    code: 'overloaded',
    retryAfterSeconds: 5,
  })
  expect(await echo()).toBe('here')
})

test('a job ends with the reason of its signal when that is aborted', async () => {
  const left = new AbortController()
  const running = run({ kind: 'loop' }, { signal: left.signal })
  const waiting = echo()
  left.abort(new Error('the client disconnected'))
  await expect(running).rejects.toThrow('the client disconnected')
  expect(await waiting).toBe('here')
})

test('a signal that was aborted before starts no job', async () => {
  const signal = AbortSignal.abort(new Error('gone'))
  await expect(run({ kind: 'loop' }, { signal })).rejects.toThrow('gone')
})

test('a refusal within a job keeps its code and field', async () => {
  await expect(run({ kind: 'refuse' })).rejects.toMatchObject({
    name: 'ServiceError',
    code: 'invalid_value',
    param: 'text',
    message: 'This is refused.',
  })
})

test('a database error within a job is still known as one', async () => {
  const error = await run({ kind: 'fail' }).catch((thrown: unknown) => thrown)
  expect(databaseFault(error)?.code).toBe('55P03')
})

test('a job beyond the bound of the queue is refused at once', async () => {
  const left = new AbortController()
  const all = Array.from({ length: 130 }, () => run({ kind: 'loop' }, { signal: left.signal }))
  const settled = Promise.allSettled(all)
  await expect(Promise.any(all.map((one) => one.catch((error) => error)))).resolves.toMatchObject({
    code: 'overloaded',
  })
  left.abort()
  const refused = (await settled).filter(
    (one) => one.status === 'rejected' && (one.reason as { code?: unknown }).code === 'overloaded',
  )
  expect(refused.length).toBeGreaterThanOrEqual(25)
  expect(await echo()).toBe('here')
})
