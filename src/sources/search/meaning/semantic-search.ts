import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import type { Database } from '../../../db/client.ts'
import { reasonOf } from '../../../db/errors.ts'
import type { Logger } from '../../../log.ts'
import {
  createEmbeddingsClient,
  type EmbeddingsClient,
  type EmbeddingsSettings,
} from './embeddings-client.ts'
import type { SemanticSearch } from './semantic.ts'
import { createVectorTable, hasVectorTable, nearestDocuments } from './semantic-vectors.ts'

/** Number of documents that a search takes from the ranking by meaning. */
const nearestCount = 50

/** Timeout for the vector of a query, and for the comparison in the database, in milliseconds. */
const timeoutMs = 2_000

/**
 * After a failure, searches use only words for this time (ms). Otherwise each search would wait for the same timeout.
 */
const pauseMs = 10_000

export type OpenSemanticSearch = {
  readonly search: SemanticSearch
  readonly embeddings: EmbeddingsClient
  close(): Promise<void>
}

export type SemanticOptions = {
  readonly settings: EmbeddingsSettings
  /** URL of the role that owns the schema; undefined when the service's own role owns it. */
  readonly ownerUrl: string | undefined
  readonly log: Logger
}

/**
 * Opens semantic search if the database has the extension `vector` or allows creating it. Otherwise it logs this once
 * and returns undefined, and searches use only words.
 */
export async function openSemanticSearch(
  database: Database,
  { settings, ownerUrl, log }: SemanticOptions,
): Promise<OpenSemanticSearch | undefined> {
  try {
    if (!(await hasVectorTable(database.system))) await makeTable(ownerUrl ?? database.url, database.url)
  } catch (error) {
    log.warn(
      { reason: reasonOf(error) },
      'semantic search is off: it needs the extension "vector" (pgvector), which a superuser makes with `create extension vector`',
    )
    return undefined
  }
  const embeddings = createEmbeddingsClient(settings)
  return { search: semanticSearch(embeddings, log), embeddings, close: () => embeddings.close() }
}

async function makeTable(ownerUrl: string, serviceUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await createVectorTable(drizzle({ client }), decodeURIComponent(new URL(serviceUrl).username))
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Requests the vector of a query without retries, because a search still has the hits by words. */
export function semanticSearch(embeddings: EmbeddingsClient, log: Logger): SemanticSearch {
  let pausedUntil = 0
  return {
    async nearest(executor, text, ranges) {
      if (performance.now() < pausedUntil) return []
      try {
        const [vector] = await embeddings.embed([text], { timeoutMs, retries: 0 })
        if (!vector) return []
        const bounds = { ranges, limit: nearestCount, timeoutMs }
        return await nearestDocuments(executor, embeddings.model, vector, bounds)
      } catch (error) {
        pausedUntil = performance.now() + pauseMs
        log.warn({ reason: reasonOf(error) }, 'searched by words only: the search by meaning failed')
        return []
      }
    },
  }
}
