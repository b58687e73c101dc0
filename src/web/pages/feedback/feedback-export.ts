import type { FeedbackEntry } from '../../../turns/sessions/feedback.ts'

/** Limits of a question in the file that the command `eval` reads. */
const maxQuestion = 10_000
const maxNote = 2_000

/** A line of the file that `eval` reads. */
export type QuestionLine = {
  readonly id: string
  readonly question: string
  readonly expected?: readonly string[]
  readonly note: string
}

/**
 * The question of a feedback entry for `eval`. The refs of a good answer are those that one expects; of a bad answer
 * nothing is expected, and somebody has to add it. Undefined without a question.
 */
export function questionLine({
  runId,
  question,
  refs,
  rating,
  note,
}: FeedbackEntry): QuestionLine | undefined {
  const asked = question.trim().toWellFormed().replaceAll('\0', '').slice(0, maxQuestion)
  if (asked === '') return undefined
  const judged = rating === 'up' ? 'good answer' : 'bad answer'
  return {
    id: runId,
    question: asked,
    ...(rating === 'up' && refs.length > 0 && { expected: refs.slice(0, 100) }),
    note: (note === '' ? judged : `${judged}: ${note}`).slice(0, maxNote),
  }
}
