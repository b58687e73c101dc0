import type { Executor } from '../../../db/client.ts'
import type { DocumentRanges } from '../../index/document-ranges.ts'
import { blockSize, blocksIn } from '../../index/postings.ts'
import type { Script } from '../../text/tokens.ts'
import { type CollectionStats, rankByBm25, type ScoredDocument } from '../scoring/bm25.ts'
import { type FoundConcept, loadPostings } from '../scoring/index-reader.ts'
import { type WeightedConcept, weightConcepts } from './rerank.ts'

/** Size of the library in each script. */
export type StatsByScript = Readonly<Record<Script, CollectionStats>>

/** The candidates of one script before reranking. */
export type Candidates = {
  readonly script: Script
  /** Ranked by BM25 over the words whose postings were read, best first. */
  readonly ranked: readonly ScoredDocument[]
  /** The concepts of the query in this script that the library has. */
  readonly concepts: readonly WeightedConcept[]
}

/**
 * Minimum number of candidates per script for reranking. It is higher when frequent words still have to be counted in
 * them.
 */
const minCandidates = 40
const maxCandidates = 100

/**
 * Maximum number of postings per search. The rarest words are read first; the other words only rerank what these
 * found.
 */
const postingBudget = 250_000

/**
 * Finds the best documents of each script for the words of a query.
 * @param found concepts that the library has.
 * @param scripts order of the returned lists.
 * @param wanted minimum number of places that the caller shows.
 */
export async function findCandidates(
  executor: Executor,
  found: readonly FoundConcept[],
  scripts: readonly Script[],
  facts: StatsByScript,
  ranges: DocumentRanges | undefined,
  wanted: number,
): Promise<readonly Candidates[]> {
  const blocks = ranges && blocksIn(ranges)
  const chosen = withinBudget(found, blocks ? blockShare(blocks.length, facts) : 1)
  const postings = await loadPostings(executor, chosen, blocks)
  const read = new Set(chosen)
  const top = Math.max(chosen.length < found.length ? maxCandidates : minCandidates, wanted * 3)
  return scripts.map((script) => {
    const mine = postings.filter((_, i) => chosen[i]?.concept.script === script)
    const concepts = found.filter((c) => c.concept.script === script)
    return {
      script,
      ranked: rankByBm25(mine, facts[script], top, ranges),
      concepts: weightConcepts(concepts, read, facts[script]),
    }
  })
}

/** Adds documents found by other methods to the first list. Their words are counted when they are reranked. */
export function withDocuments(lists: readonly Candidates[], docs: readonly number[]): readonly Candidates[] {
  const known = new Set(lists.flatMap(({ ranked }) => ranked.map(({ doc }) => doc)))
  const added = docs.filter((doc) => !known.has(doc)).map((doc) => ({ doc, score: 0 }))
  return lists.map((list, i) => (i === 0 ? { ...list, ranked: [...list.ranked, ...added] } : list))
}

/** The fraction of the index in these blocks. */
function blockShare(blocks: number, facts: StatsByScript): number {
  return Math.min(1, (blocks * blockSize) / Math.max(1, facts.he.documents + facts.en.documents))
}

/**
 * The concepts whose postings are read: the rarest first, within the budget, and always the rarest of each script.
 * @param share the fraction of the index that will be read.
 */
function withinBudget(found: readonly FoundConcept[], share: number): readonly FoundConcept[] {
  let sum = 0
  const begun = new Set<Script>()
  return found
    .toSorted((a, b) => a.documents - b.documents)
    .filter(({ concept, postings }) => {
      sum += postings * share
      const first = !begun.has(concept.script)
      begun.add(concept.script)
      return first || sum <= postingBudget
    })
}
