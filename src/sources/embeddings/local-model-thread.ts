import { existsSync } from 'node:fs'
import path from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { modelText, type TextKind } from './embedding-model.ts'
import { familyOf } from './model-family.ts'

/** Which model the thread runs. */
export type LocalModelData = {
  /** The id of a repository on the Hugging Face Hub, or the path of a folder with the files of one. */
  readonly model: string
  readonly isFolder: boolean
  /** Where downloaded models are kept. */
  readonly cacheDir: string
  /** Undefined: the package's own, `https://huggingface.co`. */
  readonly hubUrl: string | undefined
}

export type LocalModelRequest = {
  readonly id: number
  readonly texts: readonly string[]
  readonly kind: TextKind
}

/** The answer to a request. */
export type LocalModelReply =
  | { readonly id: number; readonly values: Float32Array; readonly dims: number }
  | { readonly id: number; readonly fault: string }

/** A file on its way, which the thread sends without a request. */
export type Download = { readonly file: string; readonly loaded: number; readonly total: number }

/** What is used of the package, which is no dependency: `npm ci` stays small. */
type Transformers = {
  readonly env: {
    cacheDir: string
    localModelPath: string
    remoteHost: string
    allowRemoteModels: boolean
    allowLocalModels: boolean
  }
  pipeline(
    task: 'feature-extraction',
    model: string,
    options: { readonly dtype: 'q8' | 'fp32'; readonly progress_callback: (progress: Progress) => void },
  ): Promise<Extractor>
}
type Extractor = (
  texts: readonly string[],
  options: { readonly pooling: 'mean' | 'cls'; readonly normalize: boolean },
) => Promise<{ readonly data: Float32Array; readonly dims: readonly number[] }>
type Progress = {
  readonly status: string
  readonly file?: string
  readonly loaded?: number
  readonly total?: number
}

/** Texts that run at once: more gain nothing on a processor and take memory. */
const runSize = 16

const data = workerData as LocalModelData
const port = parentPort
if (!port) throw new Error('local-model-thread runs as a worker thread')
const family = familyOf(data.model)
let extractor: Promise<Extractor> | undefined
// One request at a time: each uses all processors.
let queue: Promise<void> = Promise.resolve()

port.on('message', (request: LocalModelRequest) => {
  queue = queue.then(async () => port.postMessage(await answer(request)))
})

async function answer({ id, texts, kind }: LocalModelRequest): Promise<LocalModelReply> {
  try {
    extractor ??= load()
    const extract = await extractor
    const parts: Float32Array[] = []
    let dims = 0
    for (let from = 0; from < texts.length; from += runSize) {
      const run = texts.slice(from, from + runSize).map((text) => family.prefix[kind] + modelText(text))
      const tensor = await extract(run, { pooling: family.pooling, normalize: true })
      dims = tensor.dims.at(-1) ?? 0
      parts.push(tensor.data)
    }
    return { id, values: Float32Array.from(parts.flatMap((part) => [...part])), dims }
  } catch (error) {
    extractor = undefined
    return { id, fault: error instanceof Error ? error.message : String(error) }
  }
}

async function load(): Promise<Extractor> {
  // Not a literal: the compiler would look for the types of a package that most installations lack.
  const name = '@huggingface/transformers'
  const { env, pipeline } = (await import(name)) as Transformers
  env.cacheDir = data.cacheDir
  env.allowRemoteModels = !data.isFolder
  env.allowLocalModels = data.isFolder
  if (data.hubUrl) env.remoteHost = `${data.hubUrl}/`
  if (data.isFolder) env.localModelPath = `${path.dirname(data.model)}/`
  return pipeline('feature-extraction', data.isFolder ? path.basename(data.model) : data.model, {
    dtype: precision(),
    progress_callback: ({ status, file, loaded, total }) => {
      // Reading from a folder is reported too, but downloads nothing.
      if (data.isFolder || status !== 'progress' || !file || !total) return
      const download: Download = { file, loaded: loaded ?? 0, total }
      port?.postMessage(download)
    },
  })
}

/** 8 bits, a quarter of the size at almost the same quality, unless a folder has the full precision only. */
function precision(): 'q8' | 'fp32' {
  const hasQuantized = existsSync(path.join(data.model, 'onnx', 'model_quantized.onnx'))
  return data.isFolder && !hasQuantized ? 'fp32' : 'q8'
}
