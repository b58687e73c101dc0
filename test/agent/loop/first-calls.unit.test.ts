import { expect, test } from 'vitest'
import { asks, memoryJournal, play, says, scriptedProvider, tool } from '../../support/loop-kit.ts'

const tools = [tool('read', async ({ n }) => ({ content: `file ${n}` }))]
const firstCalls = [
  { name: 'read', arguments: '{"n":1}' },
  { name: 'read', arguments: '{"n":2}' },
]

test("a turn's first calls are journaled and run before the model, which sees results", async () => {
  const journal = memoryJournal()
  const provider = scriptedProvider(says('Done.'))
  const events = await play(provider, { tools, firstCalls, journal })
  expect(events.map(({ type }) => type)).toEqual([
    'step.started',
    'step.finished',
    'tool.started',
    'tool.started',
    'tool.finished',
    'tool.finished',
    'step.started',
    'text.delta',
    'step.finished',
    'turn.finished',
  ])
  expect(journal.records[0]).toMatchObject({
    kind: 'model',
    preset: true,
    usage: { promptTokens: 0, completionTokens: 0 },
  })
  expect(provider.requests[0]?.messages.slice(1)).toMatchObject([
    { role: 'assistant', toolCalls: [{ id: 'own_1' }, { id: 'own_2' }] },
    { role: 'tool', callId: 'own_1', content: 'file 1' },
    { role: 'tool', callId: 'own_2', content: 'file 2' },
  ])
})

test("first calls count neither as model calls nor as the client's required tool", async () => {
  const provider = scriptedProvider(asks([['read', { n: 3 }]]), says('Done.'))
  await play(provider, { tools, firstCalls, toolChoice: 'required', limits: { modelCalls: 2 } })
  expect(provider.requests.map(({ toolChoice }) => toolChoice)).toEqual(['required', 'none'])
})

test('a turn that is taken up makes only those that have no result yet', async () => {
  const journal = memoryJournal()
  await play(scriptedProvider(says('Done.')), { tools, firstCalls, journal })
  for (const kept of [1, 2, 3]) {
    const finished = journal.records.slice(0, kept)
    const resumed = memoryJournal(finished)
    await play(scriptedProvider(says('Done.')), { tools, firstCalls, finished, journal: resumed })
    expect(resumed.records).toEqual(journal.records)
  }
})
