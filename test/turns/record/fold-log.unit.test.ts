import { expect, test } from 'vitest'
import { foldLog, longestOpenText } from '../../../src/turns/record/fold-log.ts'
import type { CommittedEvent, CommittedStep } from '../../../src/turns/record/run-log.ts'
import type { RunEvent } from '../../../src/turns/run/run-events.ts'

const written = (epoch: number, ...events: readonly RunEvent[]) => events.map((event) => ({ epoch, event }))
const logged = (...attempts: ReturnType<typeof written>[]): CommittedEvent[] =>
  attempts.flat().map((item, i) => ({ seq: i + 1, ...item }))

const text = (step: number, said: string): RunEvent => ({ type: 'text.delta', step, text: said })
const tool = (step: number): RunEvent => ({
  type: 'tool.started',
  step,
  name: 'list_files',
  title: `Call ${step}`,
})
const done = (step: number, ok = true): RunEvent => ({ type: 'tool.finished', step, name: 'list_files', ok })
const restarted = (step: number, from: number): RunEvent => ({
  type: 'step.restarted',
  step,
  void_from_seq: from,
})

const model: CommittedStep = {
  step: 1,
  epoch: 1,
  record: {
    kind: 'model',
    text: 'First.',
    toolCalls: [],
    reason: 'tool_calls',
    usage: { promptTokens: 1, completionTokens: 1, estimated: false },
  },
  costMicros: 7n,
  at: new Date(0),
}

/** Two attempts at step 2 are given up, and the third writes it. */
const taken = logged(
  written(1, { type: 'run.started' }, text(1, 'First.'), tool(2), text(3, 'Void, and long. ')),
  written(2, restarted(3, 4), text(3, 'Void.')),
  written(3, restarted(3, 6), done(2, false), text(3, ' Last.'), tool(4)),
)

test('events of abandoned attempts are dropped once, whoever wrote them', () => {
  const { events, marked, text: said, tools } = foldLog({ events: taken, steps: [model] })
  expect(said).toBe('First. Last.')
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 8, 9, 10])
  expect(marked.map(({ seq }) => seq)).toEqual([1, 2, 3, 5, 7, 8, 9, 10])
  expect(tools).toEqual([
    { step: 2, name: 'list_files', title: 'Call 2', at: 6, state: 'failed' },
    { step: 4, name: 'list_files', title: 'Call 4', at: 12, state: 'now' },
  ])
})

test('the longest text of the unfinished step counts, void text included', () => {
  const steps = [model, { ...model, step: 2 }]
  expect(longestOpenText({ events: taken, steps })).toBe('Void, and long. ')
  expect(longestOpenText({ events: taken, steps: [] })).toBe('First.')
})

test('steps are added up, and their passages are named once', () => {
  const sources = ['S1', 'S1', 'S2'].map((mark) => ({ mark, ref: 'The Gate 1:1' }))
  const call = { id: 'call_1', name: 'read_source', arguments: '{}' }
  const read = { kind: 'tool', call, content: '', isError: false, sources, files: [] } as never
  const state = foldLog({ events: [], steps: [model, { ...model, step: 2, record: read }] })
  expect(state.costMicros).toBe(14n)
  expect(state.passages.map(({ mark }) => mark)).toEqual(['S1', 'S2'])
})
