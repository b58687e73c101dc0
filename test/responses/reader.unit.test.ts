import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ResponseReader } from '../../src/routes/responses/output/reader.ts'
import type { CommittedEvent } from '../../src/turns/record/run-log.ts'
import type { Run } from '../../src/turns/run/run.ts'
import type { RunEnd, RunEvent } from '../../src/turns/run/run-events.ts'
import { plainRequest } from '../support/turns/start.ts'

const responseFields = { previousId: null, metadata: {}, background: false, parallelToolCalls: true }

const run = {
  id: 'run_000000000000000000000001',
  projectId: 'proj_1',
  sessionId: 'sess_1',
  messageId: 'msg_1',
  model: 'service',
  request: { ...plainRequest, response: { ...responseFields, reasoningSummary: 'auto' } },
  createdAt: new Date(0),
} as Run

const end = (text: string): RunEnd => ({
  text,
  source_list: '',
  sources: [],
  citations: [],
  unknown_marks: 0,
  unknown_refs: [],
  quotations: [],
  files: [],
  tool_calls: [],
  usage: {
    prompt_tokens: 1,
    completion_tokens: 1,
    total_tokens: 2,
    model_calls: 1,
    tool_calls: 0,
    estimated: false,
    cost_micros: '1',
  },
})

/** A log of steps with text, of which some were begun by owners that went and begun again by others. */
type Attempt = { readonly usesTool: boolean; readonly texts: readonly string[]; readonly lost: boolean }

function logOf(attempts: readonly Attempt[]): { log: CommittedEvent[]; text: string } {
  const log: CommittedEvent[] = []
  let text = ''
  let step = 1
  const add = (event: RunEvent) => log.push({ seq: log.length + 1, event } as CommittedEvent)
  add({ type: 'run.started' })
  for (const { usesTool, texts, lost } of attempts) {
    const from = log.length + 1
    add({ type: 'step.started', step })
    if (usesTool) add({ type: 'tool.started', step, name: 'search', title: `Search ${step}` })
    for (const piece of texts) add({ type: 'text.delta', step, text: piece })
    if (lost) add({ type: 'step.restarted', step, void_from_seq: from })
    else {
      text += texts.join('')
      step += 1
    }
  }
  add({ type: 'run.completed', reason: 'stop', end: end(text) })
  return { log, text }
}

type Seen = { readonly type: string; readonly sequence_number: number; readonly delta?: string }

/** What a client gets that connects when `committed` events are there, until `most` of its own have come. */
function connect(
  log: readonly CommittedEvent[],
  after: number | undefined,
  committed: number,
  batch: number,
  most: number,
): { seen: Seen[]; contradicted: number | undefined } {
  const reader = new ResponseReader(run, after)
  const seen: Seen[] = [...(reader.start() as readonly Seen[])]
  for (let at = 0; at < log.length; ) {
    const next = at === 0 ? Math.max(committed, 1) : at + batch
    const { events, contradicted } = reader.take(log.slice(at, next))
    at = next
    seen.push(...(events as readonly Seen[]))
    if (seen.length >= most) return { seen: seen.slice(0, most), contradicted: undefined }
    if (contradicted !== undefined) return { seen, contradicted }
  }
  return { seen, contradicted: undefined }
}

const deltasOf = (seen: readonly Seen[], kind: string) =>
  seen.map(({ type, delta }) => (type === `response.${kind}.delta` ? (delta ?? '') : '')).join('')
const said = (seen: readonly Seen[]) => deltasOf(seen, 'output_text')
const reasoned = (seen: readonly Seen[]) => deltasOf(seen, 'reasoning_summary_text')
/** The reasoning in the response at the end of a stream. */
const reasoningIn = (seen: readonly Seen[]) => {
  const { response } = seen.at(-1) as unknown as { response: { output: { summary?: { text: string }[] }[] } }
  return response.output.flatMap(({ summary = [] }) => summary.map(({ text }) => text)).join('')
}
const places = fc.nat({ max: 40 })
const attempts = (lost: fc.Arbitrary<boolean>) =>
  fc.array(
    fc.record({
      usesTool: fc.boolean(),
      texts: fc.array(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 4 }),
      lost,
    }),
    {
      maxLength: 6,
    },
  )

