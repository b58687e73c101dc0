import { existsSync } from 'node:fs'
import path from 'node:path'
import { messageOf } from '../../errors.ts'
import { type EmbeddingModel, EmbeddingsFault, type Vector } from './embedding-model.ts'
import type { Download, LocalModelData, LocalModelReply, LocalModelRequest } from './local-model-thread.ts'
import { RequestThread } from './request-thread.ts'
import { withTimeLimit } from './time-limit.ts'

export type { Download } from './local-model-thread.ts'

export type LocalModelSettings = {
  /** The id of a repository on the Hugging Face Hub with ONNX files, or the path of a folder with its files. */
  readonly model: string
  /** Folder that keeps downloaded models. */
  readonly cacheDir: string
  /** Base URL of the Hub or a mirror of it, without a slash at its end; undefined: `https://huggingface.co`. */
  readonly hubUrl?: string | undefined
}

/** The package that runs the model, and the command that installs it beside the others. */
export const localModelPackage = '@huggingface/transformers'
export const localModelInstall = 'npm run embeddings:install'

/** Whether `localModelPackage` is installed. */
export function canRunLocalModel(): boolean {
  try {
    import.meta.resolve(localModelPackage)
    return true
  } catch {
    return false
  }
}

/** A path rather than an id: `/srv/models/e5`, `./e5`. */
const isPath = (model: string): boolean => path.isAbsolute(model) || model.startsWith('.')

/**
 * A model that runs in a thread of this process by ONNX Runtime. The first `embed` loads it, and downloads it before
 * when it is no folder.
 * @param onDownload called some times a second while a file is downloaded.
 */
export function openLocalModel(
  settings: LocalModelSettings,
  onDownload: (download: Download) => void = () => undefined,
): EmbeddingModel {
  const model = isPath(settings.model) ? path.resolve(settings.model) : settings.model
  const { cacheDir, hubUrl } = settings
  const workerData: LocalModelData = { model, isFolder: isPath(settings.model), cacheDir, hubUrl }
  let thread: RequestThread<LocalModelRequest, LocalModelReply> | undefined

  /** A thread that has ended is replaced. */
  function openThread(): RequestThread<LocalModelRequest, LocalModelReply> {
    if (thread && !thread.hasEnded) return thread
    const onNotice = (notice: object) => onDownload(notice as Download)
    thread = new RequestThread(new URL('./local-model-thread.ts', import.meta.url), { workerData, onNotice })
    return thread
  }

  async function embed(request: Omit<LocalModelRequest, 'id'>): Promise<readonly Vector[]> {
    if (workerData.isFolder && !existsSync(model)) {
      throw new EmbeddingsFault(`There is no folder ${model}. Check EMBEDDINGS_MODEL.`, false)
    }
    const reply = await openThread()
      .request(request)
      .catch((error: unknown): never => {
        throw cannotRun(model, messageOf(error))
      })
    if ('fault' in reply) throw cannotRun(model, reply.fault)
    return rowsOf(reply.values, reply.dims)
  }

  return {
    name: `local:${settings.model}`,
    embed(texts, kind, policy) {
      const vectors = embed({ texts, kind })
      // A bulk of texts has no time limit: the first one waits for the download.
      if (!policy) return vectors
      const { timeoutMs } = policy
      return withTimeLimit(vectors, timeoutMs, () => {
        return new EmbeddingsFault(`The model ${model} gave no vector within ${timeoutMs} ms.`, true)
      })
    },
    async encode(input, dimensions, { timeoutMs }) {
      const texts = input.filter((one) => typeof one === 'string')
      if (texts.length < input.length) {
        throw ofInput(`The model ${model} runs in the service and reads texts, no token numbers. Send texts.`)
      }
      const vectors = await withTimeLimit(embed({ texts, kind: 'passage' }), timeoutMs, () => {
        return new EmbeddingsFault(`The model ${model} gave no vector within ${timeoutMs} ms.`, true)
      })
      const own = vectors[0]?.length
      if (dimensions === undefined || dimensions === own) return { vectors, promptTokens: undefined }
      throw ofInput(`The model ${model} gives vectors of ${own} dimensions only. Leave out \`dimensions\`.`)
    },
    async close() {
      await thread?.close()
    },
  }
}

function ofInput(message: string): EmbeddingsFault {
  return new EmbeddingsFault(message, false, 0, true)
}

function rowsOf(values: Float32Array, dims: number): readonly Vector[] {
  return Array.from({ length: values.length / dims }, (_, i) => values.subarray(i * dims, (i + 1) * dims))
}

function cannotRun(model: string, reason: string): EmbeddingsFault {
  return new EmbeddingsFault(`The model ${model} cannot be run: ${reason}`, false)
}
