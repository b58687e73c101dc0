import type { Question } from '../questions/question.ts'
import type { AnswerEnd, KeptAnswer } from '../turns/kept-answer.ts'
import type { Score } from './score.ts'

/** A question with its answer and score. */
export type ScoredQuestion = Score &
  Pick<Question, 'id' | 'line' | 'question' | 'language' | 'forbidden' | 'note'> & {
    readonly must_refuse: boolean
    /** What the library lacks, if the question is not applicable. */
    readonly missing: readonly string[]
    readonly run_id: string | null
    readonly error: KeptAnswer['error']
    readonly took_ms: number | null
    readonly cost_micros: string
    readonly answer: AnswerEnd | null
  }
