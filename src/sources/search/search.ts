import type { Executor } from '../../db/client.ts'
import { documentRanges, type LibraryFilter } from '../library/library-filter.ts'
import { loadPassages, toPassage } from '../library/load-passages.ts'
import type { PassageRow } from '../library/passage-row.ts'
import type { Script } from '../text/tokens.ts'
import { loadTables } from '../vocabulary/spelling/load.ts'
import { everydayWords, fieldWords } from '../vocabulary/topics.ts'
import type { Query } from './expansion/query.ts'
import { explainedConcepts, type HitExplanation } from './explain.ts'
import type { SearchHit } from './hit.ts'
import { countLanguages, type LanguageCounts } from './languages.ts'
import { findNamedPassages } from './named/named-passages.ts'
import { namedWorks, withCandidates } from './named/named-works.ts'
import { Question } from './named/question.ts'
import { type AskedWords, askedWords } from './phrases/asked-words.ts'
import { passageWords } from './phrases/passage-words.ts'
import { documentsOfPhrases, termsOfPhrases } from './phrases/phrase-search.ts'
import { withPlainQuotations } from './phrases/quoted-words.ts'
import { type Ranking, rankByRules } from './ranking-rules.ts'
import { type Candidates, findCandidates, type StatsByScript, withDocuments } from './relevance/candidates.ts'
import { coverageOf } from './relevance/coverage.ts'
import { expansionsOf } from './relevance/expansions.ts'
import { type EvidenceParts, isRelevant } from './relevance/relevance-floor.ts'
import { rerank } from './relevance/rerank.ts'
import { snippetOf } from './relevance/snippet.ts'
import { respell } from './respelling/respell.ts'
import { inverseFrequency } from './scoring/bm25.ts'
import type { RankedList } from './scoring/fusion.ts'
import { type FoundConcept, findConcepts } from './scoring/index-reader.ts'
import type { Signals } from './scoring/signals.ts'
import { withSections } from './sections.ts'
import type { SemanticSearch } from './semantic/semantic-search.ts'

export type SearchQuery = LibraryFilter & {
  /** The query: a question, words, a phrase or a ref, in Hebrew, English or both. */
  readonly text: string
  readonly limit: number
  readonly offset?: number | undefined
  /** Whether each hit says what made its rank. */
  readonly explain?: boolean | undefined
  /** Aborted when the client no longer waits: then no further statement is sent. */
  readonly signal?: AbortSignal | undefined
  /** The same text, where another step has read it already. */
  readonly question?: Question
}

export type SearchResult = {
  /** Best first. */
  readonly hits: readonly SearchHit[]
  /** How many hits the search has in each language; also those before `offset` and after the last hit. */
  readonly languages: () => LanguageCounts
}

/** Like `searchLibrary`, for callers that only need the hits. */
export async function searchSources(
  ...search: Parameters<typeof searchLibrary>
): Promise<readonly SearchHit[]> {
  return (await searchLibrary(...search)).hits
}

/**
 * Searches the library and returns hits, best first. Passages at a ref in the query come first. Neighbouring passages
 * of a section are reduced to the best one, versions of a passage to the best version. Works or authors named as the
 * source are preferred. An empty query finds nothing. With `meaning`, passages near in meaning are merged in; a
 * query that names a place is not sent to the model.
 * @throws ServiceError `invalid_value` for a work, author, category or language that the library lacks, and for a
 * wrong period; the reason of `query.signal` when it is aborted.
 */
