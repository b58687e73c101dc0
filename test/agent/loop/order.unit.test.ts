import { expect, test } from 'vitest'
import { estimateUsage } from '../../../src/agent/usage.ts'
import {
  asks,
  type ModelChunk,
  memoryJournal,
  play,
  says,
  scriptedProvider,
  textOf,
  tool,
  typesOf,
  usage,
} from '../../support/loop-kit.ts'

test('a reply takes one step number and each of its tool results the next', async () => {
  const journal = memoryJournal()
  const provider = scriptedProvider(
    asks(
      [
        ['a', {}],
        ['b', {}],
      ],
      'Looking.',
    ),
    says('Found.'),
  )
  const events = await play(provider, { tools: [tool('a'), tool('b')], journal })
  expect(typesOf(events)).toEqual([
    '1 step.started',
    '1 text.delta',
    '1 step.finished',
    '2 tool.started',
    '3 tool.started',
    '2 tool.finished',
    '3 tool.finished',
    '4 step.started',
    '4 text.delta',
    '4 step.finished',
    'turn.finished',
  ])
  expect(textOf(events)).toBe('Looking.\n\nFound.')
})

test('the model gets its reply with unique call ids, then results in call order', async () => {
  const provider = scriptedProvider(
    asks([
      ['a', { n: 1 }],
      ['b', { n: 2 }],
    ]),
    says('Done.'),
  )
  await play(provider, { tools: [tool('a'), tool('b')] })
  expect(provider.requests[1]?.messages).toEqual([
    { role: 'user', content: 'question' },
    {
      role: 'assistant',
      content: '',
      toolCalls: [
        { id: 'own_1', name: 'a', arguments: '{"n":1}' },
        { id: 'own_2', name: 'b', arguments: '{"n":2}' },
      ],
    },
    { role: 'tool', callId: 'own_1', content: '{"ok":"a","args":{"n":1}}' },
    { role: 'tool', callId: 'own_2', content: '{"ok":"b","args":{"n":2}}' },
  ])
})

test.each([
  ['length', 'length'],
  ['content_filter', 'content_filter'],
  ['stop', 'stop'],
  ['tool_calls', 'stop'],
] as const)('a reply without calls that says %s ends the turn with %s', async (said, reason) => {
  const end: ModelChunk = { type: 'finish', reason: said, toolCalls: [], usage }
  const events = await play(scriptedProvider([{ type: 'text', text: 'An answer' }, end]))
  expect(events.at(-1)).toEqual({ type: 'turn.finished', reason, notice: null })
})

test('a turn whose model used all its tokens for reasoning says so', async () => {
  const provider = scriptedProvider([{ type: 'finish', reason: 'length', toolCalls: [], usage }])
  const notice = expect.stringContaining('limit of tokens before its answer began')
  expect((await play(provider)).at(-1)).toEqual({ type: 'turn.finished', reason: 'length', notice })
})

test('a reply that was cut off ends the turn: its calls are not run', async () => {
  const cutOff: ModelChunk[] = [
    { type: 'text', text: 'Let me' },
    { type: 'finish', reason: 'length', toolCalls: [{ id: 'x', name: 'a', arguments: '{"que' }], usage },
  ]
  const journal = memoryJournal()
  const events = await play(scriptedProvider(cutOff), { tools: [tool('a')], journal })
  expect(typesOf(events)).toEqual(['1 step.started', '1 text.delta', '1 step.finished', 'turn.finished'])
  expect(events.at(-1)).toEqual({ type: 'turn.finished', reason: 'length', notice: null })
})

test('a call of a client tool pauses the turn and is not run here', async () => {
  const provider = scriptedProvider(asks([['theirs', { a: 1 }]], 'Please look.'))
  const events = await play(provider, { clientTools: [tool('theirs').spec] })
  expect(typesOf(events)).toEqual(['1 step.started', '1 text.delta', '1 step.finished', 'turn.finished'])
  expect(events.at(-1)).toEqual({ type: 'turn.finished', reason: 'tool_calls', notice: null })
})

test("server tools run before the turn pauses for a client's call", async () => {
  const provider = scriptedProvider(
    asks([
      ['theirs', {}],
      ['ours', {}],
    ]),
  )
  const journal = memoryJournal()
  const events = await play(provider, { tools: [tool('ours')], clientTools: [tool('theirs').spec], journal })
  expect(events.at(-1)).toEqual({ type: 'turn.finished', reason: 'tool_calls', notice: null })
  expect(journal.records.map((record) => record.kind)).toEqual(['model', 'tool'])
  expect(provider.requests).toHaveLength(1)
})

test("a client's tool hides ours of the same name", async () => {
  const ran: string[] = []
  const ours = tool('same', async () => {
    ran.push('ours')
    return { content: 'ours' }
  })
  const theirs = { name: 'same', description: 'the client’s', parameters: {} }
  const provider = scriptedProvider(asks([['same', {}]]))
  const events = await play(provider, { tools: [ours, tool('other')], clientTools: [theirs] })
  expect(provider.requests[0]?.tools.map(({ name, description }) => [name, description])).toEqual([
    ['other', 'other'],
    ['same', 'the client’s'],
  ])
  expect(events.at(-1)).toEqual({ type: 'turn.finished', reason: 'tool_calls', notice: null })
  expect(ran).toEqual([])
})

test.each([
  ['aborted', 'aborted'],
  ['context', 'context'],
  ['rejected', 'upstream'],
  ['timeout', 'upstream'],
  ['upstream', 'upstream'],
] as const)('a provider that fails as %s ends the turn as %s, with its message', async (kind, failure) => {
  const journal = memoryJournal()
  const provider = scriptedProvider([
    { type: 'text', text: 'So' },
    { type: 'error', kind, message: 'no more' },
  ])
  const events = await play(provider, { journal })
  expect(events.at(-1)).toEqual({
    type: 'turn.failed',
    kind: failure,
    message: 'no more',
    unfinished: {
      kind: 'model',
      text: 'So',
      toolCalls: [],
      reason: 'length',
      unfinished: true,
      usage: estimateUsage({ messages: [{ role: 'user', content: 'question' }], tools: [] }, 'So'),
    },
  })
  expect(journal.records).toEqual([])
})

test.each([1, 2, 3])('a journal that cannot write step %i ends the turn as internal', async (failAt) => {
  const journal = memoryJournal([], failAt)
  const events = await play(scriptedProvider(asks([['a', {}]]), says('Done.')), {
    tools: [tool('a')],
    journal,
  })
  expect(events.at(-1)).toEqual({
    type: 'turn.failed',
    kind: 'internal',
    message: 'the journal cannot be written',
  })
  expect(journal.records).toHaveLength(failAt - 1)
  expect(events.filter((event) => event.type.startsWith('turn.'))).toHaveLength(1)
})

test('a provider that breaks its word and throws ends the turn as internal', async () => {
  expect((await play(scriptedProvider())).at(-1)).toMatchObject({ type: 'turn.failed', kind: 'internal' })
})
