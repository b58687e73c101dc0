import { setImmediate } from 'node:timers/promises'
import { documentTerms } from '../sources/index/terms.ts'
import { type Concept, parseQuery } from '../sources/search/expansion/query.ts'
import { type CollectionFacts, inverseFrequency, termShare } from '../sources/search/scoring/bm25.ts'
import { type FilePassage, passagesOf } from './passages.ts'
import type { FileText } from './texts.ts'

export type FileHit = {
  readonly found: FileText
  readonly passage: FilePassage
  /** Comparable within one search only. */
  readonly score: number
}

/** Characters read without letting others have the processor: some 10 ms. */
const restAfter = 100_000

/**
 * Finds the passages of some texts that have what a query asks for, best first: BM25 over them alone, with the words,
 * names and spellings that the library is searched with. No index is kept: a project's texts are few, and change.
 * @throws the reason of `signal` when it is aborted.
 */
export async function searchTexts(
  texts: readonly FileText[],
  query: string,
  limit: number,
  signal: AbortSignal,
): Promise<readonly FileHit[]> {
  const { concepts } = parseQuery(query)
  const passages = await readPassages(texts, concepts, signal)
  const words = passages.reduce((sum, { length }) => sum + length, 0)
  const facts = { documents: passages.length, averageLength: words / Math.max(1, passages.length) }
  const documents = concepts.map((_, i) => passages.filter(({ counts }) => (counts[i] ?? 0) > 0).length)
  return passages
    .map(({ found, passage, ...read }) => ({
      found,
      passage,
      score: scoreOf(read, concepts, documents, facts),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
}

type ReadPassage = Omit<FileHit, 'score'> & {
  /** Its words. */
  readonly length: number
  /** How much each concept occurs in it. */
  readonly counts: readonly number[]
}

async function readPassages(
  texts: readonly FileText[],
  concepts: readonly Concept[],
  signal: AbortSignal,
): Promise<readonly ReadPassage[]> {
  const passages: ReadPassage[] = []
  let sinceRest = 0
  for (const found of texts) {
    for (const passage of passagesOf(found.text)) {
      const { frequencies, length } = documentTerms(found.text.slice(passage.start, passage.end))
      const counts = concepts.map(({ terms }) =>
        [...terms].reduce((sum, [term, weight]) => sum + weight * (frequencies.get(term) ?? 0), 0),
      )
      passages.push({ found, passage, length, counts })
      sinceRest += passage.end - passage.start
      if (sinceRest < restAfter) continue
      sinceRest = 0
      await setImmediate()
      signal.throwIfAborted()
    }
  }
  return passages
}

function scoreOf(
  { length, counts }: Pick<ReadPassage, 'length' | 'counts'>,
  concepts: readonly Concept[],
  documents: readonly number[],
  facts: CollectionFacts,
): number {
  return concepts.reduce((sum, { weight }, i) => {
    const count = counts[i] ?? 0
    if (count === 0) return sum
    return sum + weight * inverseFrequency(documents[i] ?? 0, facts) * termShare(count, length, facts)
  }, 0)
}
