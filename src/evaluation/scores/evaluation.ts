import type { EvaluationFacts } from '../turns/evaluation-folder.ts'
import type { ScoredQuestion } from './scored-question.ts'
import type { Totals } from './totals.ts'

/** The report of an evaluation, as `report.json` has it. */
export type Evaluation = {
  readonly object: 'evaluation'
  readonly id: string
  readonly file: string
  readonly model: string
  /** See `EvaluationFacts`. */
  readonly prompt?: string | undefined
  readonly account: string
  readonly started_at: string
  readonly ended_at: string
  /** Passages of the library at the end. */
  readonly passages: number
  readonly totals: Totals
  /** Totals of the questions of each language. */
  readonly by_language: Readonly<Record<string, Totals>>
  readonly questions: readonly ScoredQuestion[]
}

/** The facts of an evaluation that its report repeats. */
export type ReportedFacts = Pick<
  EvaluationFacts,
  'id' | 'file' | 'model' | 'prompt' | 'account' | 'started_at'
>
