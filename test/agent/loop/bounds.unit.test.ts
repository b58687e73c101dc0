import { expect, test } from 'vitest'
import {
  asks,
  memoryJournal,
  play,
  providerOf,
  resultsOf,
  says,
  scriptedProvider,
  textOf,
  tool,
  typesOf,
} from '../../support/loop-kit.ts'

const sized = (bytes: number) => tool('read', async () => ({ content: 'x'.repeat(bytes) }))

test('a call made for the third time is refused, and the next reply may use no tool', async () => {
  let runs = 0
  const counted = tool('a', async () => {
    runs += 1
    return { content: 'same' }
  })
  const provider = scriptedProvider(
    asks([['a', { q: 1 }]]),
    asks([['a', { q: 1 }]]),
    asks([['a', { q: 1 }]]),
    says('.'),
  )
  const events = await play(provider, { tools: [counted] })
  expect(runs).toBe(2)
  expect(resultsOf(events).map((record) => record.isError)).toEqual([false, false, true])
  expect(resultsOf(events)[2]?.content).toContain('already made')
  expect(provider.requests.map((request) => request.toolChoice)).toEqual(['auto', 'auto', 'auto', 'none'])
})

test('calls that differ in name or arguments are not repetitions', async () => {
  const calls = [
    ['a', { q: 1 }],
    ['a', { q: 2 }],
    ['b', { q: 1 }],
    ['a', { q: 1 }],
    ['a', { q: 1 }],
  ] as const
  const events = await play(scriptedProvider(asks(calls), says('.')), { tools: [tool('a'), tool('b')] })
  expect(resultsOf(events).map((record) => record.isError)).toEqual([false, false, false, false, true])
})

test("a result that exceeds the turn's bytes is cut, says so and cannot be cited", async () => {
  const source = { mark: 'S1' } as never
  const read = tool('read', async () => ({ content: 'אבג', sources: [source] }))
  const provider = scriptedProvider(asks([['read', {}]]), says('.'))
  const events = await play(provider, { tools: [read], limits: { toolBytes: 5 } })
  // Two Hebrew letters are four bytes: half a letter is not shown.
  expect(resultsOf(events)[0]).toMatchObject({
    content: 'אב… [cut: limit of the turn]',
    sources: [],
    isError: false,
  })
  expect(provider.requests[1]?.toolChoice).toBe('none')
})

test('a result that fits to the byte stays whole, and calls after it are refused', async () => {
  const provider = scriptedProvider(asks([['read', { n: 1 }]]), asks([['read', { n: 2 }]]), says('.'))
  // Five Hebrew letters are ten bytes.
  const read = tool('read', async () => ({ content: 'אבגדה' }))
  const events = await play(provider, { tools: [read], limits: { toolBytes: 10 } })
  expect(resultsOf(events).map((record) => record.content.slice(0, 30))).toEqual([
    'אבגדה',
    '{"error":"The turn has reached',
  ])
  expect(provider.requests[1]?.toolChoice).toBe('none')
})

test('the bytes of all results together are bounded', async () => {
  const calls = Array.from({ length: 50 }, (_, n) => ['read', { n }] as const)
  const journal = memoryJournal()
  const events = await play(scriptedProvider(asks(calls), says('.')), {
    tools: [sized(1_000)],
    limits: { toolBytes: 5_500 },
    journal,
  })
  const results = resultsOf(events)
  expect(results).toHaveLength(50)
  expect(results.filter((record) => record.content.length === 1_000)).toHaveLength(5)
  const told = 50 * '… [cut: limit of the turn]'.length * 2
  expect(results.reduce((sum, record) => sum + record.content.length, 0)).toBeLessThan(5_500 + told)
})

test('the last model call may use no tools, so that it has to answer', async () => {
  const provider = scriptedProvider(asks([['a', { n: 1 }]]), asks([['a', { n: 2 }]]), says('Enough.'))
  const events = await play(provider, { tools: [tool('a')], limits: { modelCalls: 3 } })
  expect(provider.requests.map((request) => request.toolChoice)).toEqual(['auto', 'auto', 'none'])
  expect(events.at(-1)).toEqual({ type: 'turn.finished', reason: 'stop', notice: null })
})

