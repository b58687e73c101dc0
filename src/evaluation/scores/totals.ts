import { type QuoteCounts, quoteCounts } from './score.ts'
import type { ScoredQuestion } from './scored-question.ts'

/** A share of questions or sources. `share` is null if `of` is 0. */
export type Share = { readonly count: number; readonly of: number; readonly share: number | null }

export type Totals = {
  readonly questions: number
  readonly asked: number
  readonly answered: number
  readonly refused: number
  readonly failed: number
  /** Not asked, because the library lacks what the question is about. */
  readonly not_applicable: number
  readonly not_asked: number
  readonly right: number
  readonly partly: number
  readonly wrong: number
  /** Questions with expected sources of which the answer cites all. */
  readonly found: Share
  /** Mean recall of the questions with expected sources; null without such a question. */
  readonly recall: number | null
  /** Questions that must be refused, and were. */
  readonly rightly_refused: Share
  /** Questions with expected sources that were refused. */
  readonly wrongly_refused: Share
  /** Answers that cite a forbidden ref. */
  readonly forbidden_cited: number
  readonly quotations: QuoteCounts & { readonly total: number }
  /** Word for word, edited or close, of all quotations. */
  readonly verified: Share
  /** Refs in answers that the library does not have. */
  readonly unresolved_refs: number
  readonly removed_marks: number
  readonly cost_micros: string
  readonly p50_ms: number | null
  readonly p95_ms: number | null
}

/** Adds up the scores of some questions. */
export function totalsOf(questions: readonly ScoredQuestion[]): Totals {
  const outcome = (wanted: string) => questions.filter((question) => question.outcome === wanted).length
  const verdict = (wanted: string) => questions.filter((question) => question.verdict === wanted).length
  const expecting = questions.filter(({ recall }) => recall !== null)
  const refusing = questions.filter((question) => question.must_refuse && hasTurn(question))
  const times = questions.flatMap(({ took_ms: took, outcome: o }) =>
    took !== null && o !== 'failed' ? [took] : [],
  )
  const quotations = addQuotes(questions)
  return {
    questions: questions.length,
    asked: questions.filter(hasTurn).length,
    answered: outcome('answered'),
    refused: outcome('refused'),
    failed: outcome('failed'),
    not_applicable: outcome('not_applicable'),
    not_asked: outcome('not_asked'),
    right: verdict('right'),
    partly: verdict('partly'),
    wrong: verdict('wrong'),
    found: shareOf(expecting.filter(({ recall }) => recall === 1).length, expecting.length),
    recall: mean(expecting.map(({ recall }) => recall ?? 0)),
    rightly_refused: shareOf(
      refusing.filter((question) => question.outcome === 'refused').length,
      refusing.length,
    ),
    wrongly_refused: shareOf(
      expecting.filter((question) => question.outcome === 'refused').length,
      expecting.length,
    ),
    forbidden_cited: questions.filter((question) => question.forbidden_cited.length > 0).length,
    quotations,
    verified: shareOf(quotations.verbatim + quotations.edited + quotations.fuzzy, quotations.total),
    unresolved_refs: sum(questions.map((question) => question.unresolved_refs.length)),
    removed_marks: sum(questions.map((question) => question.removed_marks)),
    cost_micros: questions.reduce((micros, question) => micros + BigInt(question.cost_micros), 0n).toString(),
    p50_ms: percentile(times, 0.5),
    p95_ms: percentile(times, 0.95),
  }
}

/** Whether a turn was started for the question. */
export function hasTurn({ outcome }: Pick<ScoredQuestion, 'outcome'>): boolean {
  return outcome === 'answered' || outcome === 'refused' || outcome === 'failed'
}

/** Totals of the questions of each language, by its code. */
export function totalsByLanguage(questions: readonly ScoredQuestion[]): Readonly<Record<string, Totals>> {
  const groups = [...Map.groupBy(questions, ({ language }) => language)].sort(([a], [b]) =>
    a.localeCompare(b),
  )
  return Object.fromEntries(groups.map(([language, some]) => [language, totalsOf(some)]))
}

function addQuotes(questions: readonly ScoredQuestion[]): Totals['quotations'] {
  const counts = quoteCounts((name) => sum(questions.map(({ quotations }) => quotations[name])))
  return { ...counts, total: sum(Object.values(counts)) }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)

const mean = (numbers: readonly number[]): number | null =>
  numbers.length === 0 ? null : sum(numbers) / numbers.length

function shareOf(count: number, of: number): Share {
  return { count, of, share: of === 0 ? null : count / of }
}

/** The smallest value that at least this share of the values does not exceed. */
function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null
}
