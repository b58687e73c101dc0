import { createHash } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../db/client.ts'
import { fileChunks, fileVersions } from '../db/schema/index.ts'

/** Rows of 1 MiB keep memory flat; the driver would hold a larger value whole, twice. */
export const chunkBytes = 1024 * 1024

/** Cuts any stream of buffers into pieces of exactly `chunkBytes`, the last one shorter. Nothing for no bytes. */
export async function* chunked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = []
  let length = 0
  for await (const piece of source) {
    let rest = piece
    while (length + rest.length >= chunkBytes) {
      const take = chunkBytes - length
      yield Buffer.concat([...parts, rest.subarray(0, take)])
      parts = []
      length = 0
      rest = rest.subarray(take)
    }
    if (rest.length > 0) {
      parts.push(rest)
      length += rest.length
    }
  }
  if (length > 0) yield Buffer.concat(parts)
}

export type Sealed = { readonly bytes: number; readonly sha256: string }

/** Stores content that is in memory, in the caller's transaction. */
export async function storeBuffer(
  executor: Executor,
  version: { readonly id: string; readonly accountId: string },
  content: Buffer,
): Promise<Sealed> {
  for (let index = 0; index * chunkBytes < content.length; index += 1) {
    const data = content.subarray(index * chunkBytes, (index + 1) * chunkBytes)
    await executor
      .insert(fileChunks)
      .values({ versionId: version.id, index, accountId: version.accountId, data })
  }
  return { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
}

/** Stores a stream chunk by chunk, each in a transaction of its own: no connection is held while bytes arrive. */
export async function storeStream(
  database: Database,
  version: { readonly id: string; readonly accountId: string },
  source: AsyncIterable<Uint8Array>,
): Promise<Sealed> {
  const hash = createHash('sha256')
  let [index, bytes] = [0, 0]
  for await (const data of chunked(source)) {
    hash.update(data)
    bytes += data.length
    const row = { versionId: version.id, index, accountId: version.accountId, data }
    await withTx(database, version, (tx) => tx.insert(fileChunks).values(row))
    index += 1
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** The bytes of a version, a chunk at a time, each read in a transaction of its own. */
export async function* readStream(
  database: Database,
  version: { readonly id: string; readonly accountId: string },
): AsyncGenerator<Buffer> {
  for (let index = 0; ; index += 1) {
    const data = await withTx(database, version, (tx) => readChunk(tx, version.id, index))
    if (!data) return
    yield data
  }
}

/** The whole content, for texts that are known to be small. */
export async function readBuffer(executor: Executor, versionId: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let data = await readChunk(executor, versionId, 0); data; ) {
    chunks.push(data)
    data = await readChunk(executor, versionId, chunks.length)
  }
  return Buffer.concat(chunks)
}

async function readChunk(executor: Executor, versionId: string, index: number): Promise<Buffer | undefined> {
  const [row] = await executor
    .select({ data: fileChunks.data })
    .from(fileChunks)
    .where(and(eq(fileChunks.versionId, versionId), eq(fileChunks.index, index)))
  return row?.data
}

/** Bytes that an account's files take, older versions included. */
export async function storedBytes(executor: Executor, accountId: string): Promise<number> {
  const [row] = await executor
    .select({ bytes: sql<string>`coalesce(sum(${fileVersions.bytes}), 0)` })
    .from(fileVersions)
    .where(and(eq(fileVersions.accountId, accountId), eq(fileVersions.state, 'sealed')))
  return Number(row?.bytes ?? 0)
}
