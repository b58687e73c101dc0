import type { PassageRow } from '../library/passage-row.ts'
import { isReferenceWork } from '../vocabulary/titles/reference-works.ts'
import type { Query } from './expansion/query.ts'
import { addNamedPassages, type NamedPassages } from './named/named-passages.ts'
import { boostNamedWorks, type NamedWorks } from './named/named-works.ts'
import type { AskedWords } from './phrases/asked-words.ts'
import { phrasesFirst } from './phrases/phrase-search.ts'
import { entriesTogether } from './relevance/entries-together.ts'
import { collapse, type FusedHit, fuse, type RankedList } from './scoring/fusion.ts'
import type { FoundConcept } from './scoring/index-reader.ts'
import { fuseSemantic } from './semantic/fuse-rankings.ts'

/** What the rules of the ranking read besides the hits. */
export type RankingFacts = {
  /** The rankings of both scripts, by words. */
  readonly lists: readonly RankedList[]
  /** Documents nearest in meaning, nearest first; none without a semantic search. */
  readonly nearest: readonly number[]
  readonly rows: ReadonlyMap<number, PassageRow>
  readonly isRelevant: (row: PassageRow) => boolean
  /** The works that the question names as its source. */
  readonly source: NamedWorks | undefined
  readonly query: Query
  readonly concepts: readonly FoundConcept[]
  readonly wordsIn: AskedWords
  readonly named: NamedPassages
}

type RankingRule = {
  readonly name: string
  /** What it does, for the explanation of a search. */
  readonly does: string
  apply(hits: readonly FusedHit[], facts: RankingFacts): readonly FusedHit[]
}

/**
 * The rules of the ranking, in the order in which they apply. Each reads and sets signals of the hits and sorts them,
 * best first. Nothing else orders hits.
 */
export const rankingRules = [
  {
    name: 'words',
    does: 'Sorts by the fit of the words: bm25 + order + title + section, of the better language, + languages.',
    apply: (_, { lists, rows }) => fuse(lists, rows),
  },
  {
    name: 'meaning',
    does: 'Adds passages near in meaning: little if the words found something relevant, otherwise much.',
    apply: (hits, { nearest, rows, isRelevant }) => fuseSemantic(hits, nearest, rows, isRelevant),
  },
  {
    name: 'source',
    does: 'Doubles the fit in works that the question names as its source.',
    apply: (hits, { source }) => (source ? boostNamedWorks(hits, source) : hits),
  },
  {
    name: 'reference',
    does: 'Lowers articles that the question does not name by 2.5 %, because a text is better to quote.',
    apply: (hits) => sourcesFirst(hits),
  },
  {
    name: 'phrase',
    does: 'Puts passages with a quoted phrase, the whole query or a long run of it first.',
    apply: (hits, { query, rows, wordsIn }) => phrasesFirst(hits, query, rows, wordsIn),
  },
  {
    name: 'entries',
    does: 'Puts the articles that a question compares behind each other, and first if it names nothing else.',
    apply: (hits, { concepts, query }) => entriesTogether(hits, concepts, query),
  },
  {
    name: 'named',
    does: 'Puts passages at a ref of the query first. A query that is only a ref has no others.',
    apply: (hits, { named }) => addNamedPassages(named, hits),
  },
  {
    name: 'neighbours',
    does: 'Leaves out passages next to a better one in the same section.',
    apply: (hits) => collapse(hits),
  },
] as const satisfies readonly RankingRule[]

export type RuleName = (typeof rankingRules)[number]['name']

/** A rule that moved a hit: the rank from 1 and the score that it gave. */
export type RuleStep = { readonly rule: RuleName; readonly rank: number; readonly score: number }

/** The ranking after all rules, and before passages of a section were reduced to the best. */
export type Ranking = {
  readonly hits: readonly FusedHit[]
  readonly before: readonly FusedHit[]
  /** The rules that changed the rank or the score of a ref, in order. */
  readonly stepsOf: (ref: string) => readonly RuleStep[]
}

/** Applies the rules. */
export function rankByRules(facts: RankingFacts): Ranking {
  let hits: readonly FusedHit[] = []
  let before = hits
  const states: { readonly rule: RuleName; readonly hits: readonly FusedHit[] }[] = []
  for (const { name, apply } of rankingRules as readonly (RankingRule & { readonly name: RuleName })[]) {
    if (name === 'named') before = hits
    hits = apply(hits, facts)
    states.push({ rule: name, hits })
  }
  return { hits, before, stepsOf: (ref) => stepsIn(states, ref) }
}

function stepsIn(
  states: readonly { readonly rule: RuleName; readonly hits: readonly FusedHit[] }[],
  ref: string,
): readonly RuleStep[] {
  const steps: RuleStep[] = []
  for (const { rule, hits } of states) {
    const at = hits.findIndex(({ row }) => row.ref === ref)
    const score = hits[at]?.score
    const last = steps.at(-1)
    if (score === undefined || (last?.rank === at + 1 && last.score === score)) continue
    steps.push({ rule, rank: at + 1, score })
  }
  return steps
}

/**
 * Factor for articles of reference works whose title the question does not name, because a text is better to quote. With
 * 0.985 for all articles, fewer English questions on the Tanya and fewer long ones found their passage first.
 */
const referenceWorth = 0.975

/** Lowers the scores of these articles and sorts, best first. */
function sourcesFirst(ranked: readonly FusedHit[]): readonly FusedHit[] {
  return ranked
    .map((hit) =>
      isReferenceWork(hit.row.work) && !hit.signals.titled
        ? {
            ...hit,
            score: hit.score * referenceWorth,
            signals: { ...hit.signals, reference: true as const },
          }
        : hit,
    )
    .sort((a, b) => b.score - a.score)
}
