import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { blockSize, readPostings } from '../index/postings.ts'
import { isFunctionWord, tokenize } from '../text/tokens.ts'
import type { Stretch } from './comparison/stretch.ts'
import { neighboursOf } from './library-stretches.ts'

/** Stretches that are compared with a quotation. */
const maxCandidates = 16
/** Terms of a quotation that are looked up: more tell nothing new. */
const maxTerms = 60
/** The rarest of them, whose documents are read; as many as a bit set holds. */
const maxRead = 24
/** Postings that one look-up reads at most; the rarest term is read in any case. */
const maxPostings = 60_000

type RareTerm = { readonly term: string; readonly documents: number }

/**
 * The stretches of the library that may hold a wording, exactly or closely: those that have most of its rare terms,
 * each term weighed by its rarity. Two neighbouring passages count together, since a wording may run from one into the other.
 * @returns at most 16, the likeliest first, each of three passages.
 */
export async function candidateStretches(executor: Executor, words: string): Promise<readonly Stretch[]> {
  const rare = await rareTerms(executor, termsOf(words))
  if (rare.length === 0) return []
  const masks = await documentsWith(executor, rare)
  const weights = rare.map(({ documents }) => 1 / Math.log2(2 + documents))
  const docs = rankWindows(masks, weights)
  return neighboursOf(executor, docs)
}

/** Words at the beginning, in the middle and at the end of a long quotation. */
function termsOf(words: string): readonly string[] {
  const telling = tokenize(words.slice(0, 20_000)).filter((token) => !isFunctionWord(token))
  const terms = [...new Set(telling.map(({ term }) => term))]
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

/** For each document the set of these terms that it has, as bits. */
async function documentsWith(
  executor: Executor,
  rare: readonly RareTerm[],
): Promise<ReadonlyMap<number, number>> {
  const numbers = new Map(rare.map(({ term }, i) => [term, i]))
  const loaded = await executor.execute<{ term: string; block: number; data: Buffer }>(sql`
    select term, block, data from search_postings where term = any(${sql.param([...numbers.keys()])}::text[])`)
  const masks = new Map<number, number>()
  for (const { term, block, data } of loaded.rows) {
    const bit = 1 << (numbers.get(term) ?? 0)
    for (const posting of readPostings(data)) {
      const doc = block * blockSize + (posting & 0xffff)
      masks.set(doc, (masks.get(doc) ?? 0) | bit)
    }
  }
  return masks
}

/** The documents with which the best windows of two begin or end, best first. */
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
