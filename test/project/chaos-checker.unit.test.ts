import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { creditsNumber, creditsText } from '../../src/billing/credits.ts'
import { check, rules } from '../chaos/checker.ts'
import type { EventRow, FileRow, MessageRow, RunRow } from '../chaos/evidence.ts'
import type { Entry, FaultKind, Recorded } from '../chaos/history.ts'
import type { Intent } from '../chaos/plan.ts'
import {
  expectedMicros,
  expectedText,
  filesOf,
  modelCalls,
  type Question,
  questionText,
} from '../chaos/questions.ts'
import type { Reply } from '../chaos/replies.ts'

/** A small run of the harness in which all went well, and the same with one thing wrong. */

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends (infer U)[] | readonly (infer U)[] ? U[] : T[K] }

type World = {
  entries: Recorded[]
  runs: Mutable<RunRow>[]
  messages: Mutable<MessageRow>[]
  charges: { runId: string; micros: bigint }[]
  files: Mutable<FileRow>[]
  events: Map<string, EventRow[]>
  heldMicros: bigint
  brokenInvariants: string[]
  staleWrites: string[]
  badLines: string[]
}

const sourceList = '\n\nSources:\n\n[1] Somewhere'
const [stormAt, calmAt, rollingAt, restAt] = [1_000, 50_000, 60_000, 90_000]

const asks = (question: Partial<Question> & { id: string }): Question => ({
  shape: 'plain',
  words: 5,
  chunks: 2,
  delayMs: 1,
  ...question,
})

const intends = (question: Question, more: Partial<Intent> = {}): Intent => ({
  id: question.id,
  client: 'c0',
  question,
  delivery: 'stream',
  guard: 'key',
  onDisconnect: 'continue',
  includeUsage: false,
  progress: true,
  timeoutMs: 10_000,
  comesBack: true,
  ...more,
})

const written = asks({ id: 'written', shape: 'write' })
const found = asks({ id: 'found', shape: 'search' })
const stopped = asks({ id: 'stopped' })
const broken = asks({ id: 'broken', trouble: { kind: 'refusal', call: 0, ms: 0 } })
const refused = asks({ id: 'refused' })

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const foundText = expectedText(found, ['written'])

