import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import type { DocumentRanges } from '../../index/document-ranges.ts'
import { blockOf, blockSize } from '../../index/postings.ts'
import { type BlockPostings, readPostingLists } from '../../index/stored-postings.ts'
import type { PassageRow } from '../../library/passage-row.ts'
import { isStopWord, wordsOf } from '../../text/tokens.ts'
import { hasRun, longestRun, type Phrase } from '../expansion/phrases.ts'
import type { Query } from '../expansion/query.ts'
import { inRanges } from '../scoring/bm25.ts'
import type { FusedHit } from '../scoring/fusion.ts'
import { type AskedWords, hasAskedRun } from './asked-words.ts'

/** Maximum number of words that select the texts to compare with a phrase; the rarest ones. */
const maxTerms = 6

/**
 * Maximum number of postings per phrase. If the rarest words exceed it, the phrase is only searched among the
 * candidates.
 */
const maxPostings = 200_000

/** Maximum number of texts compared with one phrase. The next constant limits the matches that are ranked. */
const maxTexts = 300
const maxFound = 40

/** Minimum number of distinctive query words in one run with which a passage comes first. */
const minRun = 4

/** The distinctive words of the phrases of a query, by which texts are found. */
export function termsOfPhrases(query: Query): readonly string[] {
  return [...new Set(phrasesOf(query).flatMap((phrase) => tellingTerms(phrase, query)))]
}

function phrasesOf({ quoted, whole }: Query): readonly Phrase[] {
  return [...quoted, ...(whole ? [whole] : [])]
}

/** The distinct words of a phrase without function words, which are not in the index. */
function tellingTerms({ first, last }: Phrase, { tokens }: Query): readonly string[] {
  const contentWords = tokens.slice(first, last + 1).filter((token) => !isStopWord(token))
  return [...new Set(contentWords.map((token) => token.term))]
}

/**
 * Finds the documents that contain a quoted phrase or the whole query.
 * @param documents number of documents per term, at least for `termsOfPhrases`. Terms without documents are missing.
 */
export async function documentsOfPhrases(
  executor: Executor,
  query: Query,
  ranges: DocumentRanges | undefined,
  documents: ReadonlyMap<string, number>,
): Promise<readonly number[]> {
  const phrases = phrasesOf(query)
  const found = await Promise.all(
    phrases.map((phrase) => documentsOfPhrase(executor, phrase, query, ranges, documents)),
  )
  return [...new Set(found.flat())]
}

/** Finds candidates by the rarest words of a phrase in the index, and then compares their texts. */
async function documentsOfPhrase(
  executor: Executor,
  phrase: Phrase,
  query: Query,
  ranges: DocumentRanges | undefined,
  documents: ReadonlyMap<string, number>,
): Promise<readonly number[]> {
  const rarest = rarestTerms(tellingTerms(phrase, query), documents)
  if (rarest.length === 0) return []
  const possible = await documentsWithAll(executor, rarest, ranges)
  if (possible.length === 0) return []
  const run = query.tokens.slice(phrase.first, phrase.last + 1).map((token) => token.term)
  const texts = await executor.execute<{ doc_id: number; text: string }>(
    sql`select doc_id, text from passage_texts where doc_id = any(${sql.param(possible)}::int[]) order by doc_id`,
  )
  const having = texts.rows.filter(({ text }) => hasRun(wordsOf(text), run))
  return having.slice(0, maxFound).map((row) => row.doc_id)
}

/** The rarest terms, rarest first. Empty when the library lacks a term or all are too frequent. */
function rarestTerms(terms: readonly string[], documents: ReadonlyMap<string, number>): readonly string[] {
  if (terms.some((term) => !documents.has(term))) return []
  const count = (term: string): number => documents.get(term) ?? 0
  let sum = 0
  return terms
    .toSorted((a, b) => count(a) - count(b))
    .slice(0, maxTerms)
    .filter((term) => {
      sum += count(term)
      return sum <= maxPostings
    })
}

