import { z } from 'zod'
import type { Executor } from '../../db/client.ts'
import { unknownCursor } from '../../errors.ts'
import { periodAsked } from '../periods/period-arguments.ts'
import type { SearchHit } from './hit.ts'
import type { LanguageCounts } from './languages.ts'
import { type MissingPlace, missingPlaces } from './missing/places.ts'
import { Question } from './named/question.ts'
import { searchLibrary } from './search.ts'
import type { SemanticSearch } from './semantic/semantic-search.ts'

/** The name of a work, author or category in a request. */
export const nameAsked = z.string().trim().min(1).max(300).optional()
export const languageAsked = z.string().trim().min(2).max(8).optional()

const limitRule = 'must be a whole number from 1 to 100'

/** Hits have no ids of their own, so the rank of a hit is the cursor. */
const hitId = z.string().regex(/^hit_([1-9]\d{0,2}|1000)$/, 'must be the id of an item of this search')
const deepestHit = 1_000

/** Parameters of a search, for the API and the web pages. */
export const hitQuery = z.object({
  q: z.string().trim().min(1).max(1_000),
  language: languageAsked,
  work: nameAsked,
  author: nameAsked,
  category: nameAsked,
  ...periodAsked,
  limit: z.coerce.number(limitRule).int(limitRule).min(1, limitRule).max(100, limitRule).default(10),
  after: hitId.optional(),
  explain: z.enum(['true', 'false']).optional(),
})

export type HitPage = {
  readonly hits: readonly (SearchHit & { readonly id: string })[]
  readonly hasMore: boolean
  readonly languages: () => LanguageCounts
  readonly unknownRef: UnknownRef | undefined
}

/**
 * What the query names and the library lacks: a ref of a stored title, with the nearest existing ref; of the Bible or the
 * Talmud, with the passages that cite it; of another known work; or a book that nobody knows.
 */
export type UnknownRef = {
  readonly ref: string
  readonly nearest: string | null
  readonly cited_by?: readonly string[]
}

/**
 * Reads one page of a ranking. At most the first 1,000 hits are available.
 * @throws the reason of `signal` when it is aborted; no further statement is sent.
 */
export async function readHits(
  executor: Executor,
  query: z.output<typeof hitQuery>,
  options: ReadOptions,
): Promise<HitPage> {
  const question = new Question(executor, query.q)
  const ranked = await rankHits(executor, query, options, question)
  return { ...ranked, unknownRef: unknownRefOf(await missingPlaces(executor, question)) }
}

type ReadOptions = { readonly semantic: SemanticSearch | undefined; readonly signal: AbortSignal }

/**
 * Like `readHits`, without a look at the refs of the query.
 * @throws ServiceError `invalid_value` if `after` is not a hit of this search.
 */
export async function rankHits(
  executor: Executor,
  { q, limit, after, explain, ...filter }: z.output<typeof hitQuery>,
  { semantic, signal }: ReadOptions,
  question = new Question(executor, q),
): Promise<Omit<HitPage, 'unknownRef'>> {
  const offset = after === undefined ? 0 : Number(after.slice('hit_'.length))
  const wanted = Math.min(limit, deepestHit - offset)
  // The hit that `after` names is read too: a search that does not have it would look like the end of the list.
  const known = after === undefined ? 0 : 1
  const page = { offset: offset - known, limit: known + wanted + 1 }
  const query = { ...filter, text: q, ...page, explain: explain === 'true', signal, question }
  const { hits, languages } = await searchLibrary(executor, query, semantic)
  signal.throwIfAborted()
  if (hits.length < known) throw unknownCursor()
  const found = hits.slice(known)
  return {
    hits: found.slice(0, wanted).map((hit, i) => ({ ...hit, id: `hit_${offset + i + 1}` })),
    hasMore: found.length > wanted && offset + wanted < deepestHit,
    languages,
  }
}

function unknownRefOf(missing: readonly MissingPlace[]): UnknownRef | undefined {
  const place = missing.find(({ kind }) => kind !== 'unheld_work')
  return (
    place && {
      ref: place.written,
      // The titles near that of an unknown work are no places in its stead.
      nearest: (place.kind === 'work' ? undefined : place.nearest[0]) ?? null,
      ...(place.citedBy && { cited_by: place.citedBy }),
    }
  )
}
