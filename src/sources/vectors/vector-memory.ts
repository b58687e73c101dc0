import { sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { copyOut } from '../../db/copy.ts'
import type { Vector } from '../embeddings/embedding-model.ts'
import { RequestThread } from '../embeddings/request-thread.ts'
import { withTimeLimit } from '../embeddings/time-limit.ts'
import { quantize } from './quantize.ts'
import type { VectorIndex } from './vector-index.ts'
import { countLost, type KnownModel, knownModel } from './vector-rows.ts'
import type { LoadedVectors, VectorReply, VectorRequest } from './vector-thread.ts'

type VectorThread = RequestThread<VectorRequest, VectorReply>

/** How old the vectors may be before the next search reads what is new. */
const defaultRefreshMs = 10_000

/** Bytes that go to the thread at once. */
const batchBytes = 1024 * 1024

/** Reading a million vectors takes some seconds; on a busy machine far longer. */
const loadTimeout = '10min'

/** What the thread holds. */
type Held = LoadedVectors & { readonly model: KnownModel }

/**
 * The vectors of a model in the memory of a thread, and the exact search among them. They are read from the database at
 * the first search and whenever there are more. Until they are read for the first time, searches wait.
 */
export function openVectorMemory(
  database: Database,
  modelName: string,
  { refreshMs = defaultRefreshMs }: { readonly refreshMs?: number } = {},
): VectorIndex {
  let thread: VectorThread | undefined
  let held: Held | undefined
  let refreshing: Promise<void> | undefined
  let refreshedAt = Number.NEGATIVE_INFINITY

  async function refresh(): Promise<void> {
    const current = openThread()
    try {
      held = await withTx(database, 'system', (tx) => load(tx, current, modelName, held))
      refreshedAt = performance.now()
    } catch (error) {
      // The thread may have read a part of it.
      held = undefined
      throw error
    }
  }

  /** A thread that has ended is replaced, and holds nothing yet. */
  function openThread(): VectorThread {
    if (thread && !thread.hasEnded) return thread
    thread = new RequestThread(new URL('./vector-thread.ts', import.meta.url))
    held = undefined
    return thread
  }

  /** The refresh under way, a new one when the last is too old, or nothing to wait for. */
  function refreshWhenDue(): Promise<void> | undefined {
    if (thread?.hasEnded) held = undefined
    if (!refreshing && performance.now() - refreshedAt >= refreshMs) {
      refreshing = refresh().finally(() => {
        refreshing = undefined
      })
      // A search that does not wait for it goes on with what is held.
      refreshing.catch(() => undefined)
    }
    return held ? undefined : refreshing
  }

  async function find(vector: Vector, bounds: Parameters<VectorIndex['nearest']>[1]) {
    await refreshWhenDue()
    if (!thread || !held || held.count === 0) return []
    if (vector.length !== held.model.dims) {
      throw new Error(
        `the model gave ${vector.length} dimensions, the library has vectors of ${held.model.dims}`,
      )
    }
    const { ranges, limit } = bounds
    const reply = await thread.request({ kind: 'nearest', query: quantize(vector), ranges, limit })
    return reply.documents ?? []
  }

  return {
    nearest: (vector, bounds) =>
      withTimeLimit(find(vector, bounds), bounds.timeoutMs, () => {
        return new Error(`the vectors were not searched within ${bounds.timeoutMs} ms`)
      }),
    async close() {
      await refreshing?.catch(() => undefined)
      await thread?.close()
    },
  }
}

/** Reads what the thread lacks. Everything, when vectors were replaced or removed since. */
async function load(
  tx: Executor,
  thread: VectorThread,
  modelName: string,
  held: Held | undefined,
): Promise<Held | undefined> {
  const model = await knownModel(tx, modelName)
  if (!model) return undefined
  const isSame = held !== undefined && (await isCurrent(tx, held, model))
  if (!isSame) thread.send({ kind: 'begin', dims: model.dims })
  await tx.execute(sql`select set_config('statement_timeout', ${loadTimeout}, true)`)
  const rows = copyOut(
    tx,
    `select doc_id, scale, components from passage_vectors
      where model_id = ${model.id} and doc_id > ${isSame ? held.last : 0} order by doc_id`,
  )
  // Each batch is waited for: the database may send faster than the thread reads.
  for await (const bytes of inBatches(rows)) await thread.request({ kind: 'rows', bytes }, [bytes.buffer])
  const { loaded } = await thread.request({ kind: 'commit' })
  return loaded && { ...loaded, model }
}

/** Chunks as copies in memory of their own, which can be handed over; a chunk is a part of what the socket read. */
async function* inBatches(chunks: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let gathered: Buffer[] = []
  let length = 0
  for await (const chunk of chunks) {
    gathered.push(chunk)
    length += chunk.length
    if (length < batchBytes) continue
    yield joined(gathered, length)
    gathered = []
    length = 0
  }
  if (length > 0) yield joined(gathered, length)
}

function joined(chunks: readonly Buffer[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** Whether reading on from the highest document gives what is lacking. A tenth of lost vectors is not worth a reload. */
async function isCurrent(tx: Executor, held: Held, model: KnownModel): Promise<boolean> {
  if (held.model.id !== model.id || held.model.revision !== model.revision) return false
  return (await countLost(tx, model.id, held.sample)) * 10 <= held.sample.length
}
