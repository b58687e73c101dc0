import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../../src/routes/chat/chunks.ts'
import type { Run } from '../../src/turns/run/run.ts'
import type { RunEnd, RunEvent, TerminalEvent } from '../../src/turns/run/run-events.ts'
import { readStream } from '../support/sse-rules.ts'

const run = {
  id: 'run_abc',
  projectId: 'proj_1',
  sessionId: 'sess_1',
  messageId: 'msg_1',
  model: 'service',
  request: {},
} as Run

const source = {
  n: 1,
  ref: 'Tanya, Part I; Likkutei Amarim 12:1',
  he_ref: 'תניא',
  title: 'Tanya',
  work: 'Tanya',
  language: 'he',
  version: 'v',
  license: 'Public Domain',
  url: 'https://example.org/tanya',
  text: 'והבינוני',
  verification: [],
}

const ended = (end: Partial<RunEnd> = {}): RunEnd => ({
  text: '',
  source_list: '',
  sources: [],
  citations: [],
  unknown_marks: 0,
  unknown_refs: [],
  quotations: [],
  files: [],
  tool_calls: [],
  usage: {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    model_calls: 1,
    tool_calls: 0,
    estimated: false,
    cost_micros: '3000',
  },
  ...end,
})

const completed = (
  end: Partial<RunEnd> = {},
  reason: 'stop' | 'length' | 'tool_calls' | 'content_filter' = 'stop',
): TerminalEvent => ({ type: 'run.completed', reason, end: ended(end) })

const text = (text: string, step = 1): RunEvent => ({ type: 'text.delta', step, text })

function encode(
  batches: readonly (readonly RunEvent[])[],
  options: { includeUsage?: boolean; progress?: boolean } = {},
) {
  const encoder = createChunkEncoder(run, {
    created: 1_767_225_600,
    includeUsage: false,
    progress: true,
    ...options,
  })
  return encoder.start('in_progress') + batches.map((batch) => encoder.events(batch)).join('')
}

const toolEvents: readonly RunEvent[] = [
  { type: 'run.queued' },
  { type: 'run.started' },
  { type: 'step.started', step: 1 },
  { type: 'tool.started', step: 2, name: 'search_sources', title: 'Searching for "beinoni"' },
  { type: 'tool.finished', step: 2, name: 'search_sources', ok: true },
  {
    type: 'file',
    step: 2,
    file: { id: 'file-1', filename: 'דף.md', bytes: 3, contentType: 'text/markdown', action: 'created' },
  },
  { type: 'step.restarted', step: 3, void_from_seq: 9 },
]

const whole = [...toolEvents, text('שלום'), completed({ text: 'שלום' })]

test('chunks of a turn with tools, files and text obey every rule, batched or not', () => {
  for (const batches of [[whole], whole.map((event) => [event])]) {
    const read = readStream(encode(batches))
    expect(read.problems).toEqual([])
    expect(read.text).toBe('שלום')
    expect(read.finish?.x_service).toMatchObject({
      status: 'completed',
      run_id: 'run_abc',
      usage: { cost: 0.003 },
    })
    expect(read.chunks.flatMap((chunk) => chunk.x_service?.event?.['type'] ?? [])).toEqual(
      toolEvents.map((event) => event.type),
    )
  }
})

test('no reader finds the end of a line within a text, and a chunk without words has an empty delta', () => {
  const text = 'before\u2028middle\u2029after\u0085end'
  const events: RunEvent[] = [{ type: 'run.started' }, { type: 'text.delta', step: 1, text }]
  const frames = encode([events])
  expect(frames).not.toMatch(/[\u0085\u2028\u2029]/)
  expect(readStream(frames).text).toBe(text)
  expect(frames.match(/"delta":\{\}/g)).toHaveLength(1)
})

test('without progress no frame but the first and the last tells of the turn', () => {
  const read = readStream(encode([whole], { progress: false }))
  expect(read.problems).toEqual([])
  expect(read.chunks).toHaveLength(3)
})

test('usage comes when it was asked for, as the last chunk, and only then', () => {
  const asked = readStream(encode([whole], { includeUsage: true }), { includeUsage: true })
  expect(asked.problems).toEqual([])
  expect(asked.usage).toEqual({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 0.003 })
  expect(encode([whole])).not.toContain('"usage":null')
})

