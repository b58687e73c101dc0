import { expect, test } from 'vitest'
import {
  asks,
  memoryJournal,
  play,
  says,
  scriptedProvider,
  textOf,
  tool,
  typesOf,
  usage,
} from '../../support/loop-kit.ts'

const schema = { type: 'object', properties: { answer: { type: 'integer' } }, required: ['answer'] }
const sampling = { responseFormat: { type: 'json_schema', json_schema: { name: 'answer', schema } } }

test('what a model says beside its tool calls is no part of the JSON', async () => {
  const journal = memoryJournal()
  const provider = scriptedProvider(asks([['a', {}]], 'Let me look.'), says('{"answer"', ': 4}'))
  const events = await play(provider, { sampling, journal, tools: [tool('a')] })
  expect(textOf(events)).toBe('{"answer": 4}')
  expect(journal.records.map((record) => record.kind === 'model' && record.text)).toEqual([
    '',
    false,
    '{"answer": 4}',
  ])
  expect(events.at(-1)).toMatchObject({ type: 'turn.finished', reason: 'stop' })
})

test('JSON in a fenced block is taken out of it', async () => {
  const events = await play(scriptedProvider(says('```json\n{"answer": 4}\n```\n')), { sampling })
  expect(textOf(events)).toBe('{"answer": 4}')
})

test.each([
  ['that is no JSON', 'Four.', 'it is not valid JSON'],
  ['that does not fit the schema', '{"answer":"four"}', '`/answer` must be of type integer'],
])(
  'an answer %s is asked for once more, within the step, and both calls are counted',
  async (_name, wrong, fault) => {
    const journal = memoryJournal()
    const provider = scriptedProvider(says(wrong), says('{"answer":4}'))
    const events = await play(provider, { sampling, journal, tools: [tool('a')] })
    expect(textOf(events)).toBe('{"answer":4}')
    expect(typesOf(events)).toEqual(['1 step.started', '1 text.delta', '1 step.finished', 'turn.finished'])
    const [, second] = provider.requests
    expect(second?.toolChoice).toBe('none')
    expect(second?.messages.slice(-2)).toEqual([
      { role: 'assistant', content: wrong, toolCalls: [] },
      { role: 'user', content: expect.stringContaining(fault) },
    ])
    expect(second?.messages.at(-1)?.content).toContain(JSON.stringify(schema))
    expect(journal.records).toMatchObject([
      { usage: { promptTokens: 2 * usage.promptTokens, completionTokens: 2 * usage.completionTokens } },
    ])
  },
)

test('a model that will not answer in the form fails the turn: nothing wrong is shown', async () => {
  const events = await play(scriptedProvider(says('Four.'), says('4')), { sampling })
  expect(textOf(events)).toBe('')
  expect(events.at(-1)).toEqual({
    type: 'turn.failed',
    kind: 'upstream',
    message: 'The model did not answer in the form that was asked for: the answer must be of type object.',
    unfinished: expect.objectContaining({
      usage: { promptTokens: 20, completionTokens: 10, estimated: false },
    }),
    refused: expect.objectContaining({
      usage: { promptTokens: 20, completionTokens: 10, estimated: false },
    }),
  })
})

test('a turn that cannot pay for another attempt fails with the reason', async () => {
  let asked = 0
  const budget = async () => (++asked > 1 ? 'No credits are left.' : null)
  const events = await play(scriptedProvider(says('Four.')), { sampling, budget })
  expect(events.at(-1)).toMatchObject({
    type: 'turn.failed',
    message: expect.stringContaining('No credits are left.'),
  })
})

test('an answer that the model cut off is given as it is, and says so', async () => {
  const cut = [
    { type: 'text' as const, text: '{"ans' },
    { type: 'finish' as const, reason: 'length' as const, toolCalls: [], usage },
  ]
  const events = await play(scriptedProvider(cut), { sampling })
  expect(textOf(events)).toBe('{"ans')
  expect(events.at(-1)).toMatchObject({ type: 'turn.finished', reason: 'length' })
})