export async function searchLibrary(
  executor: Executor,
  query: SearchQuery,
  semantic?: SemanticSearch,
): Promise<SearchResult> {
  const wanted = (query.offset ?? 0) + query.limit
  await loadTables()
  const ranges = await documentRanges(executor, query)
  if (ranges?.length === 0) return { hits: [], languages: () => new Map() }
  const written = await withPlainQuotations(executor, query.text, ranges)
  const question = query.question ?? new Question(executor, query.text)
  const named = await findNamedPassages(executor, question, ranges)
  query.signal?.throwIfAborted()
  const namesPlace = named.rows.length > 0
  const read = (one: Query) => readQuery(executor, one, !namesPlace && !ranges)
  const asWritten = await read(written)
  const respelled = namesPlace ? undefined : await respell(executor, query.text, written, asWritten.asked)
  const { whole, source, parsed, asked, documents, facts } = respelled ? await read(respelled) : asWritten
  const found = asked.filter((c) => c.documents > 0)
  query.signal?.throwIfAborted()
  const scripts = scriptsOf(parsed)
  const [anywhere, phrased] = await Promise.all([
    findCandidates(executor, found, scripts, facts, ranges, wanted),
    documentsOfPhrases(executor, parsed, ranges, documents),
  ])
  const offered = source
    ? withCandidates(anywhere, await findCandidates(executor, found, scripts, facts, source.ranges, wanted))
    : anywhere
  query.signal?.throwIfAborted()
  const nearest =
    semantic && !namesPlace && query.text.trim() !== '' ? await semantic.nearest(query.text, ranges) : []
  const candidates = withDocuments(offered, phrased)
  const rows = await loadPassages(executor, [
    ...new Set([...candidates.flatMap((list) => list.ranked.map(({ doc }) => doc)), ...nearest]),
  ])
  query.signal?.throwIfAborted()
  const topics = { everyday: everydayWords(parsed.tokens), field: fieldWords(parsed.tokens) }
  const coverage = coverageOf(asked, facts, topics)
  const wordsIn = askedWords(termsAsked(parsed, found))
  const ranking = rankByRules({
    lists: rerankedLists(candidates, rows, parsed, facts, wordsIn),
    wordsIn,
    nearest,
    rows,
    isRelevant: (row) => isRelevant(coverage(row)),
    source,
    query: whole,
    concepts: asked,
    named,
  })
  const expansions = expansionsOf(query.text, parsed, found)
  const snippet = snippetsOf(found, facts)
  const explanationOf = explainer(explainedConcepts(query.text, parsed, asked, facts), ranking)
  const hits = ranking.hits.slice(query.offset ?? 0, wanted).map(({ row, score, signals }) => {
    const { parts, ...covered } = coverage(row)
    // It cites exactly the requested place.
    const cites = named.citing.has(row.ref) && { titled: true, evidence: 1 }
    return {
      ...toPassage(row),
      snippet: snippet(row),
      coverage: { ...covered, ...cites },
      matched: expansions(row),
      score,
      ...(query.explain && { explanation: explanationOf(row, signals, parts) }),
    }
  })
  return { hits, languages: () => countLanguages(ranking.before, rows.values(), named) }
}

/** What a query asks for, and what the library has of it. */
async function readQuery(executor: Executor, whole: Query, mayNameSource: boolean) {
  const source = mayNameSource ? await namedWorks(executor, whole) : undefined
  const parsed = source?.query ?? whole
  const also = termsOfPhrases(parsed)
  const { concepts: asked, ...found } = await findConcepts(executor, parsed.concepts, also)
  return { whole, source, parsed, asked, ...found }
}

function rerankedLists(
  candidates: readonly Candidates[],
  rows: ReadonlyMap<number, PassageRow>,
  query: Query,
  facts: StatsByScript,
  wordsIn: AskedWords,
): readonly RankedList[] {
  return candidates.map(({ script, ranked, concepts }) => ({
    ranked: withSections(rerank(ranked, rows, query, concepts, facts[script], wordsIn), rows),
    // Without this divisor, the script with fewer texts would win, because its words look rarer.
    unit: Math.sqrt(inverseFrequency(1, facts[script])),
  }))
}

/** Returns a function that explains the rank of a passage. */
function explainer(termsIn: ReturnType<typeof explainedConcepts>, { stepsOf }: Ranking) {
  return (row: PassageRow, signals: Signals, floor: EvidenceParts): HitExplanation => ({
    terms: termsIn(row),
    signals,
    rules: stepsOf(row.ref),
    floor,
  })
}

/** The terms of the query in all forms, and its words as they are. */
function termsAsked({ tokens }: Query, found: readonly FoundConcept[]): ReadonlySet<string> {
  const terms = new Set(tokens.map(({ term }) => term))
  for (const concept of found) for (const term of concept.terms.keys()) terms.add(term)
  return terms
}

/** The script of the query first. Of two versions that fit equally, the first list's is shown. */
function scriptsOf(query: Query): readonly Script[] {
  const hebrew = query.tokens.filter((token) => token.script === 'he').length
  return hebrew * 2 >= query.tokens.length ? ['he', 'en'] : ['en', 'he']
}

function snippetsOf(found: readonly FoundConcept[], facts: StatsByScript): (row: PassageRow) => string {
  const byTerm = new Map<string, { key: number; weight: number }>()
  found.forEach((concept, key) => {
    const weight = inverseFrequency(concept.documents, facts[concept.concept.script])
    for (const term of concept.terms.keys()) byTerm.set(term, { key, weight })
  })
  return (row) => snippetOf(row.text, passageWords(row), (term) => byTerm.get(term))
}