/** The documents that contain all the terms, in ascending order. */
export async function documentsWithAll(
  executor: Executor,
  terms: readonly string[],
  ranges: DocumentRanges | undefined,
): Promise<readonly number[]> {
  const byTerm = await readPostingLists(executor, terms)
  const [rarest = [], ...others] = terms.map((term) => byTerm.get(term) ?? [])
  let docs = rarest.flatMap(documentsIn)
  for (const list of others) docs = docsIn(docs, list)
  return docs.filter((doc) => !ranges || inRanges(doc, ranges)).slice(0, maxTexts)
}

/** Intersects sorted documents with a posting list by block. */
function docsIn(docs: readonly number[], lists: readonly BlockPostings[]): number[] {
  const byBlock = new Map(lists.map(({ block, postings }) => [block, postings]))
  let [block, at] = [-1, 0]
  let postings: Uint32Array = new Uint32Array()
  return docs.filter((doc) => {
    if (blockOf(doc) !== block) {
      block = blockOf(doc)
      postings = byBlock.get(block) ?? new Uint32Array()
      at = 0
    }
    const local = doc % blockSize
    while (at < postings.length && ((postings[at] ?? 0) & 0xffff) < local) at += 1
    return at < postings.length && ((postings[at] ?? 0) & 0xffff) === local
  })
}

/** All documents that contain any of the terms, in ascending order. One statement. */
export async function documentsWithAny(
  executor: Executor,
  terms: readonly string[],
): Promise<ReadonlySet<number>> {
  const byTerm = await readPostingLists(executor, terms)
  const docs = [...byTerm.values()].flatMap((lists) => lists.flatMap(documentsIn))
  return new Set(docs.sort((a, b) => a - b))
}

function documentsIn({ block, postings }: BlockPostings): readonly number[] {
  return Array.from(postings, (posting) => block * blockSize + (posting & 0xffff))
}

/**
 * Moves passages with phrases of the query to the front: first those with most quoted phrases, then those with the
 * whole query or a run of at least four distinctive words. A place is shown in the version with the phrase. Scores
 * stay between 0 and 1.
 */
export function phrasesFirst(
  fused: readonly FusedHit[],
  query: Query,
  rows: ReadonlyMap<number, PassageRow>,
  wordsIn: AskedWords,
): readonly FusedHit[] {
  if (query.quoted.length === 0 && !query.whole) return fused
  const tierOf = tiers(query, wordsIn)
  const best = new Map<string, { readonly row: PassageRow; readonly tier: number }>()
  for (const row of rows.values()) {
    const tier = tierOf(row)
    if (tier > (best.get(row.ref)?.tier ?? 0)) best.set(row.ref, { row, tier })
  }
  if (best.size === 0) return fused
  const highest = Math.max(...[...best.values()].map(({ tier }) => tier))
  return fused
    .map(({ row, score, signals }) => {
      const { tier, row: shown } = best.get(row.ref) ?? { tier: 0, row }
      const known = tier > 0 ? { ...signals, phrase: tier } : signals
      return { row: shown, score: (tier + score) / (highest + 1), signals: known }
    })
    .sort((a, b) => b.score - a.score)
}

function tiers(query: Query, wordsIn: AskedWords): (row: PassageRow) => number {
  const runOf = ({ first, last }: Phrase): readonly string[] =>
    query.tokens.slice(first, last + 1).map((token) => token.term)
  const quoted = query.quoted.map(runOf)
  const all = query.whole && runOf(query.whole)
  const long = query.tokens.filter((token) => !isStopWord(token)).length >= minRun
  const longest = longestRun(query.tokens)
  return (row) => {
    const words = wordsIn(row)
    const met = quoted.filter((run) => hasAskedRun(words, run)).length
    const isRun = (all && hasAskedRun(words, all)) || (long && longest(words) >= minRun)
    return 2 * met + (isRun ? 1 : 0)
  }
}
