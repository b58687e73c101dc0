import { z } from 'zod'
import { messageOf, ServiceError } from '../../errors.ts'
import type { Evaluation } from './evaluation.ts'
import type { ScoredQuestion } from './scored-question.ts'
import { hasTurn, type Totals, totalsOf } from './totals.ts'

export type Change = 'better' | 'worse' | 'same'

/** A question of both evaluations. */
export type ComparedQuestion = {
  readonly id: string
  readonly change: Change
  /** What differs, in words. Empty if nothing that is scored differs. */
  readonly why: readonly string[]
  readonly a: ScoredQuestion
  readonly b: ScoredQuestion
}

type Side = Pick<Evaluation, 'id' | 'file' | 'model' | 'prompt' | 'started_at' | 'passages'> & {
  /** Totals of the compared questions. */
  readonly totals: Totals
}

/** Two evaluations, compared on the questions that both have asked. */
export type Comparison = {
  readonly object: 'evaluation.comparison'
  readonly a: Side
  readonly b: Side
  readonly better: number
  readonly worse: number
  readonly same: number
  /** Ids of questions that only one of them has asked. */
  readonly only_a: readonly string[]
  readonly only_b: readonly string[]
  readonly questions: readonly ComparedQuestion[]
}

/** Compares two evaluations question by question. */
export function compareEvaluations(a: Evaluation, b: Evaluation): Comparison {
  const ofB = new Map(b.questions.filter(hasTurn).map((question) => [question.id, question]))
  const ofA = new Map(a.questions.filter(hasTurn).map((question) => [question.id, question]))
  const questions = [...ofA.values()].flatMap((first) => {
    const second = ofB.get(first.id)
    return second ? [compareQuestion(first, second)] : []
  })
  const count = (wanted: Change) => questions.filter(({ change }) => change === wanted).length
  return {
    object: 'evaluation.comparison',
    a: sideOf(a, questions, 'a'),
    b: sideOf(b, questions, 'b'),
    better: count('better'),
    worse: count('worse'),
    same: count('same'),
    only_a: [...ofA.keys()].filter((id) => !ofB.has(id)),
    only_b: [...ofB.keys()].filter((id) => !ofA.has(id)),
    questions,
  }
}

function sideOf(
  { id, file, model, prompt, started_at, passages }: Evaluation,
  compared: readonly ComparedQuestion[],
  side: 'a' | 'b',
): Side {
  const totals = totalsOf(compared.map((question) => question[side]))
  return { id, file, model, prompt, started_at, passages, totals }
}

type Measure = { readonly label: string; readonly of: (question: ScoredQuestion) => number | string }

const verdicts = { right: 3, open: 3, partly: 2, wrong: 1 } as const

/** What decides which of two answers is better, the most important first. More is better. */
const measures: readonly (Measure & { readonly worth: (question: ScoredQuestion) => number })[] = [
  { label: 'outcome', of: ({ outcome }) => outcome, worth: ({ outcome }) => (outcome === 'failed' ? 0 : 1) },
  {
    label: 'verdict',
    of: ({ verdict }) => verdict ?? 'none',
    worth: ({ verdict }) => (verdict === null ? 0 : verdicts[verdict]),
  },
  { label: 'recall', of: ({ recall }) => (recall ?? 0).toFixed(2), worth: ({ recall }) => recall ?? 0 },
  fewer('forbidden sources cited', (question) => question.forbidden_cited.length),
  fewer('quotations not found', ({ quotations }) => quotations.not_found),
  fewer('quotations in another passage', ({ quotations }) => quotations.misattributed),
  fewer('refs that do not resolve', (question) => question.unresolved_refs.length),
]

function fewer(label: string, of: (question: ScoredQuestion) => number) {
  return { label, of, worth: (question: ScoredQuestion) => -of(question) }
}

function compareQuestion(a: ScoredQuestion, b: ScoredQuestion): ComparedQuestion {
  const differing = measures.filter((measure) => measure.worth(a) !== measure.worth(b))
  const [first] = differing
  const change = first === undefined ? 'same' : first.worth(b) > first.worth(a) ? 'better' : 'worse'
  const why = differing.map(({ label, of }) => `${label}: ${of(a)} → ${of(b)}`)
  return { id: a.id, change, why, a, b }
}

/** The members of a report that a comparison computes with; texts are only shown, and escaped. */
const shape = z.looseObject({
  object: z.literal('evaluation'),
  model: z.string(),
  prompt: z.string().optional(),
  file: z.string(),
  started_at: z.string(),
  passages: z.number(),
  questions: z.array(
    z.looseObject({
      id: z.string(),
      outcome: z.enum(['answered', 'refused', 'failed', 'not_applicable', 'not_asked']),
      verdict: z.enum(['right', 'partly', 'wrong', 'open']).nullable(),
      recall: z.number().nullable(),
      expected: z.array(z.looseObject({ ref: z.string(), found: z.boolean() })),
      forbidden_cited: z.array(z.string()),
      quotations: z.record(z.string(), z.number()),
      unresolved_refs: z.array(z.string()),
      cost_micros: z.string().regex(/^\d+$/),
      took_ms: z.number().nullable(),
    }),
  ),
})

/**
 * Reads a report.
 * @throws ServiceError `invalid_value` if the text is not the report of an evaluation.
 */
export function readEvaluation(text: string, file: string): Evaluation {
  try {
    return shape.parse(JSON.parse(text)) as unknown as Evaluation
  } catch (error) {
    const reason = error instanceof z.ZodError ? 'it has other fields' : messageOf(error)
    throw new ServiceError(
      'invalid_value',
      `${file} is not the report of an evaluation (${reason}). Name the report.json or the folder that \`eval\` wrote.`,
    )
  }
}
