import type { RunEnd } from '../../turns/run/run-events.ts'

/** The end of a question's turn, as the folder of an evaluation keeps it. */
export type KeptAnswer = {
  readonly id: string
  /** Number of attempts at the question, this one included. Resuming retries a failed question. */
  readonly attempt: number
  readonly run_id: string | null
  readonly status: 'completed' | 'failed' | 'cancelled'
  /** Why the question failed technically; null for a completed turn. */
  readonly error: { readonly code: string; readonly message: string } | null
  /** Milliseconds from the start of the run to its end, its time in the queue included. */
  readonly took_ms: number
  /** The ledger's amount as decimal text. */
  readonly cost_micros: string
  readonly end: AnswerEnd | null
}

/** The part of a run's end that scores and reports need. */
export type AnswerEnd = Pick<
  RunEnd,
  'text' | 'sources' | 'citations' | 'quotations' | 'unknown_marks' | 'unknown_refs'
>
