import { isDeepStrictEqual } from 'node:util'
import type { EventRow } from './evidence.ts'
import type { Rule, View } from './findings.ts'
import type { EventsSeen, SeenEvent } from './history.ts'

/** First difference of two texts, for a line of the report. */
function difference(seen: string, expected: string): string {
  let at = 0
  while (at < seen.length && seen[at] === expected[at]) at += 1
  return `at ${at} of ${expected.length}: ${JSON.stringify(seen.slice(at, at + 40))} for ${JSON.stringify(expected.slice(at, at + 40))}`
}

/**
 * 409: too many queued turns in the session; 502: the model failed; 503: the database is down or a replica
 * stops.
 */
const statusesToExpect = new Set([200, 409, 502, 503])

/** All texts that a client received from a run, with the status it received. */
function* textsSeen({ stories, runs }: View) {
  for (const { intent, attempts, seen } of stories) {
    for (const { reply, type } of attempts) {
      const run = runs.get(reply.runId ?? '')
      if (!run || reply.text === undefined) continue
      const whole = type === 'ok' && intent.delivery !== 'background' && reply.runStatus === 'completed'
      yield { intent: intent.id, run, text: reply.text, whole }
    }
    for (const { runId, status, text } of seen) {
      const run = runs.get(runId)
      if (run) yield { intent: intent.id, run, text, whole: status === 'completed' }
    }
  }
}

export const rulesOfReplies: readonly Rule[] = [
  {
    name: 'a completed answer is exactly the expected text',
    *broken(view) {
      for (const { intent, run, text, whole } of textsSeen(view)) {
        const expected = view.shownText(run)
        if (whole && text !== expected) yield `${run.id} of ${intent} ${difference(text, expected)}`
      }
    },
  },
  {
    name: 'an unfinished answer is the beginning of the expected text',
    *broken(view) {
      for (const { intent, run, text, whole } of textsSeen(view)) {
        const expected = view.shownText(run)
        if (!whole && !expected.startsWith(text)) yield `${run.id} of ${intent} ${difference(text, expected)}`
      }
    },
  },
  {
    name: 'a reply tells the state that the run is in',
    *broken({ stories, runs }) {
      for (const { intent, attempts, seen } of stories) {
        const told = [
          ...attempts.map(({ reply }) => ({ runId: reply.runId, status: reply.runStatus })),
          ...seen.map(({ runId, status }) => ({ runId, status })),
        ]
        for (const { runId, status } of told) {
          const run = runs.get(runId ?? '')
          if (!run || status === undefined || status === 'queued' || status === 'in_progress') continue
          if (status !== run.status) yield `${run.id} of ${intent.id}: told ${status}, is ${run.status}`
        }
      }
    },
  },
  {
    name: 'a reply keeps the rules of its form',
    *broken({ stories }) {
      for (const { intent, attempts } of stories) {
        for (const { reply, attempt } of attempts) {
          for (const problem of reply.problems) yield `${intent.id} attempt ${attempt}: ${problem}`
        }
      }
    },
  },
  {
    name: 'no reply has a status that nothing explains',
    *broken({ stories }) {
      for (const { intent, attempts } of stories) {
        for (const { reply, attempt, replica } of attempts) {
          const { status, code } = reply
          if (status === undefined || statusesToExpect.has(status)) continue
          yield `${intent.id} attempt ${attempt} at ${replica}: ${status} ${code}`
        }
      }
    },
  },
  {
    name: 'followed events have neither gap nor double, and are those of the log',
    *broken({ findings, stories }) {
      for (const { intent, followed, closed } of stories) {
        const [first] = followed
        if (!first) continue
        const log = findings.rows.events.get(first.runId) ?? []
        for (const problem of problemsOf(followed, log)) yield `${first.runId} of ${intent.id}: ${problem}`
        const ended = followed.some(({ events }) => events.some(({ body }) => 'end' in body))
        if (!ended && closed !== 'gave up') yield `${first.runId} of ${intent.id}: the end was not seen`
      }
    },
  },
]

function* problemsOf(followed: readonly EventsSeen[], log: readonly EventRow[]): Generator<string> {
  for (const { after, events } of followed) {
    for (const [i, event] of events.entries()) {
      const last = events[i - 1]?.seq ?? after
      if (event.seq !== last + 1) yield `${event.seq} follows ${last}`
      yield* problemsOfEvent(event, log)
    }
  }
}

function* problemsOfEvent(event: SeenEvent, log: readonly EventRow[]): Generator<string> {
  const row = log[event.seq - 1]
  if (!row) yield `${event.seq} is not in the log of ${log.length}`
  else if (!isSameEvent(event, row)) {
    yield `${event.seq} is ${JSON.stringify(row.event).slice(0, 200)} in the log`
  }
  if ('end' in event.body && event.seq !== log.length) yield `${log.length - event.seq} events follow the end`
}

/** Files and amounts have another form in the API; only the equal members are compared. */
function isSameEvent({ seq, body }: SeenEvent, row: EventRow): boolean {
  if (body['type'] !== row.event['type']) return false
  if ('file' in body) return nameOf(body['file']) === nameOf(row.event['file'])
  if ('end' in body) return textOf(body['end']) === textOf(row.event['end'])
  return isDeepStrictEqual(body, { seq, ...row.event })
}

const nameOf = (file: unknown) => (file as { filename?: unknown }).filename
const textOf = (end: unknown) => (end as { text?: unknown }).text
