import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentEvent, StepRecord } from '../../../src/agent/events.ts'
import type { ModelMessage, ModelRequest, Provider } from '../../../src/agent/provider.ts'
import {
  asks,
  memoryJournal,
  type Overrides,
  play,
  providerOf,
  says,
  scriptedProvider,
  textOf,
  tool,
} from '../../support/loop-kit.ts'

type Plan = {
  readonly text: string
  readonly calls: readonly (readonly [name: string, argument: number])[]
  readonly theirs: boolean
  readonly reason: 'stop' | 'length'
}

const plan = fc.record({
  text: fc.constantFrom('', 'Let me look.', 'עוד', 'x'.repeat(40)),
  calls: fc.array(
    fc.tuple(fc.constantFrom('read', 'grow', 'refuse', 'missing'), fc.integer({ min: 0, max: 2 })),
    {
      maxLength: 4,
    },
  ),
  theirs: fc.nat({ max: 9 }).map((n) => n === 0),
  reason: fc.nat({ max: 9 }).map((n) => (n === 0 ? ('length' as const) : ('stop' as const))),
})

/** A model that depends on nothing but how many replies the conversation has, and on whether it may call tools. */
function modelOf(plans: readonly Plan[], requests: ModelRequest[]): Provider {
  return providerOf(async function* (request) {
    requests.push({ ...request, messages: [...request.messages] })
    const done = request.messages.filter((message) => message.role === 'assistant').length
    const next = plans[done]
    if (!next || request.toolChoice === 'none') {
      yield* says(`The answer after ${done}.`)
      return
    }
    if (next.text !== '') yield { type: 'text', text: next.text }
    const calls = next.calls.map(([name, n]) => ({ id: 'same', name, arguments: JSON.stringify({ n }) }))
    const toolCalls = next.theirs ? [...calls, { id: 'same', name: 'theirs', arguments: '{}' }] : calls
    yield {
      type: 'finish',
      reason: next.reason,
      toolCalls,
      usage: { promptTokens: 1, completionTokens: 1, estimated: false },
    }
  })
}

const tools = [
  tool('read', async ({ n }) => ({ content: `passage ${n} `.repeat(Number(n) + 1) })),
  tool('grow', async ({ n }) => ({ content: 'y'.repeat(60 * Number(n)) })),
  tool('refuse', async () => ({
    content: 'x',
    commit: async () => ({ error: 'It is full, and says so at some length.' }),
  })),
]

const options = (limits: Overrides['limits']): Overrides => ({
  tools,
  clientTools: [tool('theirs').spec],
  limits: { modelCalls: 5, repeatedCalls: 1, ...limits },
})

async function attempt(plans: readonly Plan[], limits: Overrides['limits'], finished: readonly StepRecord[]) {
  const requests: ModelRequest[] = []
  const journal = memoryJournal(finished)
  const events = await play(modelOf(plans, requests), { ...options(limits), finished, journal })
  return { events, requests, records: journal.records }
}

/** The text a reader has seen when the finished steps are shown again and the rest follows. */
function shown(finished: readonly StepRecord[], events: readonly AgentEvent[]): string {
  const before = finished.flatMap((step) => (step.kind === 'model' && step.text !== '' ? [step.text] : []))
  return before.join('\n\n') + textOf(events)
}

test('a turn resumed after any step gives the same steps, text, end and prompts', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(plan, { minLength: 1, maxLength: 5 }),
      fc.record({
        toolBytes: fc.constantFrom(60, 100, 120, 200, 10_000),
        textLength: fc.constantFrom(40, 42, 44, 84, 10_000),
      }),
      async (plans, limits) => {
        const whole = await attempt(plans, limits, [])
        for (let kept = 0; kept <= whole.records.length; kept += 1) {
          const finished = whole.records.slice(0, kept)
          const resumed = await attempt(plans, limits, finished)
          expect(resumed.records).toEqual(whole.records)
          expect(resumed.events.at(-1)).toEqual(whole.events.at(-1))
          expect(shown(finished, resumed.events)).toBe(textOf(whole.events))
          const asked = resumed.requests.length
          expect(resumed.requests).toEqual(asked === 0 ? [] : whole.requests.slice(-asked))
        }
      },
    ),
    { numRuns: 200 },
  )
})

test('a turn resumed after its last tool result calls no tool again', async () => {
  const first = memoryJournal()
  await play(scriptedProvider(asks([['read', { n: 0 }]], 'Looking.'), says('Done.')), {
    tools,
    journal: first,
  })
  const finished = first.records.slice(0, 2)
  const provider = scriptedProvider(says('Done.'))
  const events = await play(provider, { tools, finished, journal: memoryJournal(finished) })
  expect(events[0]).toEqual({ type: 'step.started', step: 3 })
  expect(textOf(events)).toBe('\n\nDone.')
  const roles = provider.requests[0]?.messages.map((message: ModelMessage) => message.role)
  expect(roles).toEqual(['user', 'assistant', 'tool'])
})