test('citations are one delta of the sources with a URL; the list closes the text', () => {
  const end = {
    text: 'א [1][2]',
    source_list: '\n\nSources:\n[1] Tanya',
    sources: [source, { ...source, n: 2, url: '' }],
    citations: [
      { n: 1, start: 2, end: 5 },
      { n: 2, start: 5, end: 8 },
    ],
  }
  const read = readStream(encode([[text(end.text)], [completed(end)]]))
  expect(read.problems).toEqual([])
  expect(read.text).toBe(end.text + end.source_list)
  expect(read.chunks.flatMap((chunk) => chunk.choices[0]?.delta.annotations ?? [])).toEqual([
    {
      type: 'url_citation',
      url_citation: { start_index: 2, end_index: 5, url: source.url, title: source.ref },
    },
  ])
})

test("the client's tool calls are whole, numbered, and finish with tool_calls", () => {
  const calls = [
    { id: 'call_a', name: 'weather', arguments: '{"city":"חיפה"}' },
    { id: 'call_b', name: 'time', arguments: '{}' },
  ]
  const read = readStream(encode([[completed({ tool_calls: calls }, 'tool_calls')]]))
  expect(read.problems).toEqual([])
  expect(read.finish?.choices[0]?.finish_reason).toBe('tool_calls')
  expect(read.chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])).toEqual(
    calls.map(({ id, ...call }, index) => ({ index, id, type: 'function', function: call })),
  )
})

test.each(['length', 'content_filter'] as const)('a turn that ends with %s says so', (reason) => {
  const read = readStream(encode([[completed({}, reason)]]))
  expect(read.problems).toEqual([])
  expect(read.finish?.choices[0]?.finish_reason).toBe(reason)
})

test.each([
  [
    { type: 'run.failed', code: 'upstream_failed', message: 'No answer.', end: ended() },
    'upstream_failed',
    'failed',
  ],
  [{ type: 'run.failed', code: 'run_failed', message: 'Broken.', end: ended() }, 'run_failed', 'failed'],
  [{ type: 'run.cancelled', end: ended({ text: 'so' }) }, 'run_cancelled', 'cancelled'],
] as const)('a failure is one pure frame and then [DONE]', (event, code, status) => {
  for (const before of [[], [text('so far')]]) {
    const read = readStream(encode([before, [event]], { includeUsage: true }))
    expect(read.problems).toEqual([])
    expect(read.error).toMatchObject({
      code,
      x_service: { run_id: 'run_abc', status, usage: { cost: 0.003 } },
    })
    expect(read.finish).toBeUndefined()
  }
})

test('a reader that lost its run ends with an error frame, never silently', () => {
  const encoder = createChunkEncoder(run, { created: 1, includeUsage: true, progress: true })
  const read = readStream(encoder.start('queued') + encoder.events([text('so')]) + encoder.interrupted())
  expect(read.problems).toEqual([])
  expect(read.error).toMatchObject({ code: 'run_failed', x_service: { status: 'in_progress' } })
})

test('a keep-alive is a comment and an empty chunk in one block, anywhere before the end', () => {
  const encoder = createChunkEncoder(run, { created: 1, includeUsage: false, progress: true })
  const silent = encoder.keepAlive()
  const body =
    encoder.start('in_progress') +
    silent +
    encoder.events([text('a')]) +
    silent +
    encoder.events([completed()])
  const read = readStream(body)
  expect(read.problems).toEqual([])
  expect(read.keepAlives).toBe(2)
  expect(silent).toMatch(/^: keep-alive\ndata: [^\n]+\n\n$/)
})

test('any text arrives as it was, however the events are batched', () => {
  const awkward = fc.string({
    unit: fc.constantFrom('a', 'ש', '😀', '\n', '\r', '"', '\\', '\u2028', ' ', '[1]', 'data: '),
  })
  fc.assert(
    fc.property(fc.array(fc.array(awkward)), (batches) => {
      const events = batches.map((batch) => batch.map((piece) => text(piece)))
      const read = readStream(encode([...events, [completed()]]))
      expect(read.problems).toEqual([])
      expect(read.text).toBe(batches.flat().join(''))
    }),
  )
})
