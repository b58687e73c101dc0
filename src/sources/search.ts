import type { Executor } from '../db/client.ts'
import { type CollectionFacts, type DocumentRanges, inRanges, inverseFrequency, rankByBm25 } from './bm25.ts'
import { coverageOf } from './coverage.ts'
import { loadDocuments, loadPlaces, type PassageRow, toPassage } from './documents.ts'
import { collapse, type Fused, fuse } from './fusion.ts'
import {
  collectionFacts,
  documentRanges,
  type FoundConcept,
  findConcepts,
  type LibraryFilter,
  loadPostings,
} from './index-reader.ts'
import { blockSize, blocksIn } from './postings.ts'
import { parseQuery, type Query } from './query.ts'
import { resolveQuery } from './ref-lookup.ts'
import { rerank, weigh } from './rerank.ts'
import { fuseByMeaning, type SemanticSearch } from './semantic.ts'
import { snippetOf } from './snippet.ts'
import { type Script, tokenize } from './tokens.ts'
import type { SearchHit } from './types.ts'

export type SearchQuery = LibraryFilter & {
  /** What to look for: a question, words, a phrase or a ref, in Hebrew, English or both. */
  readonly text: string
  readonly limit: number
  readonly offset?: number | undefined
  /** Whoever waits for the hits may leave: no further statement is sent then, and no more is computed. */
  readonly signal?: AbortSignal | undefined
}

/** Candidates of each script that are looked at closely: more when common words have still to be counted in them. */
const fewestCandidates = 40
const mostCandidates = 100

/** Postings that a search reads at most: the rarest words first; the others only weigh what those found. */
const postingBudget = 250_000

/**
 * The passages that fit a query best, best first. A query that is a ref gives what stands there before anything else.
 * Neighbouring passages of one section are collapsed into the best of them, versions of one passage into the one that
 * fits best. An empty or unknown query finds nothing. With `semantic`, passages that are near in meaning are fused in;
 * a query that names a place is not asked about.
 * @throws the reason of `query.signal` when it is aborted.
 */
export async function searchSources(
  executor: Executor,
  query: SearchQuery,
  semantic?: SemanticSearch,
): Promise<readonly SearchHit[]> {
  const wanted = (query.offset ?? 0) + query.limit
  const ranges = await documentRanges(executor, query)
  if (ranges?.length === 0) return []
  const named = await passagesNamed(executor, query.text, ranges)
  query.signal?.throwIfAborted()
  const parsed = parseQuery(query.text)
  const facts = await collectionFacts(executor)
  const asked = await findConcepts(executor, parsed.concepts, facts)
  const found = asked.filter((c) => c.documents > 0)
  query.signal?.throwIfAborted()
  const blocks = ranges && blocksIn(ranges)
  const chosen = withinBudget(found, blocks ? blockShare(blocks.length, facts) : 1)
  const postings = await loadPostings(executor, chosen, blocks)
  query.signal?.throwIfAborted()
  const read = new Set(chosen)
  const top = Math.max(chosen.length < found.length ? mostCandidates : fewestCandidates, wanted * 3)
  const candidates = scriptsOf(parsed).map((script) => {
    const mine = postings.filter((_, i) => chosen[i]?.concept.script === script)
    const concepts = found.filter((c) => c.concept.script === script)
    return {
      script,
      ranked: rankByBm25(mine, facts[script], top, ranges),
      concepts: weigh(concepts, read, facts[script]),
    }
  })
  const nearest =
    semantic && named.length === 0 && query.text.trim() !== ''
      ? await semantic.nearest(executor, query.text, ranges)
      : []
  const rows = await loadDocuments(executor, [
    ...new Set([...candidates.flatMap((list) => list.ranked.map(({ doc }) => doc)), ...nearest]),
  ])
  query.signal?.throwIfAborted()
  const lists = candidates.map((list) => ({
    ...list,
    ranked: rerank(list.ranked, rows, parsed, list.concepts, facts[list.script]),
    weight: list.concepts.reduce((sum, { concept }) => sum + concept.concept.weight, 0),
  }))
  const ranked = nearest.length > 0 ? fuseByMeaning(fuse(lists, rows), nearest, rows) : fuse(lists, rows)
  const fused = named.length > 0 ? withNamed(named, ranked) : collapse(ranked)
  return fused.slice(query.offset ?? 0, wanted).map(({ row, score }) => ({
    ...toPassage(row),
    snippet: snippet(row, found, facts),
    coverage: coverageOf(row, asked, facts),
    score,
  }))
}

/** The part of the index that some of its blocks are. */
function blockShare(blocks: number, facts: Readonly<Record<Script, CollectionFacts>>): number {
  return Math.min(1, (blocks * blockSize) / Math.max(1, facts.he.documents + facts.en.documents))
}

/** What stands at the place that the query names, one version of each passage: the one in the query's script. */
async function passagesNamed(
  executor: Executor,
  text: string,
  ranges: DocumentRanges | undefined,
): Promise<readonly PassageRow[]> {
  const place = await resolveQuery(executor, text)
  if (!place) return []
  const rows = await loadPlaces(executor, place)
  const hebrew = /[א-ת]/.test(text)
  const byRef = new Map<string, PassageRow>()
  for (const row of rows) {
    if (ranges && !inRanges(row.doc_id, ranges)) continue
    const better = !byRef.has(row.ref) || (row.language === 'he') === hebrew
    if (better) byRef.set(row.ref, row)
  }
  return [...byRef.values()]
}

/** Named passages keep their reading order and stand before what was found by words. */
function withNamed(named: readonly PassageRow[], found: readonly Fused[]): readonly Fused[] {
  const refs = new Set(named.map((row) => row.ref))
  return [
    ...named.map((row, i) => ({ row, score: 1 + 1 / (i + 1) })),
    ...collapse(found.filter(({ row }) => !refs.has(row.ref))),
  ]
}

/** The script of the query first: of two versions that fit alike its own is shown. */
function scriptsOf(query: Query): readonly Script[] {
  const hebrew = query.tokens.filter((token) => token.script === 'he').length
  return hebrew * 2 >= query.tokens.length ? ['he', 'en'] : ['en', 'he']
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
    .filter(({ concept, documents }) => {
      sum += documents * share
      const first = !begun.has(concept.script)
      begun.add(concept.script)
      return first || sum <= postingBudget
    })
}

function snippet(
  row: PassageRow,
  found: readonly FoundConcept[],
  facts: Readonly<Record<Script, CollectionFacts>>,
): string {
  const byTerm = new Map<string, { key: number; weight: number }>()
  found.forEach((concept, key) => {
    const weight = inverseFrequency(concept.documents, facts[concept.concept.script])
    for (const term of concept.terms.keys()) byTerm.set(term, { key, weight })
  })
  return snippetOf(row.text, tokenize(row.text), (token) => byTerm.get(token.term))
}
