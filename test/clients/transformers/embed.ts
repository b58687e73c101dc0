import process from 'node:process'
import { EmbeddingsFault } from '../../../src/sources/embeddings/embedding-model.ts'
import { canRunLocalModel, openLocalModel } from '../../../src/sources/embeddings/local-model.ts'

/** `embed.ts HUB_URL MODEL CACHE TEXT…` prints the vectors of the texts as JSON, or the fault. Run by the test beside it. */
const [hubUrl, model = '', cacheDir = '', ...texts] = process.argv.slice(2)
const downloaded = new Set<string>()
const opened = openLocalModel({ model, cacheDir, hubUrl }, ({ file }) => downloaded.add(file))
const result = await opened
  .embed(texts, 'passage')
  .then((vectors) => ({ vectors: vectors.map((vector) => [...vector]) }))
  .catch((error: unknown) => ({ fault: error instanceof EmbeddingsFault ? error.message : String(error) }))
process.stdout.write(
  JSON.stringify({ canRun: canRunLocalModel(), name: opened.name, downloaded: [...downloaded], ...result }),
)
await opened.close()
