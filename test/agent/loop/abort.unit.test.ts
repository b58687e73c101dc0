import { expect, test } from 'vitest'
import type { AgentEvent } from '../../../src/agent/events.ts'
import type { Provider } from '../../../src/agent/provider.ts'
import {
  asks,
  collected,
  loopInput,
  memoryJournal,
  type Overrides,
  providerOf,
  says,
  scriptedProvider,
  tool,
} from '../../support/loop-kit.ts'

const aborted = { type: 'turn.failed', kind: 'aborted' }

/** Runs the turn and aborts it as soon as it tells of an event of this type. */
function abortAt(type: AgentEvent['type'], provider: Provider, overrides: Overrides) {
  const stop = new AbortController()
  return collected(loopInput(provider, { ...overrides, signal: stop.signal }), (event) => {
    if (event.type === type) stop.abort('cancelled')
  })
}

const twoSteps = () => scriptedProvider(asks([['a', {}]], 'One'), says('Two', 'three'))

test('a turn that was aborted before it began calls no model', async () => {
  const provider = scriptedProvider()
  const stop = AbortSignal.abort('cancelled')
  const events = await collected(loopInput(provider, { signal: stop }))
  expect(events).toEqual([{ type: 'turn.failed', kind: 'aborted', message: 'The turn was stopped.' }])
  expect(provider.requests).toEqual([])
})

test.each([
  // [aborted at, steps that are in the journal, model calls begun]
  ['step.started', 0, 0],
  ['text.delta', 0, 1],
  ['step.finished', 2, 1],
  ['tool.started', 2, 1],
  ['tool.finished', 2, 1],
] as const)(
  'aborted at the first %s the turn ends as aborted with %i steps kept',
  async (type, steps, calls) => {
    const provider = twoSteps()
    const journal = memoryJournal()
    const events = await abortAt(type, provider, { tools: [tool('a')], journal })
    expect(events.at(-1)).toMatchObject(aborted)
    expect(events.filter((event) => event.type.startsWith('turn.'))).toHaveLength(1)
    expect(journal.records).toHaveLength(steps)
    expect(provider.requests).toHaveLength(calls)
  },
)

test('a tool that heeds the signal is stopped at once, and its result is not recorded', async () => {
  const waiting = tool('a', (_, signal) => {
    const { promise, reject } = Promise.withResolvers<never>()
    signal.throwIfAborted()
    signal.addEventListener('abort', () => reject(signal.reason))
    return promise
  })
  const journal = memoryJournal()
  const stop = new AbortController()
  const turn = loopInput(twoSteps(), { tools: [waiting], journal, signal: stop.signal })
  const events = await collected(turn, (event) => {
    if (event.type === 'tool.started') queueMicrotask(() => stop.abort(new Error('stopped')))
  })
  expect(events.at(-1)).toMatchObject(aborted)
  expect(journal.records).toHaveLength(1)
})

test('a model call that heeds the signal is stopped in the middle of its text', async () => {
  const stop = new AbortController()
  const provider = providerOf(async function* (_, signal) {
    yield { type: 'text', text: 'So far' }
    stop.abort('cancelled')
    yield signal.aborted
      ? { type: 'error', kind: 'aborted', message: 'stopped' }
      : { type: 'text', text: ' and further' }
  })
  const events = await collected(loopInput(provider, { signal: stop.signal }))
  expect(events.slice(1)).toEqual([
    { type: 'text.delta', step: 1, text: 'So far' },
    {
      type: 'turn.failed',
      kind: 'aborted',
      message: 'stopped',
      unfinished: expect.objectContaining({ text: 'So far', unfinished: true }),
    },
  ])
})

test('a fault while the turn is being aborted is not mistaken for one of ours', async () => {
  const stop = new AbortController()
  const provider: Provider = {
    async ask() {
      stop.abort('cancelled')
      throw new Error('socket closed')
    },
  }
  const events = await collected(loopInput(provider, { signal: stop.signal }))
  expect(events.at(-1)).toMatchObject(aborted)
})
