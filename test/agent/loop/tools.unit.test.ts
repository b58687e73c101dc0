import { expect, test } from 'vitest'
import type { Tool } from '../../../src/agent/tools.ts'
import { ServiceError } from '../../../src/errors.ts'
import {
  asks,
  memoryJournal,
  type Notebook,
  play,
  resultsOf,
  says,
  scriptedProvider,
  tool,
} from '../../support/loop-kit.ts'
import { gate } from '../../support/upstream-scripts.ts'

/** Results of the given tools when each is called once in one reply. */
async function resultOf(call: readonly [string, string], tools: readonly Tool<Notebook>[]) {
  const provider = scriptedProvider(asks([call]), says('Done.'))
  const events = await play(provider, { tools })
  expect(events.at(-1)).toMatchObject({ type: 'turn.finished', reason: 'stop' })
  const [record] = resultsOf(events)
  expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: record?.content })
  return record
}

test('an unknown tool becomes a result that names the tools there are', async () => {
  const record = await resultOf(['nothing', '{}'], [tool('a'), tool('b')])
  expect(record).toMatchObject({
    isError: true,
    content: '{"error":"There is no tool \\"nothing\\". Tools: a, b."}',
  })
})

test.each(['{"a":', '[1]', '"text"', '7'])('arguments %s become a result the model reads', async (args) => {
  const record = await resultOf(['a', args], [tool('a')])
  expect(record).toMatchObject({
    isError: true,
    content: '{"error":"The arguments are not a JSON object."}',
  })
})

test.each(['  ', 'null'])('no arguments at all (%o) count as an empty object', async (args) => {
  expect(await resultOf(['a', args], [tool('a')])).toMatchObject({
    isError: false,
    content: '{"ok":"a","args":{}}',
  })
})

test("a tool's refusal becomes a result the model reads", async () => {
  const refusing = tool('a', async () => {
    throw new ServiceError('file_too_large', 'The file is too large.')
  })
  expect(await resultOf(['a', '{}'], [refusing])).toMatchObject({
    isError: true,
    content: '{"error":"The file is too large."}',
  })
})

test('an internal fault ends the turn after the parallel calls have ended', async () => {
  const slow = gate()
  const ended: string[] = []
  const faulty = tool('faulty', async () => {
    slow.open()
    throw new TypeError('a bug')
  })
  const other = tool('other', async () => {
    await slow.opened
    // Well after the fault is known.
    await new Promise((resolve) => setImmediate(resolve))
    ended.push('other')
    return { content: 'fine' }
  })
  const events = await play(
    scriptedProvider(
      asks([
        ['faulty', {}],
        ['other', {}],
      ]),
    ),
    { tools: [faulty, other] },
  )
  expect(events.at(-1)).toEqual({ type: 'turn.failed', kind: 'internal', message: 'a bug' })
  expect(ended).toEqual(['other'])
})

test('results come in the order of the calls, whichever ends first', async () => {
  const first = gate()
  const slow = tool('slow', async () => {
    await first.opened
    return { content: 'slow' }
  })
  const fast = tool('fast', async () => {
    first.open()
    return { content: 'fast' }
  })
  const events = await play(
    scriptedProvider(
      asks([
        ['slow', {}],
        ['fast', {}],
      ]),
      says('.'),
    ),
    { tools: [slow, fast] },
  )
  expect(resultsOf(events).map((record) => record.content)).toEqual(['slow', 'fast'])
})

test('calls of one reply run side by side, and never more at once than allowed', async () => {
  let running = 0
  let most = 0
  const full = gate()
  const counted = tool('counted', async () => {
    running += 1
    most = Math.max(most, running)
    if (running === 3) full.open()
    await full.opened
    running -= 1
    return { content: '' }
  })
  const calls = Array.from({ length: 10 }, (_, n) => ['counted', { n }] as const)
  const events = await play(scriptedProvider(asks(calls), says('.')), {
    tools: [counted],
    limits: { parallelTools: 3 },
  })
  expect(resultsOf(events)).toHaveLength(10)
  expect(most).toBe(3)
})

test('a deferred write happens once, in the journal, and its files are in the record', async () => {
  const file = {
    id: 'file-1',
    filename: 'a.md',
    bytes: 1,
    contentType: 'text/markdown',
    action: 'created',
  } as const
  const journal = memoryJournal()
  const writing = tool('write', async () => ({
    content: 'written',
    commit: async (notebook) => {
      notebook.push('a.md')
      return { files: [file] }
    },
  }))
  await play(scriptedProvider(asks([['write', {}]]), says('.')), { tools: [writing], journal })
  expect(journal.notebook).toEqual(['a.md'])
  expect(journal.records[1]).toMatchObject({ content: 'written', isError: false, files: [file] })
})

test('a deferred write that is refused replaces the result that the model reads', async () => {
  const refused = tool('write', async () => ({
    content: 'written',
    commit: async () => ({ error: 'The project is full.' }),
  }))
  expect(await resultOf(['write', '{}'], [refused])).toMatchObject({
    isError: true,
    files: [],
    content: '{"error":"The project is full."}',
  })
})

test('a tool whose description fails is still run', async () => {
  const shy: Tool<Notebook> = {
    ...tool('shy'),
    describe: () => {
      throw new Error('no words')
    },
  }
  const events = await play(scriptedProvider(asks([['shy', {}]]), says('.')), { tools: [shy] })
  expect(events.find((event) => event.type === 'tool.started')).toMatchObject({ title: 'shy: no words' })
  expect(resultsOf(events)).toHaveLength(1)
})

test.each([
  ['values', `{"a":[${'0,'.repeat(10_000)}0]}`],
  ['levels', `{"a":${'['.repeat(60)}${']'.repeat(60)}}`],
])('arguments with too many %s become a result the model reads', async (_, args) => {
  const record = await resultOf(['a', args], [tool('a')])
  expect(record).toMatchObject({
    isError: true,
    content: '{"error":"The arguments have more than 10000 values or 50 levels."}',
  })
})

test('brackets and commas inside texts of arguments do not count', async () => {
  const text = `${'[{,'.repeat(20_000)}\\" \\\\`
  expect(await resultOf(['a', JSON.stringify({ text })], [tool('a')])).toMatchObject({ isError: false })
})

test('texts of arguments lose what the journal cannot keep', async () => {
  expect(await resultOf(['a', '{"t":["\\u0000\\ud800"]}'], [tool('a')])).toMatchObject({
    content: '{"ok":"a","args":{"t":["\ufffd\ufffd"]}}',
  })
})

test('the title of a call has at most 120 characters', async () => {
  const provider = scriptedProvider(
    asks([['a', JSON.stringify({ text: 'x'.repeat(100_000) })]]),
    says('Done.'),
  )
  const wordy: Tool<Notebook> = { ...tool('a'), describe: ({ text }) => String(text) }
  const started = (await play(provider, { tools: [wordy] })).find(({ type }) => type === 'tool.started')
  expect(started).toMatchObject({ title: `${'x'.repeat(119)}…` })
})