function soundWorld(): World {
  const entries: Recorded[] = []
  const add = (at: number, entry: Entry) => void entries.push({ at, ...entry })
  const faults: FaultKind[] = ['kill', 'freeze', 'client wires cut', 'backend terminated']
  add(stormAt, { type: 'phase', phase: 'storm' })
  for (const fault of faults) add(1_500, { type: 'fault', fault, on: 'replica-1' })
  add(1_600, exit({ sent: 'SIGKILL', code: null, signal: 'SIGKILL' }))

  story(add, 2_000, intends(written, { follow: [1] }), 'run_1', {
    runStatus: 'completed',
    text: expectedText(written, []),
    cost: creditsNumber(expectedMicros(written)),
  })
  for (const events of [[started], [text, ended]]) {
    add(2_500, {
      type: 'events',
      intent: 'written',
      runId: 'run_1',
      after: (events[0]?.seq ?? 1) - 1,
      events,
    })
  }
  story(add, 3_000, intends(found, { delivery: 'whole', guard: 'sdk' }), 'run_2', {
    runStatus: 'completed',
    text: foundText + sourceList,
    cost: creditsNumber(expectedMicros(found)),
  })
  add(3_500, {
    type: 'run seen',
    intent: 'found',
    runId: 'run_2',
    status: 'completed',
    text: foundText + sourceList,
    credits: creditsText(expectedMicros(found)),
  })
  story(add, 4_000, intends(stopped), 'run_3', { runStatus: 'cancelled', text: 'Answer', cost: 0.0004 })
  add(4_100, { type: 'cancel', intent: 'stopped', runId: 'run_3', done: true })
  story(add, 5_000, intends(broken), 'run_4', { status: 502, runStatus: undefined, final: true })
  story(add, 6_000, intends(refused), undefined, { status: 409, final: true })

  add(calmAt, { type: 'phase', phase: 'calm' })
  add(rollingAt, { type: 'phase', phase: 'rolling' })
  add(rollingAt + 10, { type: 'fault', fault: 'sigterm', on: 'replica-1' })
  add(rollingAt + 2_000, exit({ sent: 'SIGTERM', code: 0, signal: null, tookMs: 1_990 }))
  add(restAt, { type: 'phase', phase: 'rest' })
  return {
    entries,
    runs: [
      run('run_1', 'sess_1', 1, {
        text: expectedText(written, []),
        costMicros: expectedMicros(written),
        epoch: 2,
      }),
      run('run_2', 'sess_1', 2, { text: foundText + sourceList, costMicros: expectedMicros(found) }),
      run('run_3', 'sess_3', 1, {
        status: 'cancelled',
        text: 'Answer',
        cancelRequested: true,
        costMicros: 400n,
        unfinishedMicros: 400n,
      }),
      run('run_4', 'sess_4', 1, { status: 'failed', errorCode: 'upstream_failed' }),
    ],
    messages: [
      ...turn('run_1', 1, written, expectedText(written, [])),
      ...turn('run_2', 2, found, foundText),
      ...turn('run_3', 1, stopped, 'Answer'),
      ...turn('run_4', 1, broken),
    ],
    charges: [
      { runId: 'run_1', micros: expectedMicros(written) },
      { runId: 'run_2', micros: expectedMicros(found) },
      { runId: 'run_3', micros: 400n },
    ],
    files: filesOf(written).map(({ name, content }) => ({
      name,
      runId: 'run_1',
      versions: 1,
      sha256: sha256(content),
    })),
    events: new Map([
      ['run_1', [started, text, ended].map(({ seq, body: { seq: _, ...event } }) => ({ seq, event }))],
    ]),
    heldMicros: 0n,
    brokenInvariants: [],
    staleWrites: [],
    badLines: [],
  }
}

const started = { seq: 1, body: { seq: 1, type: 'run.started' } }
const text = { seq: 2, body: { seq: 2, type: 'text.delta', step: 1, text: 'I write' } }
const ended = { seq: 3, body: { seq: 3, type: 'run.completed', end: { text: 'I write it down.' } } }

function exit(more: Partial<Extract<Entry, { type: 'exit' }>>): Entry {
  return {
    type: 'exit',
    replica: 'replica-1',
    sent: undefined,
    code: null,
    signal: null,
    wasReady: true,
    tookMs: 50,
    stderr: '',
    ...more,
  }
}

/** A request that was answered at once, after as many model calls as it needs. */
function story(
  add: (at: number, entry: Entry) => void,
  at: number,
  intent: Intent,
  runId: string | undefined,
  reply: Partial<Reply>,
): void {
  const { id } = intent
  add(at, { type: 'intent', intent, ...(id === 'found' && { sessionId: 'sess_1' }) })
  add(at, { type: 'sent', intent: id, attempt: 0, replica: 'replica-1' })
  for (let call = 0; runId !== undefined && call < modelCalls(intent.question); call += 1) {
    add(at + 10, { type: 'model call', question: id, call, replica: 'replica-1', troubled: id === 'broken' })
  }
  const status = reply.status ?? 200
  const type = status === 200 ? 'ok' : status < 500 ? 'fail' : 'unknown'
  const whole = {
    ending: 'complete',
    status,
    runId,
    replayed: false,
    final: false,
    problems: [],
    ...reply,
  } as const
  add(at + 400, { type, replica: 'replica-1', intent: id, attempt: 0, sentAt: at, reply: whole })
  add(at + 401, { type: 'closed', intent: id, how: status === 200 ? 'answered' : 'ended' })
}

