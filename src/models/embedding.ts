import path from 'node:path'
import { type Config, ConfigError } from '../config.ts'
import { openApiModel } from '../sources/embeddings/api-model.ts'
import type { EmbeddingModel } from '../sources/embeddings/embedding-model.ts'
import {
  canRunLocalModel,
  type Download,
  localModelInstall,
  localModelPackage,
  openLocalModel,
} from '../sources/embeddings/local-model.ts'

/** Seconds between two lines about one download. */
const secondsBetweenLines = 5

/**
 * The embedding model that the settings name; undefined when they name none. A local one keeps what it downloads in
 * `models` of the data folder.
 * @param say called with a line now and then while it downloads.
 * @throws ConfigError when it is a local one and the package that runs it is not installed.
 */
export function openEmbeddingModel(
  { embeddings, dataDir }: Pick<Config, 'embeddings' | 'dataDir'>,
  say: (text: string) => void,
): EmbeddingModel | undefined {
  if (!embeddings) return undefined
  if (embeddings.kind === 'api') return openApiModel(embeddings)
  if (!canRunLocalModel()) {
    throw new ConfigError(
      `EMBEDDINGS_MODEL=local:${embeddings.model} needs the package ${localModelPackage}. Install it: ${localModelInstall}`,
    )
  }
  const cacheDir = path.join(dataDir, 'models')
  return openLocalModel({ ...embeddings, cacheDir }, sayNowAndThen(say))
}

function sayNowAndThen(say: (text: string) => void): (download: Download) => void {
  let next = 0
  return ({ file, loaded, total }) => {
    const now = performance.now()
    if (now < next && loaded < total) return
    next = now + secondsBetweenLines * 1_000
    say(`downloading the embedding model: ${file}, ${megabytes(loaded)} of ${megabytes(total)} MB`)
  }
}

const megabytes = (bytes: number): number => Math.round(bytes / 1e6)
