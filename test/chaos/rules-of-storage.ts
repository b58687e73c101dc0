import { createHash } from 'node:crypto'
import type { FileRow, MessageRow, RunRow } from './evidence.ts'
import type { Findings, Rule } from './findings.ts'
import { filesOf, questionText, type WrittenFile } from './questions.ts'
import { mayRunTwice } from './unknowable.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const sessionsOf = ({ rows }: Findings): ReadonlyMap<string, readonly RunRow[]> =>
  Map.groupBy(
    rows.runs.toSorted((a, b) => a.turn - b.turn),
    ({ sessionId }) => sessionId,
  )

export const rulesOfStorage: readonly Rule[] = [
  {
    name: 'the turns of a session are numbered without gap',
    *broken({ findings }) {
      for (const [session, runs] of sessionsOf(findings)) {
        const turns = runs.map(({ turn }) => turn)
        if (turns.some((turn, i) => turn !== i + 1)) yield `${session}: ${turns.join(', ')}`
      }
    },
  },
  {
    name: 'a turn that was sent after another had been told of comes later',
    *broken({ findings, storyOf }) {
      for (const [session, runs] of sessionsOf(findings)) {
        const turns = runs.flatMap((run) => storyOf(run.id) ?? [])
        for (const [i, early] of turns.entries()) {
          for (const late of turns.slice(i + 1)) {
            if ((late.toldAt ?? Number.POSITIVE_INFINITY) >= (early.firstSentAt ?? 0)) continue
            yield `${session}: ${late.intent.id} stands behind ${early.intent.id}`
          }
        }
      }
    },
  },
  {
    name: 'a turn runs in the session that its request named',
    *broken({ stories }) {
      for (const { intent, sessionId, runs } of stories) {
        for (const run of runs) {
          if (sessionId !== undefined && run.sessionId !== sessionId) yield `${run.id} of ${intent.id}`
        }
      }
    },
  },
  {
    name: 'a conversation holds each question once, and the answer that it got',
    *broken({ findings, storyOf, keptText }) {
      const messages = Map.groupBy(findings.rows.messages, ({ runId }) => runId)
      for (const run of findings.rows.runs) {
        const story = storyOf(run.id)
        const question = story && questionText(story.intent.question)
        if (question === undefined) continue
        for (const problem of problemsOfTurn(run, messages.get(run.id) ?? [], question, keptText(run))) {
          yield `${run.id} of ${story?.intent.id} (${run.status}) ${problem}`
        }
      }
    },
  },
  {
    name: 'a file that a turn wrote exists once, with its bytes',
    *broken({ findings, stories }) {
      const files = Map.groupBy(findings.rows.files, ({ name }) => name)
      for (const story of stories) {
        const { intent, runs } = story
        const isTwice = runs.length > 1 && mayRunTwice(findings, story)
        for (const wanted of isTwice ? [] : filesOf(intent.question)) {
          for (const problem of problemsOfFile(wanted, files.get(wanted.name) ?? [], runs[0])) {
            yield `${wanted.name} ${problem}`
          }
        }
        for (const { name } of filesOf(intent.question)) files.delete(name)
      }
      for (const name of files.keys()) yield `nobody wanted ${name}`
    },
  },
]

function* problemsOfTurn(
  { status }: RunRow,
  [question, answer, ...rest]: readonly MessageRow[],
  asked: string,
  expected: string,
): Generator<string> {
  if (question?.role !== 'user' || question.text !== asked) yield 'begins with another question'
  if (rest.length > 0) yield `has ${rest.length + 2} messages`
  if (status === 'failed' && answer) yield 'has an answer'
  if (status === 'completed' && answer?.text !== expected) yield 'has another answer'
  if (status === 'cancelled' && answer && !expected.startsWith(answer.text)) {
    yield 'has the beginning of another answer'
  }
}

function* problemsOfFile(
  { content }: WrittenFile,
  [file, ...others]: readonly FileRow[],
  run: RunRow | undefined,
): Generator<string> {
  if (!file) {
    if (run?.status === 'completed') yield 'is missing'
    return
  }
  const same = others.length + 1
  if (same > 1 || file.versions !== 1) yield `exists ${same} times, in ${file.versions} versions`
  if (file.sha256 !== sha256(content)) yield 'has other bytes'
  if (file.runId !== run?.id) yield `belongs to ${file.runId}`
}
