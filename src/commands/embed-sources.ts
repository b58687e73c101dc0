import { invalidValue, ServiceError } from '../errors.ts'
import { openEmbeddingModel } from '../models/embedding.ts'
import { type EmbeddingModel, EmbeddingsFault } from '../sources/embeddings/embedding-model.ts'
import { type Embedded, embedLibrary } from '../sources/vectors/embed-library.ts'
import { fillPgvector } from '../sources/vectors/pgvector.ts'
import type { Command, Invocation, Output } from './command.ts'
import { untilInterrupted } from './interruption.ts'
import { recorded } from './library-audit.ts'

const secondsBetweenLines = 5

export const embedCommands: Readonly<Record<string, Command>> = {
  'sources embed': {
    usage: '',
    summary: 'makes missing vectors for semantic search; continues where it was stopped',
    run: async (invocation) => {
      const { config, progress } = invocation
      const model = openEmbeddingModel(config, progress)
      if (!model) {
        throw invalidValue(
          'No embedding model is set. Set EMBEDDINGS_MODEL=local:ID, or EMBEDDINGS_BASE_URL and EMBEDDINGS_MODEL.',
        )
      }
      const details = { command: 'sources embed', model: model.name }
      try {
        return await recorded(invocation, { action: 'library.embedded', details }, () =>
          embed(invocation, model),
        )
      } finally {
        await model.close()
      }
    },
  },
}

async function embed(invocation: Invocation, model: EmbeddingModel): Promise<Output> {
  const { library } = invocation.installation
  const { value: rows, interrupted } = await untilInterrupted((signal) =>
    embedWithProgress(invocation, model, signal),
  )
  const copied = interrupted ? undefined : await fillPgvector(library, library.ownerUrl, model.name)
  const lines = [`${rows.embedded} vectors made, for a library of ${rows.total} texts`]
  if (copied !== undefined) lines.push(`${copied} vectors copied for pgvector`)
  if (interrupted) lines.push('Stopped. What was made is kept: run the command again to go on.')
  return { rows, lines, exitCode: interrupted ? 130 : 0 }
}

async function embedWithProgress(
  { installation, progress }: Invocation,
  model: EmbeddingModel,
  signal: AbortSignal,
): Promise<Embedded> {
  const begun = performance.now()
  let shown = begun
  try {
    return await embedLibrary(
      installation.library,
      model,
      (done, of) => {
        const now = performance.now()
        if (done < of && now - shown < secondsBetweenLines * 1_000) return
        shown = now
        const rate = done / ((now - begun) / 1_000)
        const left = Math.round((of - done) / rate)
        progress(`${done}/${of} passages, ${Math.round(rate)} a second, ${left} s left`)
      },
      signal,
    )
  } catch (error) {
    if (!(error instanceof EmbeddingsFault)) throw error
    const text = `${error.message} What was made is kept: run the command again to go on.`
    throw new ServiceError('upstream_error', text, { cause: error })
  }
}
