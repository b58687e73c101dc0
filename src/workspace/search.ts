import { setImmediate } from 'node:timers/promises'
import { documentTerms } from '../sources/index/terms.ts'
import { type Concept, parseQuery } from '../sources/search/expansion/query.ts'
import { type CollectionStats, inverseFrequency, termSaturation } from '../sources/search/scoring/bm25.ts'
import { type FilePassage, passagesOf } from './passages.ts'
import type { FileText } from './texts.ts'

export type FileHit = {
  readonly found: FileText
  readonly passage: FilePassage
  /** Only comparable with scores of the same search. */
  readonly score: number
}

/** Characters that are read between two yields to the event loop: about 10 ms. */
const restAfter = 100_000

/**
 * Searches some texts for a query and returns passages, best first. It ranks by BM25 over these texts, with the
 * words, names and spellings of the library search. There is no index, because a project has few texts and they
 * change.
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
  /** Frequency of each concept in the passage. */
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
  facts: CollectionStats,
): number {
  return concepts.reduce((sum, { weight }, i) => {
    const count = counts[i] ?? 0
    if (count === 0) return sum
    return sum + weight * inverseFrequency(documents[i] ?? 0, facts) * termSaturation(count, length, facts)
  }, 0)
}
