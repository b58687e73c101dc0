import { expect, test, vi } from 'vitest'
import type { CallEnd, ModelRequest, Provider } from '../../src/agent/provider.ts'
import {
  createFallbackProvider,
  type FallbackCondition,
  fallbackConditions,
} from '../../src/models/fallback-provider.ts'

const request: ModelRequest = { messages: [], tools: [], toolChoice: 'auto', sampling: {} }
const answer: CallEnd = {
  type: 'finish',
  reason: 'stop',
  toolCalls: [],
  usage: { promptTokens: 1, completionTokens: 1, estimated: false },
}
const fault = (
  kind: 'timeout' | 'upstream' | 'rejected' | 'context' | 'aborted',
  status?: number,
): CallEnd => ({
  type: 'error',
  kind,
  message: 'scripted',
  ...(status !== undefined && { status }),
})

/** A server that gives these ends in order, and then answers. */
function server(...ends: readonly { readonly text?: string; readonly end: CallEnd }[]) {
  const queue = [...ends]
  const provider: Provider = {
    ask: async (_request, _signal, onText) => {
      const { text = '', end } = queue.shift() ?? { text: 'Hello', end: answer }
      onText(text)
      return end
    },
  }
  return { ask: vi.spyOn(provider, 'ask'), provider }
}

const all = [...fallbackConditions]
const pair = (first: Provider, second: Provider, on: readonly FallbackCondition[] = all) =>
  createFallbackProvider([
    { name: 'first', provider: first, on: [] },
    { name: 'second', provider: second, on },
  ])

async function ask(provider: Provider, signal = new AbortController().signal) {
  let text = ''
  const end = await provider.ask(request, signal, (piece) => {
    text += piece
    return true
  })
  return { text, end }
}

test.each<[FallbackCondition, CallEnd]>([
  ['timeout', fault('timeout')],
  ['rate_limit', fault('upstream', 429)],
  ['server_error', fault('upstream', 500)],
  ['server_error', fault('upstream', 503)],
  ['server_error', fault('upstream')],
])('after %s before the first word the next server answers', async (reason, end) => {
  const provider = pair(server({ end }).provider, server().provider)
  expect(await ask(provider)).toMatchObject({
    text: 'Hello',
    end: { type: 'finish', upstream: { name: 'second', passed: [{ name: 'first', reason }] } },
  })
})

test.each([
  ['a refusal', { end: fault('rejected', 400) }],
  ['a refused key', { end: fault('rejected', 401) }],
  ['a prompt that is too long', { end: fault('context', 400) }],
  ['a failure after text', { text: 'Half an', end: fault('upstream', 500) }],
])('%s is the end of the call', async (_, script) => {
  const second = server()
  const { end } = await ask(pair(server(script).provider, second.provider))
  expect(end).toMatchObject({ ...script.end, upstream: { name: 'first', passed: [] } })
  expect(second.ask).not.toHaveBeenCalled()
})

test.each(all)('a server is asked only after a failure that it accepts (%s)', async (accepted) => {
  for (const [reason, end] of [
    ['timeout', fault('timeout')],
    ['rate_limit', fault('upstream', 429)],
    ['server_error', fault('upstream', 502)],
  ] as const) {
    const { end: got } = await ask(pair(server({ end }).provider, server().provider, [accepted]))
    expect(got.type).toBe(reason === accepted ? 'finish' : 'error')
  }
})

test('a call that its caller aborts asks no other server', async () => {
  const caller = new AbortController()
  const second = server()
  const first: Provider = {
    ask: async () => {
      caller.abort()
      return fault('timeout')
    },
  }
  expect(await ask(pair(first, second.provider), caller.signal)).toMatchObject({ end: { kind: 'timeout' } })
  expect(second.ask).not.toHaveBeenCalled()
})

test('a server that failed is passed over during its pause, and used after it', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const first = server({ end: fault('upstream', 500) }, { end: fault('timeout') })
    const provider = pair(first.provider, server().provider)
    const namesOf = async () => (await ask(provider)).end.upstream
    expect(await namesOf()).toMatchObject({ name: 'second', passed: [{ reason: 'server_error' }] })
    expect(await namesOf()).toMatchObject({ name: 'second', passed: [{ reason: 'paused' }] })
    expect(first.ask).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(10_001)
    expect(await namesOf()).toMatchObject({ name: 'second', passed: [{ reason: 'timeout' }] })
    // The second pause is twice as long.
    vi.advanceTimersByTime(10_001)
    expect(await namesOf()).toMatchObject({ passed: [{ reason: 'paused' }] })
    vi.advanceTimersByTime(10_001)
    expect(await namesOf()).toEqual({ name: 'first', passed: [] })
  } finally {
    vi.useRealTimers()
  }
})

test('a paused server is asked when no other one answers', async () => {
  const first = server({ end: fault('upstream', 500) })
  const second = server({ text: 'Hello', end: answer }, { end: fault('upstream', 500) })
  const provider = pair(first.provider, second.provider)
  await ask(provider)
  expect((await ask(provider)).end.upstream).toEqual({
    name: 'first',
    passed: [
      { name: 'first', reason: 'paused' },
      { name: 'second', reason: 'server_error' },
    ],
  })
})

test('when all servers fail, the end is the failure of the last one', async () => {
  const provider = pair(
    server({ end: fault('timeout') }).provider,
    server({ end: fault('upstream', 503) }).provider,
  )
  expect((await ask(provider)).end).toMatchObject({
    type: 'error',
    status: 503,
    upstream: { name: 'second', passed: [{ name: 'first', reason: 'timeout' }] },
  })
})
