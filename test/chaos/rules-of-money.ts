import { creditsText } from '../../src/billing/credits.ts'
import type { Rule, Story } from './findings.ts'
import { expectedMicros } from './questions.ts'
import { isLostInCrash, mayRunTwice } from './unknowable.ts'

/** Costs that the clients of an intent received, as decimal text. */
function* costsTold({ attempts, seen }: Story): Generator<{ runId: string; credits: string }> {
  for (const { reply } of attempts) {
    if (reply.runId === undefined || reply.cost === undefined) continue
    yield { runId: reply.runId, credits: String(reply.cost) }
  }
  for (const { runId, credits } of seen) yield { runId, credits }
}

export const rulesOfMoney: readonly Rule[] = [
  {
    name: 'the ledger keeps its invariants',
    broken: ({ findings }) => findings.rows.brokenInvariants,
  },
  {
    name: 'nothing is held at rest',
    *broken({ findings }) {
      const { heldMicros } = findings.rows
      if (heldMicros !== 0n) yield `${creditsText(heldMicros)} credits`
    },
  },
  {
    name: 'a run is charged at most once',
    *broken({ findings }) {
      const charges = Map.groupBy(findings.rows.charges, ({ runId }) => runId)
      for (const [runId, those] of charges) if (those.length > 1) yield `${runId}: ${those.length} charges`
    },
  },
  {
    name: 'an intent without a key is charged once',
    *broken({ findings, stories }) {
      const charged = new Set(findings.rows.charges.map(({ runId }) => runId))
      for (const story of stories) {
        const count = story.runs.filter(({ id }) => charged.has(id)).length
        if (story.intent.guard !== 'app' || count <= 1 || mayRunTwice(findings, story)) continue
        yield `${story.intent.id}: ${count} charges after ${story.attempts.length} attempts`
      }
    },
  },
  {
    name: 'a completed run is charged exactly for its calls',
    *broken({ findings, storyOf }) {
      const charges = new Map(findings.rows.charges.map(({ runId, micros }) => [runId, micros]))
      for (const { id, status } of findings.rows.runs) {
        const question = storyOf(id)?.intent.question
        if (status !== 'completed' || !question) continue
        const [charged, expected] = [charges.get(id), expectedMicros(question)]
        if (charged !== expected) yield `${id} of ${question.id}: charged ${charged}, expected ${expected}`
      }
    },
  },
  {
    name: 'a run that did not complete costs no more than a completed one and its unfinished model call',
    *broken({ findings, storyOf }) {
      for (const { id, status, costMicros, unfinishedMicros } of findings.rows.runs) {
        const question = storyOf(id)?.intent.question
        if (status === 'completed' || !question) continue
        if (costMicros > expectedMicros(question) + unfinishedMicros)
          yield `${id} of ${question.id}: ${costMicros}`
      }
    },
  },
  {
    name: 'a run that shows text is charged, however it ended',
    *broken({ findings }) {
      for (const { id, text, costMicros } of findings.rows.runs)
        if (text !== '' && costMicros === 0n) yield id
    },
  },
  {
    name: 'the cost that a client sees is the charge',
    *broken({ findings, stories }) {
      const charges = new Map(findings.rows.charges.map(({ runId, micros }) => [runId, creditsText(micros)]))
      for (const story of stories) {
        if (isLostInCrash(findings, story)) continue
        for (const { runId, credits } of costsTold(story)) {
          const charged = charges.get(runId) ?? '0'
          if (Number(credits) !== Number(charged)) {
            yield `${runId} of ${story.intent.id}: told ${credits}, charged ${charged}`
          }
        }
      }
    },
  },
]
