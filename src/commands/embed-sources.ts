import { ServiceError } from '../errors.ts'
import { EmbeddingsFault } from '../sources/search/meaning/embeddings-client.ts'
import { embedLibrary } from '../sources/search/meaning/semantic-embed.ts'
import { type OpenSemanticSearch, openSemanticSearch } from '../sources/search/meaning/semantic-search.ts'
import type { Command, Invocation } from './command.ts'

const secondsBetweenLines = 5

export const embedCommands: Readonly<Record<string, Command>> = {
  'sources embed': {
    usage: '',
    summary: 'makes missing vectors for search by meaning; continues where it was stopped',
    options: {},
    run: async (invocation) => {
      if (!invocation.config.embeddings) {
        throw new ServiceError(
          'invalid_value',
          'No embeddings model is set. Set EMBEDDINGS_BASE_URL and EMBEDDINGS_MODEL.',
        )
      }
      const meaning = await openMeaning(invocation)
      if (!meaning) {
        throw new ServiceError(
          'invalid_value',
          'The database has no table of vectors, and the service could not create it. Remove the cause above, and start again.',
        )
      }
      try {
        const rows = await embedWithProgress(invocation, meaning)
        return { rows, lines: [`${rows.embedded} vectors made, for a library of ${rows.total} texts`] }
      } finally {
        await meaning.close()
      }
    },
  },
}

async function embedWithProgress({ installation, progress }: Invocation, { embeddings }: OpenSemanticSearch) {
  let shown = Number.NEGATIVE_INFINITY
  try {
    return await embedLibrary(installation.database.system, embeddings, (done, of) => {
      const now = performance.now()
      if (done < of && now - shown < secondsBetweenLines * 1_000) return
      shown = now
      progress(`${done}/${of} passages`)
    })
  } catch (error) {
    if (!(error instanceof EmbeddingsFault)) throw error
    const text = `${error.message} What was made is kept: run the command again to go on.`
    throw new ServiceError('upstream_error', text, { cause: error })
  }
}

/**
 * Semantic search as the settings configure it; undefined without settings or when the database does not
 * support it.
 */
export async function openMeaning({
  installation,
  config,
  log,
}: Pick<Invocation, 'installation' | 'config' | 'log'>): Promise<OpenSemanticSearch | undefined> {
  if (!config.embeddings) return undefined
  return openSemanticSearch(installation.database, {
    settings: config.embeddings,
    ownerUrl: config.migrateDatabaseUrl,
    log,
  })
}