function run(id: string, sessionId: string, turn: number, more: Partial<RunRow>): Mutable<RunRow> {
  return {
    id,
    sessionId,
    turn,
    status: 'completed',
    epoch: 1,
    costMicros: 0n,
    unfinishedMicros: 0n,
    createdAt: new Date(stormAt + 1_000),
    finishedAt: new Date(stormAt + 2_000),
    cancelRequested: false,
    errorCode: null,
    errorMessage: '',
    text: '',
    ...more,
  }
}

function turn(runId: string, number: number, question: Question, answer?: string): MessageRow[] {
  const message = (role: string, text: string) => ({ runId, turn: number, role, text })
  return [
    message('user', questionText(question)),
    ...(answer === undefined ? [] : [message('assistant', answer)]),
  ]
}

function brokenRules({ entries, badLines, ...rows }: World): readonly string[] {
  return check({ entries, rows, badLines, sourceList }).map(({ rule }) => rule)
}

/** The reply of an intent, to be changed. */
function replyOf(world: World, intent: string): Mutable<Reply> {
  const entry = world.entries.find((e) => 'reply' in e && e.intent === intent)
  if (!entry || !('reply' in entry)) throw new Error(`no reply of ${intent}`)
  return entry.reply as Mutable<Reply>
}

const [runOf, at] = [
  (world: World, id: string) => world.runs.find((row) => row.id === id) ?? world.runs[0]!,
  (world: World, when: number, entry: Entry) => void world.entries.push({ at: when, ...entry }),
]

function copyRun(world: World, id: string, more: Partial<RunRow>): void {
  world.runs.push({ ...runOf(world, id), ...more })
}

const intentOf = (world: World, id: string) => {
  const entry = world.entries.find((e) => e.type === 'intent' && e.intent.id === id)
  return (entry as Extract<Recorded, { type: 'intent' }>).intent as Mutable<Intent>
}

const closing = (world: World, intent: string) => {
  const entry = world.entries.find((e) => e.type === 'closed' && e.intent === intent)
  return entry as Mutable<Extract<Recorded, { type: 'closed' }>>
}

const eventsOf = (world: World) =>
  world.entries.filter((e) => e.type === 'events') as Mutable<Extract<Recorded, { type: 'events' }>>[]

