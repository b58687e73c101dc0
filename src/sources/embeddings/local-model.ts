import { existsSync } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { type EmbeddingModel, EmbeddingsFault, type Vector } from './embedding-model.ts'
import type { LocalModelData, LocalModelReply, LocalModelRequest } from './local-model-thread.ts'
import { withTimeLimit } from './time-limit.ts'

export type LocalModelSettings = {
  /** The id of a repository on the Hugging Face Hub with ONNX files, or the path of a folder with its files. */
  readonly model: string
  /** Folder that keeps downloaded models. */
  readonly cacheDir: string
  /** Base URL of the Hub or a mirror of it, without a slash at its end; undefined: `https://huggingface.co`. */
  readonly hubUrl?: string | undefined
}

export type Download = { readonly file: string; readonly loaded: number; readonly total: number }

/** The package that runs the model, and the command that installs it beside the others. */
export const localModelPackage = '@huggingface/transformers'
export const localModelInstall = 'npm run embeddings:install'

type Waiting = { resolve(vectors: readonly Vector[]): void; reject(fault: EmbeddingsFault): void }

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
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let lastId = 0

  function openThread(): Worker {
    const opened = new Worker(new URL('./local-model-thread.ts', import.meta.url), { workerData })
    opened.unref()
    opened.on('message', (reply: LocalModelReply) => {
      if ('file' in reply) return onDownload(reply)
      const request = waiting.get(reply.id)
      waiting.delete(reply.id)
      if ('fault' in reply) request?.reject(cannotRun(model, reply.fault))
      else request?.resolve(rowsOf(reply.values, reply.dims))
    })
    const end = (reason: string) => {
      if (worker === opened) worker = undefined
      for (const { reject } of waiting.values()) reject(cannotRun(model, reason))
      waiting.clear()
    }
    opened.on('error', (error) => end(error.message))
    opened.on('exit', () => end('its thread has ended'))
    return opened
  }

  async function embed(request: Omit<LocalModelRequest, 'id'>): Promise<readonly Vector[]> {
    if (workerData.isFolder && !existsSync(model)) {
      throw new EmbeddingsFault(`There is no folder ${model}. Check EMBEDDINGS_MODEL.`, false)
    }
    worker ??= openThread()
    lastId += 1
    const id = lastId
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      worker?.postMessage({ ...request, id })
    })
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
    async close() {
      await worker?.terminate()
    },
  }
}

function rowsOf(values: Float32Array, dims: number): readonly Vector[] {
  return Array.from({ length: values.length / dims }, (_, i) => values.subarray(i * dims, (i + 1) * dims))
}

function cannotRun(model: string, reason: string): EmbeddingsFault {
  return new EmbeddingsFault(`The model ${model} cannot be run: ${reason}`, false)
}
