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

/** Documents that a search takes from the ranking by meaning. */
const nearestCount = 50

/** A search waits no longer than this for the vector of its query, nor for the database to compare it. */
const timeoutMs = 2_000

/** After a failure searches go by words alone for so long, rather than that each waits for the same timeout. */
const pauseMs = 10_000

export type OpenSemanticSearch = {
  readonly search: SemanticSearch
  readonly embeddings: EmbeddingsClient
  close(): Promise<void>
}

export type SemanticOptions = {
  readonly settings: EmbeddingsSettings
  /** The role that owns the schema; undefined when the service's own role does. */
  readonly ownerUrl: string | undefined
  readonly log: Logger
}

/**
 * Search by meaning, when the database has the extension `vector` or lets it be made. Undefined otherwise: said once
 * in the log, and everything works without it.
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

/** Asks for the vector of a query once and without a second try: a search has its words to go by. */
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
