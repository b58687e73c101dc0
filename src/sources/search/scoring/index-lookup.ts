import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { bucketOf } from '../../index/spelling-pairs.ts'
import type { Script } from '../../text/tokens.ts'
import type { CollectionStats } from './bm25.ts'

/** Number of documents per term. Terms that the library lacks are missing. */
export type TermFrequencies = ReadonlyMap<string, number>

/** What the index knows about words. */
export type IndexLookup = {
  readonly documents: TermFrequencies
  /** Size of the library in each script. Weights of terms are relative to it. */
  readonly facts: Readonly<Record<Script, CollectionStats>>
  /** The terms in these classes, each with its frequency, most frequent first. They must be among the classes read. */
  readonly inClasses: (classes: Iterable<string>) => Promise<ReadonlyMap<string, TermFrequencies>>
}

/** Maximum number of forms per class; hostile input could have created thousands. */
const maxForms = 64

const hebrewScriptLanguages = ['he', 'arc', 'yi', 'jrb', 'lad']

type Row = {
  readonly kind: 'term' | 'bucket' | Script
  readonly name: string
  readonly number: number
  readonly words: number
}

/**
 * Reads the frequencies of terms, the terms in spelling and inflection classes, and the size of the library. One
 * statement, because sending three costs more than the work of each.
 */
export async function lookUp(
  executor: Executor,
  terms: readonly string[],
  classes: readonly string[],
): Promise<IndexLookup> {
  const buckets = [...new Set(classes.map(bucketOf))]
  const { rows } = await executor.execute<Row>(sql`
    select 'term' as kind, term as name, sum(documents)::float8 as number, 0::float8 as words
    from search_postings where term = any(${listOf(terms)}) group by term
    union all
    select 'bucket', pairs, bucket, 0 from search_spelling_buckets where bucket = any(${sql.param(buckets)}::int[])
    union all
    select case when language = any(${sql.param(hebrewScriptLanguages)}::text[]) then 'he' else 'en' end, '',
      sum(doc_count), sum(word_count)
    from versions group by 1`)
  const ofKind = (kind: Row['kind']) => rows.filter((row) => row.kind === kind)
  const factsOf = (script: Script): CollectionStats => {
    const [size] = ofKind(script)
    return size && size.number > 0
      ? { documents: size.number, averageLength: size.words / size.number }
      : { documents: 0, averageLength: 1 }
  }
  const pairs = Map.groupBy(ofKind('bucket'), ({ number }) => number)
  return {
    documents: new Map(ofKind('term').map(({ name, number }) => [name, number])),
    facts: { he: factsOf('he'), en: factsOf('en') },
    async inClasses(wanted) {
      const members = new Map(
        [...wanted].map((name) => {
          const lists = pairs.get(bucketOf(name)) ?? []
          return [name, new Set(lists.flatMap((list) => termsIn(list.name, name)))] as const
        }),
      )
      const counted = [
        ...(await termFrequencies(
          executor,
          [...members.values()].flatMap((of) => [...of]),
        )),
      ]
      return new Map(
        [...members].map(([name, of]) => [
          name,
          new Map(counted.filter(([term]) => of.has(term)).slice(0, maxForms)),
        ]),
      )
    },
  }
}

/** Reads the frequencies of terms, most frequent first. Without terms, no statement. */
export async function termFrequencies(
  executor: Executor,
  terms: readonly string[],
): Promise<TermFrequencies> {
  if (terms.length === 0) return new Map()
  const { rows } = await executor.execute<{ term: string; documents: number }>(sql`
    select term, sum(documents)::int as documents from search_postings
    where term = any(${listOf([...new Set(terms)])}) group by term order by documents desc, term`)
  return new Map(rows.map(({ term, documents }) => [term, documents]))
}

/**
 * The terms as one text. A query has a thousand forms of its words, and the driver quotes each member of an array. Terms
 * contain no line feeds.
 */
function listOf(terms: readonly string[]) {
  return sql`string_to_array(${terms.join('\n')}::text, E'\\n')`
}

/**
 * The terms of a class in the lines of a bucket, which have a class, a tab and a term. At 1,000,000 passages a class has 17
 * rows of some 45 lines, and to split them took Postgres most of the time of a search.
 */
function termsIn(pairs: string, name: string): readonly string[] {
  const terms: string[] = []
  const wanted = `${name}\t`
  for (let at = pairs.indexOf(wanted); at >= 0; at = pairs.indexOf(wanted, at + wanted.length)) {
    // Another class may end with this one.
    if (at > 0 && pairs[at - 1] !== '\n') continue
    const end = pairs.indexOf('\n', at)
    terms.push(pairs.slice(at + wanted.length, end < 0 ? undefined : end))
  }
  return terms
}