test('a reader cut and resumed anywhere gets the events of an uncut reader', () => {
  fc.assert(
    fc.property(
      attempts(fc.constant(false)),
      places,
      places,
      fc.integer({ min: 1, max: 5 }),
      (steps, one, two, n) => {
        const { log } = logOf(steps)
        const uncut = connect(log, undefined, log.length, 1, Number.POSITIVE_INFINITY).seen
        expect(uncut.map((event) => event.sequence_number)).toEqual(uncut.map((_, i) => i))
        for (let cut = 1; cut <= uncut.length; cut += 1) {
          const first = connect(log, undefined, one, n, cut).seen
          const rest = connect(log, first.at(-1)?.sequence_number, two, n, Number.POSITIVE_INFINITY).seen
          expect([...first, ...rest]).toEqual(uncut)
        }
      },
    ),
    { numRuns: 60 },
  )
})

test('a client gets the answer across takeovers, or is told that its text is void', () => {
  let [reached, told, withReasoning] = [0, 0, 0]
  fc.assert(
    fc.property(
      attempts(fc.boolean()),
      places,
      places,
      fc.integer({ min: 1, max: 5 }),
      (steps, one, two, n) => {
        const { log, text } = logOf(steps)
        for (let cut = 1; cut <= log.length + 3; cut += 1) {
          const first = connect(log, undefined, one, n, cut)
          const last = first.seen.at(-1)?.sequence_number
          const rest = connect(log, last, Math.max(one, two), n, Number.POSITIVE_INFINITY)
          const all = [...first.seen, ...rest.seen]
          const numbers = all.map((event) => event.sequence_number)
          expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
          const contradicted = first.contradicted ?? rest.contradicted
          if (contradicted === undefined) {
            expect(said(all)).toBe(text)
            expect(all.at(-1)?.type).toBe('response.completed')
            expect(reasoned(all)).toBe(reasoningIn(all))
            if (reasoned(all) !== '') withReasoning += 1
            reached += 1
            continue
          }
          told += 1
          // Whoever comes back with the number of that failure is told again; one who begins anew is not.
          expect(connect(log, contradicted, log.length, n, 1_000).contradicted).toBeDefined()
          const anew = connect(log, undefined, log.length, n, 1_000)
          expect(anew.contradicted).toBeUndefined()
          expect(said(anew.seen)).toBe(text)
        }
      },
    ),
    { numRuns: 200 },
  )
  expect(Math.min(reached, told, withReasoning)).toBeGreaterThan(50)
})

test('a client that came after all takeovers is never told so, wherever it is cut', () => {
  fc.assert(
    fc.property(attempts(fc.boolean()), (steps) => {
      const { log, text } = logOf(steps)
      const late = (after: number | undefined, most: number) => connect(log, after, log.length, 1, most)
      for (let cut = 1; cut <= log.length + 3; cut += 1) {
        const first = late(undefined, cut)
        const rest = late(first.seen.at(-1)?.sequence_number, Number.POSITIVE_INFINITY)
        expect(rest.contradicted).toBeUndefined()
        expect(said([...first.seen, ...rest.seen])).toBe(text)
      }
    }),
    { numRuns: 200 },
  )
})

test("a reader's stream omits text that became void before it came", () => {
  const { log } = logOf([
    { usesTool: false, texts: ['Old', ' words'], lost: true },
    { usesTool: false, texts: ['New', ' words'], lost: false },
  ])
  const { seen } = connect(log, undefined, log.length, 1, 1_000)
  expect(seen.map(({ type, delta }) => delta ?? type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'New',
    ' words',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
})
