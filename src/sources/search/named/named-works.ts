import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import type { DocumentRanges } from '../../index/document-ranges.ts'
import { authorsWhoAre } from '../../library/author-names.ts'
import { headingKey } from '../../text/heading-keys.ts'
import { isStopWord } from '../../text/tokens.ts'
import { authorship, bookNames } from '../../vocabulary/titles/works-table.ts'
import type { Query } from '../expansion/query.ts'
import type { Candidates } from '../relevance/candidates.ts'
import { compareText, type FusedHit } from '../scoring/fusion.ts'
import { findNamedSource } from './naming-cues.ts'

/** The works that a question names as its source, and the question without the words that name them. */
export type NamedWorks = {
  readonly works: ReadonlySet<number>
  readonly ranges: DocumentRanges
  readonly query: Query
}

/** Factor for the fit (see `fuse`) of a passage of a named work. A clearly better passage elsewhere stays first. */
const namedGain = 2

/**
 * Finds the works from which a question wants its answer: `according to the Tanya`, `בתניא`, `the Alter Rebbe says`.
 * Undefined when it names none or the library has none of them. Also undefined when no other words are left: then the
 * question is about the author or the book itself.
 */
export async function namedWorks(executor: Executor, query: Query): Promise<NamedWorks | undefined> {
  const naming = findNamedSource(query.tokens)
  if (!naming) return undefined
  const left = query.tokens.some((token, at) => (at < naming.first || at >= naming.end) && !isStopWord(token))
  if (!left) return undefined
  const [name = ''] = naming.group.names
  const titles = naming.isBook ? naming.group.names : titlesBy(name)
  const authors = naming.isBook ? [] : await authorsWhoAre(executor, name)
  const { rows } = await executor.execute<{ id: number; first: number; last: number }>(sql`
    select w.id, v.first_doc as first, v.first_doc + v.doc_count - 1 as last
    from works w join versions v on v.work_id = w.id
    where v.doc_count > 0 and (w.author = any(${sql.param(authors)}::text[]) or w.id in (
      select h.work_id from headings h where h.key = any(${sql.param([...new Set(titles.map(headingKey))])}::text[])))
    order by v.first_doc`)
  if (rows.length === 0) return undefined
  return {
    works: new Set(rows.map(({ id }) => id)),
    ranges: rows.map(({ first, last }) => [first, last] as const),
    query: {
      ...query,
      concepts: query.concepts.filter(({ position }) => position < naming.first || position >= naming.end),
    },
  }
}

/** All titles of the books that the vocabulary attributes to a person. */
function titlesBy(person: string): readonly string[] {
  const books = new Set(authorship.filter(([name]) => name === person).flatMap(([, ...titles]) => titles))
  return bookNames.filter(([title = '']) => books.has(title)).flat()
}

/** Applies the factor to passages of the named works and sorts, best first. */
export function boostNamedWorks(ranked: readonly FusedHit[], { works }: NamedWorks): readonly FusedHit[] {
  return ranked
    .map((hit) => (works.has(hit.row.work_id) ? withGain(hit) : hit))
    .sort((a, b) => b.score - a.score || compareText(a.row.ref, b.row.ref))
}

/** Applies the factor to a hit, whose score is `fit / (1 + fit)` and stays below 1. */
function withGain({ row, score, signals }: FusedHit): FusedHit {
  const fit = (namedGain * score) / Math.max(1 - score, Number.EPSILON)
  return { row, score: fit / (1 + fit), signals: { ...signals, source: true } }
}

/** Adds candidates from the named works, because in a large library they may not be among the best. */
export function withCandidates(
  all: readonly Candidates[],
  own: readonly Candidates[],
): readonly Candidates[] {
  return all.map((list, i) => {
    const known = new Set(list.ranked.map(({ doc }) => doc))
    return {
      ...list,
      ranked: [...list.ranked, ...(own[i]?.ranked ?? []).filter(({ doc }) => !known.has(doc))],
    }
  })
}
