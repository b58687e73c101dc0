import { beginOf, type Rule, type Story } from './findings.ts'
import { mayFail, modelCalls } from './questions.ts'
import type { RunStatus } from './replies.ts'
import { isLostInCrash, mayRunTwice } from './unknowable.ts'

/**
 * Time after the storm by which all runs have ended: leases of 15 s, and turns queued behind the last one to
 * expire.
 */
export const settleMs = 60_000

/** Maximum attempts of the service at a turn. */
const maxEpochs = 8

const hasEnded = (status: RunStatus): boolean => status !== 'queued' && status !== 'in_progress'

const runIdsTold = ({ attempts, seen }: Story): ReadonlySet<string> =>
  new Set([...attempts.flatMap(({ reply }) => reply.runId ?? []), ...seen.map(({ runId }) => runId)])

export const rulesOfRuns: readonly Rule[] = [
  {
    name: 'a run that a client was told of exists',
    *broken({ findings, stories, runs }) {
      for (const story of stories) {
        if (isLostInCrash(findings, story)) continue
        for (const id of runIdsTold(story)) if (!runs.has(id)) yield `${id} of ${story.intent.id}`
      }
    },
  },
  {
    name: 'every run ends within a minute after the last fault',
    *broken({ findings }) {
      const calm = beginOf(findings, 'calm')
      for (const { id, status, createdAt, finishedAt } of findings.rows.runs) {
        if (!hasEnded(status)) yield `${id} is ${status}`
        const late = (finishedAt?.getTime() ?? 0) - calm - settleMs
        if (createdAt.getTime() < calm && late > 0) yield `${id} ended ${late} ms too late`
      }
    },
  },
  {
    name: 'no run without a request',
    *broken({ findings, storyOf }) {
      for (const { id } of findings.rows.runs) if (!storyOf(id)) yield id
    },
  },
  {
    name: 'one intent is one run at most',
    *broken({ stories, findings }) {
      for (const story of stories) {
        const { intent, runs } = story
        if (runs.length <= 1 || mayRunTwice(findings, story)) continue
        yield `${intent.id} (guard ${intent.guard}) is ${runs.map(({ id }) => id).join(' and ')}`
      }
    },
  },
  {
    name: 'all replies to one intent name one run',
    *broken({ stories, findings }) {
      for (const story of stories) {
        if (isLostInCrash(findings, story)) continue
        const told = [...runIdsTold(story)]
        if (told.length > 1 && !mayRunTwice(findings, story)) yield `${story.intent.id}: ${told.join(', ')}`
        const held = story.runs.map(({ id }) => id)
        if (told[0] !== undefined && !held.includes(told[0]))
          yield `${story.intent.id}: ${told[0]} holds another question`
      }
    },
  },
  {
    name: 'what was refused did not run',
    *broken({ stories }) {
      for (const { intent, attempts, runs } of stories) {
        if (attempts.length > 0 && attempts.every(({ type }) => type === 'fail') && runs.length > 0) {
          yield `${intent.id} runs as ${runs[0]?.id}`
        }
      }
    },
  },
  {
    name: 'a client that keeps trying is answered',
    *broken({ stories }) {
      for (const { intent, closed, attempts } of stories) {
        if (closed === undefined) yield `${intent.id} was never closed`
        if (closed === 'gave up') yield `${intent.id} after ${attempts.length} attempts: ${lastOf(attempts)}`
      }
    },
  },
  {
    name: 'a run fails only where its model does',
    *broken({ findings, storyOf }) {
      for (const { id, status, epoch, errorCode, errorMessage } of findings.rows.runs) {
        const question = storyOf(id)?.intent.question
        if (status !== 'failed' || !question || epoch > maxEpochs) continue
        if (!mayFail(question)) yield `${id} of ${question.id}: ${errorCode} ${errorMessage}`
      }
    },
  },
  {
    name: 'a run is cancelled only when somebody asked for it',
    *broken({ findings, storyOf }) {
      for (const { id, status } of findings.rows.runs) {
        const story = storyOf(id)
        if (status !== 'cancelled' || !story) continue
        if (!story.cancelled && story.intent.onDisconnect !== 'cancel') yield `${id} of ${story.intent.id}`
      }
    },
  },
  {
    name: 'an owner that has lost its run writes nothing',
    broken: ({ findings }) => findings.rows.staleWrites,
  },
  {
    name: 'a model call is repeated once a takeover at most',
    *broken({ findings, storyOf }) {
      const calls = callsOf(findings.entries)
      for (const { id, epoch } of findings.rows.runs) {
        const story = storyOf(id)
        if (!story || (story.runs.length > 1 && mayRunTwice(findings, story))) continue
        const { question } = story.intent
        const repeats = repeatsOf(calls.get(question.id) ?? [])
        const takeovers = Math.max(0, epoch - 1)
        if (repeats > takeovers) yield `${id} of ${question.id}: ${repeats} repeats, ${takeovers} takeovers`
      }
    },
  },
  {
    name: 'a completed run has made every model call',
    *broken({ findings, storyOf }) {
      const calls = callsOf(findings.entries)
      for (const { id, status } of findings.rows.runs) {
        const question = storyOf(id)?.intent.question
        if (status !== 'completed' || !question) continue
        const made = new Set((calls.get(question.id) ?? []).map(({ call }) => call))
        if (made.size !== modelCalls(question)) yield `${id} of ${question.id} made ${made.size}`
      }
    },
  },
]

function lastOf(attempts: Story['attempts']): string {
  const reply = attempts.at(-1)?.reply
  return `${reply?.ending} ${reply?.status ?? ''} ${reply?.code ?? ''} ${reply?.runStatus ?? ''}`
}

type Call = { readonly question: string; readonly call: number; readonly troubled: boolean }

export function callsOf(entries: readonly { readonly type: string }[]): ReadonlyMap<string, readonly Call[]> {
  const calls = entries.filter((entry): entry is Call & { type: string } => entry.type === 'model call')
  return Map.groupBy(calls, ({ question }) => question)
}

/**
 * Counts model calls that repeat an earlier successful or running call. Calls that the fake model refused on
 * purpose do not count.
 */
export function repeatsOf(calls: readonly Call[]): number {
  const answered = calls.filter(({ troubled }) => !troubled).map(({ call }) => call)
  return answered.length - new Set(answered).size
}
