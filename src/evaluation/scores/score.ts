import { isSamePassage, type RangesByRef } from '../questions/library-refs.ts'
import { expectedRefs, type Question } from '../questions/question.ts'
import type { AnswerEnd, KeptAnswer } from '../turns/kept-answer.ts'
import { statesRefusal } from './refusals.ts'

const quoteResults = ['verbatim', 'edited', 'fuzzy', 'translation', 'misattributed', 'not_found'] as const

/** Quotations of an answer by the result of their verification. */
export type QuoteCounts = Readonly<Record<(typeof quoteResults)[number], number>>

export const quoteCounts = (count: (result: keyof QuoteCounts) => number): QuoteCounts =>
  Object.fromEntries(quoteResults.map((result) => [result, count(result)])) as QuoteCounts

/**
 * - `answered`, `refused`: the turn ended with text;
 * - `failed`: the turn had no answer for a technical reason;
 * - `not_applicable`: the library lacks what the question is about, so it was not asked;
 * - `not_asked`: the evaluation was stopped before.
 */
export type ScoreOutcome = 'answered' | 'refused' | 'failed' | 'not_applicable' | 'not_asked'

/**
 * `right`, `partly`, `wrong`: compared with what the question expects. `open`: it expects nothing that can be
 * compared. Null: there is no answer.
 */
export type Verdict = 'right' | 'partly' | 'wrong' | 'open' | null

export type Score = {
  readonly outcome: ScoreOutcome
  readonly verdict: Verdict
  readonly expected: readonly { readonly ref: string; readonly found: boolean }[]
  /** Share of the expected sources that the answer cites; the refs of `any` count as one. Null: none is expected. */
  readonly recall: number | null
  readonly forbidden_cited: readonly string[]
  readonly quotations: QuoteCounts
  /** Refs of the answer that the library does not have and the question does not name. */
  readonly unresolved_refs: readonly string[]
  /** Number of marks without a source that were removed from the answer. */
  readonly removed_marks: number
}

export type ScoringFacts = {
  /** Where the library has the expected, forbidden and cited refs. */
  readonly ranges: RangesByRef
  /** Refs that the question itself names and the library does not have. */
  readonly namedByQuestion: ReadonlySet<string>
}

/** The score of a question without an answer. */
export function emptyScore(
  question: Question,
  outcome: Exclude<ScoreOutcome, 'answered' | 'refused'>,
): Score {
  const isFailure = outcome === 'failed'
  const expected = expectedRefs(question).map((ref) => ({ ref, found: false }))
  return {
    outcome,
    verdict: null,
    expected,
    recall: isFailure && expected.length > 0 ? 0 : null,
    forbidden_cited: [],
    quotations: quoteCounts(() => 0),
    unresolved_refs: [],
    removed_marks: 0,
  }
}

/** Compares an answer with what its question expects. */
export function scoreAnswer(question: Question, answer: KeptAnswer, facts: ScoringFacts): Score {
  const { end } = answer
  if (answer.error !== null || !end) return emptyScore(question, 'failed')
  const cites = (ref: string) => end.sources.some((source) => isSamePassage(source.ref, ref, facts.ranges))
  const expected = expectedRefs(question).map((ref) => ({ ref, found: cites(ref) }))
  const found = new Set(expected.filter((entry) => entry.found).map(({ ref }) => ref))
  const recall = recallOf(question, found)
  const forbidden = question.forbidden.filter(cites)
  // An answer that says what it lacks and then cites the right source has answered.
  const refused = found.size === 0 && statesRefusal(end.text, end.citations)
  return {
    outcome: refused ? 'refused' : 'answered',
    verdict: verdictOf(question, { refused, recall, forbidden: forbidden.length }),
    expected,
    recall,
    forbidden_cited: forbidden,
    quotations: countQuotes(end),
    unresolved_refs: end.unknown_refs.map(({ ref }) => ref).filter((ref) => !facts.namedByQuestion.has(ref)),
    removed_marks: end.unknown_marks,
  }
}

function recallOf({ expected: { any, all } }: Question, found: ReadonlySet<string>): number | null {
  const groups = [...(any.length > 0 ? [any] : []), ...all.map((ref) => [ref])]
  if (groups.length === 0) return null
  return groups.filter((group) => group.some((ref) => found.has(ref))).length / groups.length
}

function verdictOf(
  question: Question,
  answer: { readonly refused: boolean; readonly recall: number | null; readonly forbidden: number },
): Verdict {
  if (answer.forbidden > 0) return 'wrong'
  if (question.mustRefuse) return answer.refused ? 'right' : 'wrong'
  if (answer.recall !== null) return answer.recall === 1 ? 'right' : answer.recall > 0 ? 'partly' : 'wrong'
  return question.forbidden.length > 0 ? 'right' : 'open'
}

function countQuotes({ sources, quotations = [] }: AnswerEnd): QuoteCounts {
  const results = [...sources.flatMap(({ verification }) => verification), ...quotations].map(
    ({ result }) => result,
  )
  return quoteCounts((wanted) => results.filter((result) => result === wanted).length)
}