/** One fault for each rule. */
const planted: Readonly<Record<string, (world: World) => void>> = {
  'a run that a client was told of exists': (w) => {
    w.runs = w.runs.filter(({ id }) => id !== 'run_3')
  },
  'every run ends within a minute after the last fault': (w) => {
    runOf(w, 'run_1').finishedAt = new Date(calmAt + 60_001)
  },
  'no run without a request': (w) => copyRun(w, 'run_1', { id: 'run_9', sessionId: 'sess_9' }),
  'one intent is one run at most': (w) => {
    copyRun(w, 'run_1', { id: 'run_9', sessionId: 'sess_9', turn: 1 })
    w.messages.push(...turn('run_9', 1, written, expectedText(written, [])))
  },
  'an intent without a key is charged once': (w) => {
    intentOf(w, 'found').guard = 'app'
    copyRun(w, 'run_2', { id: 'run_9', sessionId: 'sess_9', turn: 1 })
    w.messages.push(...turn('run_9', 1, found, foundText))
    w.charges.push({ runId: 'run_9', micros: expectedMicros(found) })
  },
  'all replies to one intent name one run': (w) => {
    replyOf(w, 'found').runId = 'run_1'
  },
  'what was refused did not run': (w) => {
    copyRun(w, 'run_4', { id: 'run_9', sessionId: 'sess_9' })
    w.messages.push(...turn('run_9', 1, refused))
  },
  'a client that keeps trying is answered': (w) => {
    closing(w, 'found').how = 'gave up'
  },
  'a run fails only where its model does': (w) => {
    runOf(w, 'run_2').status = 'failed'
  },
  'a run is cancelled only when somebody asked for it': (w) => {
    runOf(w, 'run_2').status = 'cancelled'
  },
  'a model call is repeated once a takeover at most': (w) => {
    const call = { type: 'model call', question: 'written', replica: 'replica-2', troubled: false } as const
    at(w, 2_100, { ...call, call: 0 })
    at(w, 2_200, { ...call, call: 1 })
  },
  'a completed run has made every model call': (w) => {
    w.entries = w.entries.filter((e) => e.type !== 'model call' || e.question !== 'found' || e.call > 0)
  },
  'an owner that has lost its run writes nothing': (w) => void w.staleWrites.push('run_1'),
  'the ledger keeps its invariants': (w) => void w.brokenInvariants.push('a run is charged at most once'),
  'nothing is held at rest': (w) => {
    w.heldMicros = 1n
  },
  'a run is charged at most once': (w) => void w.charges.push({ runId: 'run_1', micros: 0n }),
  'a completed run is charged exactly for its calls': (w) => {
    w.charges[1]!.micros += 1n
  },
  'a run that did not complete costs no more than a completed one and its unfinished model call': (w) => {
    runOf(w, 'run_3').costMicros = expectedMicros(stopped) + 401n
  },
  'a run that shows text is charged, however it ended': (w) => {
    runOf(w, 'run_3').costMicros = 0n
  },
  'the cost that a client sees is the charge': (w) => {
    replyOf(w, 'found').cost = 1
  },
  'a completed answer is exactly the expected text': (w) => {
    replyOf(w, 'found').text += '.'
  },
  'an unfinished answer is the beginning of the expected text': (w) => {
    replyOf(w, 'stopped').text = 'Answers'
  },
  'a reply tells the state that the run is in': (w) => {
    replyOf(w, 'stopped').runStatus = 'failed'
  },
  'a reply keeps the rules of its form': (w) => void replyOf(w, 'found').problems.push('no choice'),
  'no reply has a status that nothing explains': (w) => {
    replyOf(w, 'broken').status = 500
  },
  'followed events have neither gap nor double, and are those of the log': (w) => {
    eventsOf(w)[1]!.events = [ended]
  },
  'the turns of a session are numbered without gap': (w) => {
    runOf(w, 'run_2').turn = 3
  },
  'a turn that was sent after another had been told of comes later': (w) => {
    runOf(w, 'run_1').turn = 2
    runOf(w, 'run_2').turn = 1
  },
  'a turn runs in the session that its request named': (w) => {
    runOf(w, 'run_2').sessionId = 'sess_8'
  },
  'a conversation holds each question once, and the answer that it got': (w) => {
    w.messages = w.messages.filter(({ runId, role }) => runId !== 'run_2' || role === 'user')
  },
  'a file that a turn wrote exists once, with its bytes': (w) => {
    w.files[0]!.versions = 2
  },
  'no replica ends by itself': (w) => at(w, 2_000, exit({ code: 1 })),
  'a replica that is told to stop ends in time, with code 0': (w) =>
    at(w, restAt, exit({ sent: 'SIGTERM', code: 0, tookMs: 30_001 })),
  'the logs hold neither a secret nor an error that nobody caught': (w) => void w.badLines.push('a.log:1'),
  'a rolling restart answers no new request with a 5xx': (w) => {
    const entry = w.entries.find((e) => 'reply' in e && e.intent === 'broken') as Mutable<
      Recorded & { sentAt: number }
    >
    Object.assign(entry, { sentAt: rollingAt + 600, at: rollingAt + 610 })
  },
  'the storm took place': (w) => {
    w.entries = w.entries.filter((e) => e.type !== 'fault' || e.fault !== 'freeze')
  },
}

test('what went well breaks no rule', () => {
  expect(brokenRules(soundWorld())).toEqual([])
})

test('each rule has a planted fault', () => {
  expect(Object.keys(planted).sort()).toEqual(rules.map(({ name }) => name).sort())
})

describe('a planted fault is reported', () => {
  test.each(Object.entries(planted))('%s', (rule, plant) => {
    const world = soundWorld()
    plant(world)
    expect(brokenRules(world)).toContain(rule)
  })
})
