import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { blockSize } from '../index/postings.ts'
import { readPostingLists } from '../index/stored-postings.ts'
import { isStopWord, tokenize } from '../text/tokens.ts'
import type { Stretch } from './comparison/stretch.ts'
import { neighboursOf } from './library-stretches.ts'

/** Maximum number of stretches that are compared with one quotation. */
const maxCandidates = 16
/** Maximum number of terms of a quotation that are looked up. More terms do not improve the result. */
const maxTerms = 60
/** Maximum number of terms whose documents are read, rarest first. One bit of a 32-bit set stands for each. */
const maxRead = 24
/** Maximum number of postings per look-up. The rarest term is read even if it has more. */
const maxPostings = 60_000

type RareTerm = { readonly term: string; readonly documents: number }

/**
 * Finds stretches of the library that may contain a wording, exactly or closely. It ranks pairs of neighbouring
 * passages by their rare terms, each weighed by its rarity, because a wording may cross the border of two passages.
 * @returns at most 16 stretches of three passages, best first.
 */
export async function candidateStretches(executor: Executor, words: string): Promise<readonly Stretch[]> {
  const rare = await rareTerms(executor, termsOf(words))
  if (rare.length === 0) return []
  const masks = await documentsWith(executor, rare)
  const weights = rare.map(({ documents }) => 1 / Math.log2(2 + documents))
  const docs = rankWindows(masks, weights)
  return neighboursOf(executor, docs)
}

/** Takes words from the beginning, the middle and the end of a long quotation. */
function termsOf(words: string): readonly string[] {
  const contentWords = tokenize(words.slice(0, 20_000)).filter((token) => !isStopWord(token))
  const terms = [...new Set(contentWords.map(({ term }) => term))]
  const step = Math.max(1, Math.floor(terms.length / maxTerms))
  return terms.filter((_, i) => i % step === 0).slice(0, maxTerms)
}

async function rareTerms(executor: Executor, terms: readonly string[]): Promise<readonly RareTerm[]> {
  if (terms.length === 0) return []
  const found = await executor.execute<RareTerm>(sql`
    select term, sum(documents)::int as documents from search_postings
    where term = any(${sql.param(terms)}::text[]) group by term order by documents, term limit ${maxRead}`)
  let sum = 0
  return found.rows.filter(({ documents }, i) => {
    sum += documents
    return i === 0 || sum <= maxPostings
  })
}

/** Returns for each document the set of these terms that it contains, as a bit mask. */
async function documentsWith(
  executor: Executor,
  rare: readonly RareTerm[],
): Promise<ReadonlyMap<number, number>> {
  const numbers = new Map(rare.map(({ term }, i) => [term, i]))
  const byTerm = await readPostingLists(executor, [...numbers.keys()])
  const masks = new Map<number, number>()
  for (const [term, lists] of byTerm) {
    const bit = 1 << (numbers.get(term) ?? 0)
    for (const { block, postings } of lists)
      for (const posting of postings) {
        const doc = block * blockSize + (posting & 0xffff)
        masks.set(doc, (masks.get(doc) ?? 0) | bit)
      }
  }
  return masks
}

/** Ranks windows of two neighbouring documents and returns their documents, best first. */
function rankWindows(masks: ReadonlyMap<number, number>, weights: readonly number[]): readonly number[] {
  const scored = [...masks].map(([doc, mask]) => {
    const beside = Math.max(weigh((masks.get(doc - 1) ?? 0) | mask), weigh((masks.get(doc + 1) ?? 0) | mask))
    return { doc, score: beside + weigh(mask) / 2 }
  })
  const best = scored.toSorted((a, b) => b.score - a.score || a.doc - b.doc)
  return best.slice(0, maxCandidates).map(({ doc }) => doc)

  function weigh(mask: number): number {
    let sum = 0
    for (let i = 0; i < weights.length; i += 1) if (mask & (1 << i)) sum += weights[i] ?? 0
    return sum
  }
}
