import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { verifyText } from '../../sources/citations/verify.ts'
import { verifyLookups } from '../../sources/citations/verify-lookups.ts'
import { findRanges } from '../questions/library-refs.ts'
import { expectedRefs, type Question } from '../questions/question.ts'
import type { KeptAnswer } from '../turns/kept-answer.ts'
import type { Evaluation, ReportedFacts } from './evaluation.ts'
import { emptyScore, type Score, scoreAnswer } from './score.ts'
import type { ScoredQuestion } from './scored-question.ts'
import { totalsByLanguage, totalsOf } from './totals.ts'

/**
 * Scores all questions against the library as it is now, and adds them up.
 * @param missing what the library lacks, by question id, for the questions that were not asked.
 */
export async function scoreAll(
  executor: Executor,
  facts: ReportedFacts,
  questions: readonly Question[],
  answers: ReadonlyMap<string, KeptAnswer>,
  missing: ReadonlyMap<string, readonly string[]>,
): Promise<Evaluation> {
  const cited = [...answers.values()].flatMap(({ end }) => end?.sources.map(({ ref }) => ref) ?? [])
  const named = questions.flatMap((question) => [...expectedRefs(question), ...question.forbidden])
  const ranges = await findRanges(executor, [...cited, ...named])
  const scored: ScoredQuestion[] = []
  for (const question of questions) {
    const answer = answers.get(question.id)
    const lacking = missing.get(question.id) ?? []
    const score = answer
      ? scoreAnswer(question, answer, {
          ranges,
          namedByQuestion: await missingNamed(executor, question, answer),
        })
      : emptyScore(question, lacking.length > 0 ? 'not_applicable' : 'not_asked')
    scored.push(withAnswer(question, score, answer, lacking))
  }
  return {
    object: 'evaluation',
    ...facts,
    ended_at: new Date().toISOString(),
    passages: await countPassages(executor),
    totals: totalsOf(scored),
    by_language: totalsByLanguage(scored),
    questions: scored,
  }
}

function withAnswer(
  { id, line, question, language, forbidden, note, mustRefuse }: Question,
  score: Score,
  answer: KeptAnswer | undefined,
  missing: readonly string[],
): ScoredQuestion {
  return {
    ...{ id, line, question, language, note, must_refuse: mustRefuse, forbidden },
    ...score,
    missing: score.outcome === 'not_applicable' ? missing : [],
    run_id: answer?.run_id ?? null,
    error: answer?.error ?? null,
    took_ms: answer?.took_ms ?? null,
    cost_micros: answer?.cost_micros ?? '0',
    answer: answer?.end ?? null,
  }
}

/** Refs of the question that the library lacks: an answer that refuses must be able to name them. */
async function missingNamed(
  executor: Executor,
  { question }: Question,
  { end }: KeptAnswer,
): Promise<ReadonlySet<string>> {
  if (!end || end.unknown_refs.length === 0) return new Set()
  const { refs } = await verifyText(question, verifyLookups(executor))
  return new Set(refs.flatMap(({ ref, exists }) => (exists ? [] : [ref])))
}

async function countPassages(executor: Executor): Promise<number> {
  const found = await executor.execute<{ count: number }>(sql`select count(*)::int as count from passages`)
  return found.rows[0]?.count ?? 0
}
