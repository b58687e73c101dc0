import type { Executor } from '../db/client.ts'
import {
  type CollectionFacts,
  type DocumentRanges,
  inRanges,
  inverseFrequency,
  rankByBm25,
  type Scored,
} from './bm25.ts'
import { loadDocuments, loadPlaces, type PassageRow, toPassage } from './documents.ts'
import {
  collectionFacts,
  documentRanges,
  type FoundConcept,
  findConcepts,
  type LibraryFilter,
  loadPostings,
} from './index-reader.ts'
import { parseQuery, type Query } from './query.ts'
import { resolveRef } from './ref-lookup.ts'
import { parseRef } from './refs.ts'
import { rerank, type Weighed, weigh } from './rerank.ts'
import { snippetOf } from './snippet.ts'
import { type Script, tokenize } from './tokens.ts'
import type { SearchHit } from './types.ts'

export type SearchQuery = LibraryFilter & {
  /** What to look for: a question, words, a phrase or a ref, in Hebrew, English or both. */
  readonly text: string
  readonly limit: number
  readonly offset?: number | undefined
}

/** Candidates of each script that are looked at closely: more when common words have still to be counted in them. */
const fewestCandidates = 40
const mostCandidates = 100

/** Postings that a search reads at most: the rarest words first; the others only weigh what those found. */
const postingBudget = 250_000

/** Of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009). */
const fusionConstant = 60

/**
 * The passages that fit a query best, best first. A query that is a ref gives what stands there before anything else.
 * Neighbouring passages of one section are collapsed into the best of them, versions of one passage into the one that
 * fits best. An empty or unknown query finds nothing.
 */
export async function searchSources(executor: Executor, query: SearchQuery): Promise<readonly SearchHit[]> {
  const wanted = (query.offset ?? 0) + query.limit
  const ranges = await documentRanges(executor, query)
  if (ranges?.length === 0) return []
  const named = await passagesNamed(executor, query.text, ranges)
  const parsed = parseQuery(query.text)
  const facts = await collectionFacts(executor)
  const found = (await findConcepts(executor, parsed.concepts, facts)).filter((c) => c.documents > 0)
  const chosen = withinBudget(found)
  const postings = await loadPostings(executor, chosen)
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
  const rows = await loadDocuments(executor, [
    ...new Set(candidates.flatMap((list) => list.ranked.map(({ doc }) => doc))),
  ])
  const lists = candidates.map((list) => ({
    ...list,
    ranked: rerank(list.ranked, rows, parsed, list.concepts, facts[list.script]),
  }))
  const fused = named.length > 0 ? withNamed(named, fuse(lists, rows)) : collapse(fuse(lists, rows))
  return fused.slice(query.offset ?? 0, wanted).map(({ row, score }) => ({
    ...toPassage(row),
    snippet: snippet(row, found, facts),
    score,
  }))
}

/** A text longer than this is no ref, whatever number it ends with. */
const longestRef = 120

/** What stands at the place that the query names, one version of each passage: the one in the query's script. */
async function passagesNamed(
  executor: Executor,
  text: string,
  ranges: DocumentRanges | undefined,
): Promise<readonly PassageRow[]> {
  if (text.length > longestRef || parseRef(text).address.length === 0) return []
  const place = await resolveRef(executor, text)
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

function withinBudget(found: readonly FoundConcept[]): readonly FoundConcept[] {
  let sum = 0
  return found
    .toSorted((a, b) => a.documents - b.documents)
    .filter((concept, index) => {
      sum += concept.documents
      return index === 0 || sum <= postingBudget
    })
}

type List = {
  readonly script: Script
  readonly ranked: readonly Scored[]
  readonly concepts: readonly Weighed[]
}
type Fused = { readonly row: PassageRow; readonly score: number }

/**
 * Reciprocal rank fusion by ref: a passage found in both languages gains from both. A list counts by how much of the
 * query it answers, so that one word with a translation does not outweigh the sentence around it.
 */
function fuse(lists: readonly List[], rows: ReadonlyMap<number, PassageRow>): readonly Fused[] {
  const byRef = new Map<string, Fused & { readonly share: number }>()
  const asked = lists.map(({ concepts }) => concepts.reduce((sum, c) => sum + c.concept.concept.weight, 0))
  const most = Math.max(...asked)
  for (const [index, list] of lists.entries()) {
    const seen = new Set<string>()
    const weight = (asked[index] ?? 0) / most
    for (const { doc } of list.ranked) {
      const row = rows.get(doc)
      if (!row || seen.has(row.ref)) continue
      seen.add(row.ref)
      const share = weight / (fusionConstant + seen.size)
      const before = byRef.get(row.ref)
      const best = before && before.share >= share ? before : { row, share }
      byRef.set(row.ref, { row: best.row, share: best.share, score: share + (before?.score ?? 0) })
    }
  }
  return [...byRef.values()].sort((a, b) => b.score - a.score || compareText(a.row.ref, b.row.ref))
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Drops what stands next to something better in the same section. */
function collapse(fused: readonly Fused[]): readonly Fused[] {
  const taken = new Set<string>()
  return fused.filter(({ row }) => {
    const place = (ordinal: number): string => `${row.work_id} ${ordinal} ${row.section_ref}`
    const near = taken.has(place(row.ordinal - 1)) || taken.has(place(row.ordinal + 1))
    if (!near) taken.add(place(row.ordinal))
    return !near
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
