import type { Executor } from '../../../db/client.ts'
import type { DocumentRanges } from '../../index/document-ranges.ts'
import { blockSize, blocksIn } from '../../index/postings.ts'
import type { Script } from '../../text/tokens.ts'
import { type CollectionFacts, rankByBm25, type Scored } from '../scoring/bm25.ts'
import { type FoundConcept, loadPostings } from '../scoring/index-reader.ts'
import { type Weighed, weigh } from './rerank.ts'

/** Size of the library in each script. */
export type Facts = Readonly<Record<Script, CollectionFacts>>

/** What one script offers before it is looked at closely. */
export type Candidates = {
  readonly script: Script
  /** Best first, by BM25 over the words whose postings were read. */
  readonly ranked: readonly Scored[]
  /** The concepts of the query in this script that the library has. */
  readonly concepts: readonly Weighed[]
}

/** Candidates of each script that are looked at closely: more when common words have still to be counted in them. */
const minCandidates = 40
const maxCandidates = 100

/** Postings that a search reads at most: the rarest words first; the others only weigh what those found. */
const postingBudget = 250_000

/**
 * The documents of each script that fit the words of a query best.
 * @param found concepts that the library has.
 * @param scripts in the order of the lists that are returned.
 * @param wanted places that the caller will show, at least.
 */
export async function findCandidates(
  executor: Executor,
  found: readonly FoundConcept[],
  scripts: readonly Script[],
  facts: Facts,
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
      concepts: weigh(concepts, read, facts[script]),
    }
  })
}

/** Adds documents to the first list that were found otherwise; what they have of the words is still to be counted. */
export function withDocuments(lists: readonly Candidates[], docs: readonly number[]): readonly Candidates[] {
  const known = new Set(lists.flatMap(({ ranked }) => ranked.map(({ doc }) => doc)))
  const added = docs.filter((doc) => !known.has(doc)).map((doc) => ({ doc, score: 0 }))
  return lists.map((list, i) => (i === 0 ? { ...list, ranked: [...list.ranked, ...added] } : list))
}

/** The part of the index that some of its blocks are. */
function blockShare(blocks: number, facts: Facts): number {
  return Math.min(1, (blocks * blockSize) / Math.max(1, facts.he.documents + facts.en.documents))
}

/**
 * The concepts to read postings of: the rarest first, as far as the budget goes, and the rarest of each script in any
 * case.
 * @param share the part of the index that will be read.
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
