import { expect, test } from 'vitest'
import { AccountBatches } from '../../../src/turns/store/account-batches.ts'

type Sent = {
  readonly account: string
  readonly calls: readonly string[]
  readonly whole: readonly object[]
  answer(): void
  fail(error: unknown): void
}

/** Batches whose answers come when the test says so. */
function batching() {
  const sent: Sent[] = []
  const batches = new AccountBatches<{ readonly call: string }>((account, whole) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly unknown[]>()
    const calls = whole.map(({ call }) => call)
    const answer = () => resolve(calls.map((call) => `answer to ${call}`))
    sent.push({ account, calls, whole, answer, fail: reject })
    return promise
  })
  const call = (name: string, account = 'a') => batches.call(account, { call: name })
  const next = async (count: number) => {
    await expect.poll(() => sent.length).toBe(count)
    return sent.at(-1) as Sent
  }
  return { sent, batches, call, next }
}

const duplicate = Object.assign(new Error('duplicate key'), { code: '23505' })
const lost = Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' })

test('calls made during a batch form the next one, each with its own answer', async () => {
  const { sent, call, next } = batching()
  const answers = ['one', 'two', 'three'].map((name) => call(name))
  expect(sent.map(({ calls }) => calls)).toEqual([['one']])
  sent[0]?.answer()
  const second = await next(2)
  expect(second.calls).toEqual(['two', 'three'])
  second.answer()
  expect(await Promise.all(answers)).toEqual(['answer to one', 'answer to two', 'answer to three'])
})

test('accounts do not wait for one another', () => {
  const { sent, call } = batching()
  void call('one', 'a')
  void call('two', 'b')
  expect(sent.map(({ account }) => account)).toEqual(['a', 'b'])
})

test('a batch has at most 32 calls', async () => {
  const { sent, call, next } = batching()
  for (let n = 0; n <= 34; n += 1) void call(`${n}`)
  sent[0]?.answer()
  expect((await next(2)).calls).toHaveLength(32)
  sent[1]?.answer()
  expect((await next(3)).calls).toEqual(['33', '34'])
})

test('a failed batch is repeated call by call, and only the failing call fails', async () => {
  const { sent, call, next } = batching()
  const first = call('first')
  const answers = Promise.allSettled([call('good'), call('bad'), call('also good')])
  sent[0]?.answer()
  await first
  ;(await next(2)).fail(duplicate)
  const calls: (readonly string[])[] = []
  for (const count of [3, 4, 5]) {
    const alone = await next(count)
    calls.push(alone.calls)
    alone.calls[0] === 'bad' ? alone.fail(duplicate) : alone.answer()
  }
  expect(calls).toEqual([['good'], ['bad'], ['also good']])
  const [good, bad, alsoGood] = await answers
  expect([good, alsoGood]).toMatchObject([{ value: 'answer to good' }, { value: 'answer to also good' }])
  expect(bad).toMatchObject({ reason: duplicate })
})

test('a connection lost under a batch fails all its calls, without a retry', async () => {
  const { sent, call, next } = batching()
  const first = call('first')
  const answers = Promise.allSettled([call('one'), call('two')])
  sent[0]?.answer()
  await first
  ;(await next(2)).fail(lost)
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  void call('later')
  expect((await next(3)).calls).toEqual(['later'])
})

test('a call that depends on the clock comes last, with the values of its sending', async () => {
  const { sent, batches, call, next } = batching()
  let now = 1
  void call('first')
  void batches.call('a', { call: 'timed' }, () => ({ now }))
  void call('other')
  now = 2
  sent[0]?.answer()
  expect((await next(2)).whole).toEqual([{ call: 'other' }, { call: 'timed', now: 2 }])
})

test('a call that must not be sent any more fails alone', async () => {
  const { sent, batches, call, next } = batching()
  void call('first')
  const left = new Error('the client disconnected')
  const refused = batches.call('a', { call: 'timed' }, () => {
    throw left
  })
  const other = call('other')
  sent[0]?.answer()
  await expect(refused).rejects.toBe(left)
  const second = await next(2)
  expect(second.calls).toEqual(['other'])
  second.answer()
  await other
})
