import { expect, test } from 'vitest'
import type { ModelStep, ToolStep } from '../../src/agent/events.ts'
import type { FileChange } from '../../src/agent/tools.ts'
import { createSourceMarks } from '../../src/sources/citations/source-marks.ts'
import { createAnswer } from '../../src/turns/drive/answer.ts'

const passage = (n: number) => ({
  ref: `Tanya ${n}`,
  heRef: `תניא ${n}`,
  title: 'Tanya',
  work: 'Tanya',
  language: 'en',
  version: 'v',
  license: 'Public Domain',
  url: `https://example.org/${n}`,
  text: `passage ${n}`,
})

function registerOf(count: number) {
  const sourceMarks = createSourceMarks()
  for (let n = 1; n <= count; n += 1) sourceMarks.offer(passage(n))
  return sourceMarks
}

const usage = { promptTokens: 10, completionTokens: 5, estimated: false }
const call = (id: string) => ({ id, name: id, arguments: '{}' })
const model = (fields: Partial<ModelStep> = {}): ModelStep => ({
  kind: 'model',
  text: '',
  toolCalls: [],
  reason: 'stop',
  usage,
  ...fields,
})
const toolStep = (id: string, files: readonly FileChange[] = []): ToolStep => ({
  kind: 'tool',
  call: call(id),
  content: '',
  isError: false,
  sources: [],
  files,
})

const running = { paused: false }

test('marks become numbers in order of first use, and the list closes the text', () => {
  const answer = createAnswer(registerOf(3), { sources: 'inline' })
  const shown = answer.show('A [S3]. B [S1][S3]. C [S9].') + answer.rest()
  const end = answer.end(0n, running)
  expect(shown).toBe('A [1]. B [2][1]. C.')
  expect(end.text).toBe(shown)
  expect(end.sources.map(({ n, ref }) => [n, ref])).toEqual([
    [1, 'Tanya 3'],
    [2, 'Tanya 1'],
  ])
  expect(end.citations.map(({ start, end: stop }) => shown.slice(start, stop))).toEqual(['[1]', '[2]', '[1]'])
  expect(end.unknown_marks).toBe(1)
  expect(end.source_list).toContain('Tanya 3')
})

test('with sources as a block neither numbers nor a list enter the text', () => {
  const answer = createAnswer(registerOf(1), { sources: 'block' })
  answer.show('A [S1].')
  answer.rest()
  expect(answer.end(0n, running)).toMatchObject({
    text: 'A.',
    source_list: '',
    sources: [{ n: 1, ref: 'Tanya 1' }],
  })
})

test('a paused turn hands over the calls that were not answered here, and no list', () => {
  const answer = createAnswer(registerOf(1), { sources: 'inline' })
  answer.show('See [S1].')
  answer.add(model({ toolCalls: [call('ours'), call('theirs')], reason: 'tool_calls' }))
  answer.add(toolStep('ours'))
  expect(answer.end(0n, { paused: true })).toMatchObject({ tool_calls: [call('theirs')], source_list: '' })
  expect(answer.end(0n, running).tool_calls).toEqual([])
})

test('a file created and changed in one turn is listed once, as created', () => {
  const file = (id: string, bytes: number, action: FileChange['action']): FileChange => ({
    id,
    filename: `${id}.md`,
    bytes,
    contentType: 'text/markdown',
    action,
  })
  const answer = createAnswer(registerOf(0), { sources: 'inline' })
  answer.add(toolStep('write', [file('a', 1, 'created'), file('b', 1, 'updated')]))
  answer.add(toolStep('edit', [file('a', 9, 'updated')]))
  expect(answer.end(0n, running).files).toEqual([file('a', 9, 'created'), file('b', 1, 'updated')])
})

test('usage is the sum of the finished steps, with the cost it is told', () => {
  const answer = createAnswer(registerOf(0), { sources: 'inline' })
  answer.add(model())
  answer.add(toolStep('a'))
  answer.add(model({ usage: { ...usage, estimated: true } }))
  expect(answer.end(123n, running).usage).toEqual({
    prompt_tokens: 20,
    completion_tokens: 10,
    total_tokens: 30,
    model_calls: 2,
    tool_calls: 1,
    estimated: true,
    cost_micros: '123',
  })
})

test('an answer is empty until something of it was shown', () => {
  const answer = createAnswer(registerOf(1), { sources: 'inline' })
  expect(answer.isEmpty()).toBe(true)
  answer.show('[S')
  expect(answer.isEmpty()).toBe(true)
  answer.show('1] x')
  expect(answer.isEmpty()).toBe(false)
})

test("the source list uses the answer's language, and isolates when requested", () => {
  const hebrew = createAnswer(registerOf(1), { sources: 'inline', isolates: true })
  hebrew.show('אמונה היא יסוד הכל [S1].')
  expect(hebrew.end(0n, { paused: false }).source_list).toMatch(/^\n\nמקורות:\n\n\[1\] \u2067/)
  const english = createAnswer(registerOf(1), { sources: 'inline' })
  english.show('Faith (אמונה) is the ground [S1].')
  const list = english.end(0n, { paused: false }).source_list
  expect(list).toMatch(/^\n\nSources:/)
  expect(list).not.toMatch(/[\u2066-\u2069]/)
})

test('links in an answer do not change the language of its source list', async () => {
  const answer = createAnswer(registerOf(1), { sources: 'inline', citationStyle: 'links' })
  const text = answer.show('כך [S1].') + answer.rest()
  expect(text).toBe('כך [1](https://example.org/1).')
  expect(answer.end(0n, { paused: false }).source_list).toContain('מקורות')
})