test('a model that calls tools to the last ends with length and a notice', async () => {
  const provider = scriptedProvider(asks([['a', { n: 1 }]]), asks([['a', { n: 2 }]]))
  const events = await play(provider, { tools: [tool('a')], limits: { modelCalls: 2 } })
  expect(resultsOf(events)).toHaveLength(2)
  expect(events.at(-1)).toEqual({
    type: 'turn.finished',
    reason: 'length',
    notice: 'The turn reached its limit of steps.',
  })
})

test('a tool the client demands is demanded of the first reply only', async () => {
  const provider = scriptedProvider(asks([['a', {}]]), says('.'))
  await play(provider, { tools: [tool('a')], toolChoice: { name: 'a' } })
  expect(provider.requests.map((request) => request.toolChoice)).toEqual([{ name: 'a' }, 'auto'])
})

test('a text that exceeds its limit ends with length and closes the provider', async () => {
  let closed = false
  const endless = providerOf(async function* () {
    try {
      while (true) yield { type: 'text', text: '12345' }
    } finally {
      closed = true
    }
  })
  const journal = memoryJournal()
  const events = await play(endless, { limits: { textLength: 12 }, journal })
  expect(events.at(-1)).toEqual({ type: 'turn.finished', reason: 'length', notice: null })
  expect(textOf(events)).toBe('123451234512')
  expect(closed).toBe(true)
  expect(journal.records[0]).toMatchObject({
    reason: 'length',
    text: '123451234512',
    usage: { estimated: true },
  })
})

test.each([
  ['in the middle of a letter', 'ab\u{1f600}', 3, 'ab'],
  ['behind a whole letter', 'ab\u{1f600}c', 4, 'ab\u{1f600}'],
  ['of a million letters', 'x'.repeat(1_000_000), 200_000, 'x'.repeat(200_000)],
])('one delta that exceeds the bound %s is cut and ends with length', async (_, delta, textLength, kept) => {
  const events = await play(scriptedProvider(says(delta)), { limits: { textLength } })
  expect(textOf(events)).toBe(kept)
  expect(events.at(-1)).toEqual({ type: 'turn.finished', reason: 'length', notice: null })
})

test('the blank lines between all earlier replies count', async () => {
  const provider = scriptedProvider(
    asks([['a', { n: 1 }]], '12345'),
    asks([['a', { n: 2 }]], '67890'),
    says('x', 'y'),
  )
  const events = await play(provider, { tools: [tool('a')], limits: { textLength: 14 } })
  expect(textOf(events)).toBe('12345\n\n67890')
  expect(events.at(-1)).toMatchObject({ reason: 'length' })
})

test('tool calls that the budget does not cover do not run, and the turn ends with a notice', async () => {
  const provider = scriptedProvider(
    asks([
      ['a', {}],
      ['a', { n: 1 }],
    ]),
    says('never'),
  )
  const asked: string[][] = []
  const events = await play(provider, {
    tools: [tool('a')],
    toolBudget: async (calls) => {
      asked.push(calls.map(({ name }) => name))
      return 'Out of credits.'
    },
  })
  expect(asked).toEqual([['a', 'a']])
  expect(events.at(-1)).toEqual({ type: 'turn.finished', reason: 'length', notice: 'Out of credits.' })
  expect(provider.requests).toHaveLength(1)
  expect(typesOf(events).join()).not.toContain('tool')
})

test('a spent budget ends the turn with length and a notice before the next call', async () => {
  const notices = [null, 'Out of credits.']
  const provider = scriptedProvider(asks([['a', {}]]), says('never'))
  const events = await play(provider, { tools: [tool('a')], budget: async () => notices.shift() ?? null })
  expect(events.at(-1)).toEqual({ type: 'turn.finished', reason: 'length', notice: 'Out of credits.' })
  expect(provider.requests).toHaveLength(1)
  expect(resultsOf(events)).toHaveLength(1)
})
