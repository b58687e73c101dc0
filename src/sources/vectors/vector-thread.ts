import { parentPort } from 'node:worker_threads'
import type { DocumentRanges } from '../index/document-ranges.ts'
import { CopiedRows } from './copied-rows.ts'
import type { QuantizedVector } from './quantize.ts'
import { VectorScan } from './vector-scan.ts'

/** What the thread that holds the vectors is asked. A load is one `begin` unless it appends, `rows`, and one `commit`. */
export type VectorRequest =
  /** Starts from nothing, for vectors of this many dimensions. */
  | { readonly kind: 'begin'; readonly dims: number }
  /** The next bytes of a binary COPY. The reply says that they are read. */
  | { readonly kind: 'rows'; readonly bytes: Uint8Array; readonly id: number }
  /** From now on searches see what was loaded. */
  | { readonly kind: 'commit'; readonly id: number }
  | {
      readonly kind: 'nearest'
      readonly id: number
      readonly query: QuantizedVector
      readonly ranges: DocumentRanges | undefined
      readonly limit: number
    }

export type VectorReply = {
  readonly id: number
  /** Answers `nearest`. */
  readonly documents?: readonly number[]
  /** Answers `commit`. */
  readonly loaded?: LoadedVectors
}

export type LoadedVectors = {
  readonly count: number
  /** Some of the documents, to find out later whether they still exist. */
  readonly sample: readonly number[]
  /** The highest document; 0 without any. */
  readonly last: number
}

const sampleSize = 64

let searched = new VectorScan(1)
let loading = searched
let rows = new CopiedRows()

function answer(request: VectorRequest): VectorReply | undefined {
  switch (request.kind) {
    case 'begin':
      loading = new VectorScan(request.dims)
      rows = new CopiedRows()
      return undefined
    case 'rows':
      for (const row of rows.read(request.bytes)) loading.add(row.document, row.scale, row.components)
      return { id: request.id }
    case 'commit':
      searched = loading
      rows = new CopiedRows()
      return { id: request.id, loaded: { count: searched.count, ...searched.sample(sampleSize) } }
    case 'nearest':
      return { id: request.id, documents: searched.nearest(request.query, request.ranges, request.limit) }
  }
}

const port = parentPort
if (!port) throw new Error('vector-thread runs as a worker thread')
port.on('message', (request: VectorRequest) => {
  const reply = answer(request)
  if (reply) port.postMessage(reply)
})
