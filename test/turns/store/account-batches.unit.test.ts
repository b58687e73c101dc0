import { setImmediate as promisesToSettle } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { AccountBatches, type SendCalls } from '../../../src/turns/store/account-batches.ts'

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
  const released: boolean[] = []
  const state = { connected: 0, isAwaited: false, connectError: undefined as unknown }
  const send: SendCalls<{ readonly call: string }> = (account, whole) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly unknown[]>()
    const calls = whole.map(({ call }) => call)
    const answer = () => resolve(calls.map((call) => `answer to ${call}`))
    sent.push({ account, calls, whole, answer, fail: reject })
    return promise
  }
  const batches = new AccountBatches<{ readonly call: string }>({
    isAwaited: () => state.isAwaited,
    async connect() {
      if (state.connectError) throw state.connectError
      state.connected += 1
      return { send, release: (isBroken) => released.push(isBroken) }
    },
  })
  const call = (name: string, account = 'a') => batches.call(account, { call: name })
  const next = async (count: number) => {
    await expect.poll(() => sent.length).toBe(count)
    return sent.at(-1) as Sent
  }
  /** Three batches of one call, which are under way. */
  const busy = async () => {
    const first = call('first')
    await next(1)
    const second = call('second')
    await next(2)
    const third = call('third')
    await next(3)
    return { first, second, third }
  }
  return { sent, released, state, batches, call, next, busy }
}

const duplicate = Object.assign(new Error('duplicate key'), { code: '23505' })
const lost = Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' })

test('three batches are under way, and calls made meanwhile form the next one, each with its own answer', async () => {
  const { sent, released, call, next, busy } = batching()
  const { first, second, third } = await busy()
  const answers = ['one', 'two', 'three'].map((name) => call(name))
  sent[0]?.answer()
  await next(4)
  expect(sent.map(({ calls }) => calls)).toEqual([['first'], ['second'], ['third'], ['one', 'two', 'three']])
  for (const { answer } of sent.slice(1)) answer()
  expect(await Promise.all([first, second, third, ...answers])).toEqual(
    ['first', 'second', 'third', 'one', 'two', 'three'].map((name) => `answer to ${name}`),
  )
  await expect.poll(() => released).toEqual([false])
})

test('accounts do not wait for one another', async () => {
  const { sent, call } = batching()
  void call('one', 'a')
  void call('two', 'b')
  await expect.poll(() => sent.map(({ account }) => account)).toEqual(['a', 'b'])
})

test('a batch has at most 32 calls', async () => {
  const { sent, call, next, busy } = batching()
  await busy()
  for (let n = 0; n < 34; n += 1) void call(`${n}`)
  sent[0]?.answer()
  expect((await next(4)).calls).toHaveLength(32)
  sent[1]?.answer()
  expect((await next(5)).calls).toEqual(['32', '33'])
})

test('a batch fits into the buffer of a socket, and a longer call is alone', async () => {
  const { sent, batches, next, busy } = batching()
  await busy()
  for (const [call, characters] of Object.entries({ one: 20_000, two: 10_000, long: 40_000, three: 20_000 }))
    void batches.call('a', { call, text: 'x'.repeat(characters) } as never)
  for (const [at, calls] of [['one', 'two'], ['long'], ['three']].entries()) {
    sent[at]?.answer()
    expect((await next(4 + at)).calls).toEqual(calls)
  }
})

test('a failed batch is repeated call by call, and only the failing call fails', async () => {
  const { sent, call, next, busy } = batching()
  await busy()
  const answers = Promise.allSettled([call('good'), call('bad'), call('also good')])
  sent[0]?.answer()
  ;(await next(4)).fail(duplicate)
  const calls: (readonly string[])[] = []
  for (const count of [5, 6, 7]) {
    const alone = await next(count)
    calls.push(alone.calls)
    alone.calls[0] === 'bad' ? alone.fail(duplicate) : alone.answer()
  }
  expect(calls).toEqual([['good'], ['bad'], ['also good']])
  const [good, bad, alsoGood] = await answers
  expect([good, alsoGood]).toMatchObject([{ value: 'answer to good' }, { value: 'answer to also good' }])
  expect(bad).toMatchObject({ reason: duplicate })
})

test('a lost connection fails the calls under way, without a retry, and later calls get another', async () => {
  const { sent, released, state, call, next, busy } = batching()
  const { first, second, third } = await busy()
  const under = Promise.allSettled([first, second, third])
  void call('later')
  for (const { fail } of sent.slice(0, 3)) fail(lost)
  expect((await under).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect((await next(4)).calls).toEqual(['later'])
  expect([state.connected, released]).toEqual([2, [true]])
})

test('without a connection the calls that wait fail, and the next one tries again', async () => {
  const { state, call, next } = batching()
  state.connectError = lost
  await expect(Promise.allSettled([call('one'), call('two')])).resolves.toMatchObject([
    { reason: lost },
    { reason: lost },
  ])
  state.connectError = undefined
  void call('three')
  expect((await next(1)).calls).toEqual(['three'])
})

test('an account gives its connection up when others wait for one', async () => {
  const { sent, released, state, call, next, busy } = batching()
  await busy()
  void call('fourth')
  state.isAwaited = true
  for (const { answer } of sent.slice(0, 3)) answer()
  expect((await next(4)).calls).toEqual(['fourth'])
  expect([state.connected, released]).toEqual([2, [false]])
})

test('calls that come while an account gives its connection up wait for the next one', async () => {
  const { sent, released, state, call, next, busy } = batching()
  const { first } = await busy()
  state.isAwaited = true
  sent[0]?.answer()
  await first
  await promisesToSettle()
  void call('fourth')
  void call('fifth')
  expect(sent).toHaveLength(3)
  for (const { answer } of sent.slice(1)) answer()
  expect((await next(4)).calls).toEqual(['fourth', 'fifth'])
  expect([state.connected, released]).toEqual([2, [false]])
})

test('a call that depends on the clock comes last, with the values of its sending', async () => {
  const { sent, batches, call, next, busy } = batching()
  let now = 1
  await busy()
  void batches.call('a', { call: 'timed' }, () => ({ now }))
  void call('other')
  now = 2
  sent[0]?.answer()
  expect((await next(4)).whole).toEqual([{ call: 'other' }, { call: 'timed', now: 2 }])
})

test('a call that must not be sent any more fails alone', async () => {
  const { sent, batches, call, next, busy } = batching()
  await busy()
  const left = new Error('the client disconnected')
  const refused = batches.call('a', { call: 'timed' }, () => {
    throw left
  })
  const other = call('other')
  sent[0]?.answer()
  await expect(refused).rejects.toBe(left)
  const last = await next(4)
  expect(last.calls).toEqual(['other'])
  last.answer()
  await other
})
