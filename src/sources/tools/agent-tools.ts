import { z } from 'zod'
import { describedTool } from '../../agent/prompts/described-tool.ts'
import { badArguments, type Tool, type ToolOutcome } from '../../agent/tools.ts'
import type { Executor } from '../../db/client.ts'
import type { LibraryDatabase } from '../../db/library/library-database.ts'
import { ServiceError } from '../../errors.ts'
import type { SourceMarks } from '../citations/source-marks.ts'
import { listWorks, readPassage } from '../library/passages.ts'
import type { AskPublisher } from '../library/publisher.ts'
import { periodArguments } from '../periods/period-arguments.ts'
import { nearestRefs } from '../refs/nearest-refs.ts'
import type { SearchHit } from '../search/hit.ts'
import { type MissingPlace, missingPlaces } from '../search/missing/places.ts'
import { asksOnlyFor, missingResult, namesFor, refNotFound } from '../search/missing/statement.ts'
import { Question } from '../search/named/question.ts'
import { searchSources } from '../search/search.ts'
import type { SemanticSearch } from '../search/semantic/semantic-search.ts'
import { whileLibraryAnswers } from './library-outage.ts'
import { maxResultBytes, offer } from './offer.ts'
import { askForMissing, withLinks } from './on-demand.ts'
import { scholarTools } from './scholar-tools.ts'

/** Schema for the name of a work, an author or a category. */
const name = z.string().trim().min(1).max(300).optional()

const searchArguments = z.object({
  query: z.string().trim().min(1).max(2000),
  language: z.string().trim().min(2).max(8).optional(),
  work: name,
  author: name,
  category: name,
  ...periodArguments,
  limit: z.number().int().min(1).max(20).default(8),
})
const readArguments = z.object({
  ref: z.string().trim().min(1).max(300),
  before: z.number().int().min(0).max(10).default(0),
  after: z.number().int().min(0).max(10).default(0),
})
const listArguments = z.object({
  category: name,
  author: name,
  ...periodArguments,
})

/**
 * The tools with which the agent uses the library. `sourceMarks` assigns the marks of the turn to passages.
 * @param ask asks the publisher for refs that the library does not have; by default nobody is asked.
 */
export function sourceTools(
  library: LibraryDatabase,
  sourceMarks: SourceMarks,
  semantic?: SemanticSearch,
  ask?: AskPublisher,
): readonly Tool<Executor>[] {
  const executor = library.system
  return [
    searchTool(executor, sourceMarks, semantic, ask),
    readTool(executor, sourceMarks, ask),
    listTool(executor),
    ...scholarTools(executor, ask),
  ].map((tool) => ({
    ...tool,
    execute: (args, signal) => whileLibraryAnswers(library, () => tool.execute(args, signal), signal),
  }))
}

function searchTool(
  executor: Executor,
  sourceMarks: SourceMarks,
  semantic: SemanticSearch | undefined,
  ask: AskPublisher | undefined,
): Tool<Executor> {
  return describedTool(
    'search_sources',
    searchArguments,
    (args) => `Searching for "${String(args['query'] ?? '')}"`,
    async (valid, signal) => {
      signal.throwIfAborted()
      const search = async () => {
        const question = new Question(executor, valid.query)
        const found = await searchSources(executor, { ...valid, text: valid.query, question }, semantic)
        return { question, hits: found, missing: await missingPlaces(executor, question) }
      }
      const held = await knownNames(search())
      if ('content' in held) return held
      const { question, hits, missing } = await withFetched(held, search, ask, signal)
      const near = missing.flatMap(({ nearest, citedBy = [], article = [] }) =>
        [...nearest, ...citedBy, article].flat(),
      )
      const remark = missingResult(valid.query, missing, await namesFor(executor, valid.query, near))
      const isMissing = missing.length > 0 && (hits.length === 0 || asksOnlyFor(valid.query, missing))
      if (isMissing) return { content: JSON.stringify(remark), isError: true }
      if (hits.length === 0) {
        const nearest = await nearestRefs(executor, valid.query)
        return failure(`Nothing in the library matches "${valid.query}".`, nearest)
      }
      return offer(executor, sourceMarks, hits, {
        remark,
        named: await placesNamed(question),
        mayFetch: ask !== undefined,
      })
    },
  )
}

type Found = {
  readonly question: Question
  readonly hits: readonly SearchHit[]
  readonly missing: readonly MissingPlace[]
}

/** Asks the publisher for what the query names and the library lacks, and searches again if it came. */
async function withFetched(
  held: Found,
  search: () => Promise<Found>,
  ask: AskPublisher | undefined,
  signal: AbortSignal,
): Promise<Found> {
  if (!ask || held.missing.length === 0) return held
  const asked = await askForMissing(ask, held.missing, signal)
  signal.throwIfAborted()
  const found = asked.hasNew ? await search() : held
  return { ...found, missing: withLinks(found.missing, asked) }
}

/** Refs of the library that a query names. */
async function placesNamed(question: Question): Promise<readonly string[]> {
  if (!question.isShort) return []
  const refs = await question.refs()
  return refs.flatMap(({ ref }) => ref ?? [])
}

function readTool(
  executor: Executor,
  sourceMarks: SourceMarks,
  ask: AskPublisher | undefined,
): Tool<Executor> {
  return describedTool(
    'read_source',
    readArguments,
    (args) => `Reading ${String(args['ref'] ?? '')}`,
    async (valid, signal) => {
      signal.throwIfAborted()
      const read = await readPassage(executor, valid.ref, { ...valid, ask, signal })
      if ('nearest' in read) return refNotFound(executor, valid.ref, read)
      return offer(executor, sourceMarks, read.passages, { mayFetch: ask !== undefined })
    },
  )
}

/** Maximum number of works in one list. */
const maxWorks = 100

function listTool(executor: Executor): Tool<Executor> {
  return describedTool(
    'list_works',
    listArguments,
    () => 'Looking through the list of works',
    async (valid, signal) => {
      signal.throwIfAborted()
      const works = await knownNames(listWorks(executor, { ...valid, limit: maxWorks + 1 }))
      if ('content' in works) return works
      return { content: listing(works.slice(0, maxWorks), works.length > maxWorks) }
    },
  )
}

function listing(works: readonly object[], more: boolean): string {
  for (let count = works.length; ; count = Math.floor(count / 2)) {
    const truncated = more || count < works.length
    const content = JSON.stringify({ works: works.slice(0, count), ...(truncated && { truncated }) })
    if (count === 0 || Buffer.byteLength(content) <= maxResultBytes) return content
  }
}

/** Turns an unknown work, author or category into a tool result, because the model can correct it. */
async function knownNames<T extends object>(found: Promise<T>): Promise<T | ToolOutcome<Executor>> {
  try {
    return await found
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_value') return badArguments(error.message)
    throw error
  }
}

function failure(error: string, nearest: readonly string[]): ToolOutcome<Executor> {
  return { content: JSON.stringify({ error, nearest }), isError: true }
}
