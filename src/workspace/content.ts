import { createHash } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../db/client.ts'
import { fileChunks } from '../db/schema/index.ts'

/**
 * Chunk size of stored content. Rows of 1 MiB limit memory; the driver would hold a larger value completely, twice.
 */
export const chunkBytes = 1024 * 1024

/**
 * Cuts a stream of buffers into pieces of exactly `chunkBytes`; the last one may be shorter. An empty stream gives
 * none.
 */
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

/** The id of a content and the account that owns it. */
export type VersionKey = { readonly id: string; readonly accountId: string }

export class ContentLost extends Error {
  override readonly name = 'ContentLost'
}

export type Sealed = { readonly bytes: number; readonly sha256: string }

/** Stores content from memory, in the caller's transaction. */
export async function storeBuffer(executor: Executor, version: VersionKey, content: Buffer): Promise<Sealed> {
  for (let index = 0; index * chunkBytes < content.length; index += 1) {
    const data = content.subarray(index * chunkBytes, (index + 1) * chunkBytes)
    await executor
      .insert(fileChunks)
      .values({ versionId: version.id, index, accountId: version.accountId, data })
  }
  return { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
}

/**
 * Stores a stream chunk by chunk, each in its own transaction, so that no connection is held while bytes arrive.
 * @param space number of bytes that may be stored. The rest of the stream is read and discarded, because a sender
 * that is cut off does not read the error.
 * @returns the number of received bytes; no checksum when space ran out.
 */
export async function storeStream(
  database: Database,
  version: VersionKey,
  source: AsyncIterable<Uint8Array>,
  space: {
    fits(bytes: number): Promise<boolean>
    noteProgress(executor: Executor): Promise<void>
  },
): Promise<Omit<Sealed, 'sha256'> & { readonly sha256: string | undefined }> {
  const hash = createHash('sha256')
  let [index, bytes, whole] = [0, 0, true]
  for await (const data of chunked(source)) {
    bytes += data.length
    whole &&= await space.fits(bytes)
    if (whole) hash.update(data)
    const row = { versionId: version.id, index, accountId: version.accountId, data }
    await withTx(database, version, async (tx) => {
      if (whole) await tx.insert(fileChunks).values(row)
      await space.noteProgress(tx)
    })
    index += 1
  }
  return { bytes, sha256: whole ? hash.digest('hex') : undefined }
}

/**
 * Reads the bytes of a version from `start` to before `end`, chunk by chunk, each in its own transaction.
 * @throws ContentLost when the file is deleted during the read, so that a part is not taken for the whole.
 */
export async function* readStream(
  database: Database,
  version: VersionKey,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const index = Math.floor(at / chunkBytes)
    const [from, to] = [at % chunkBytes, Math.min(chunkBytes, end - index * chunkBytes)]
    const data = await withTx(database, version, (tx) => readChunk(tx, version.id, index, from, to))
    if (data?.length !== to - from)
      throw new ContentLost(`version ${version.id} has no chunk ${index} any more`)
    yield data
    at += data.length
  }
}

/** Reads the whole content. Only for small texts. */
export async function readBuffer(executor: Executor, versionId: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let data = await readChunk(executor, versionId, 0); data; ) {
    chunks.push(data)
    data = await readChunk(executor, versionId, chunks.length)
  }
  return Buffer.concat(chunks)
}

/** Reads the first bytes of a version, at most `bytes` and at most one chunk. */
export async function readHead(executor: Executor, versionId: string, bytes: number): Promise<Buffer> {
  return (await readChunk(executor, versionId, 0, 0, bytes)) ?? Buffer.alloc(0)
}

/** Reads the bytes of a chunk from `from` to before `to`. */
async function readChunk(
  executor: Executor,
  versionId: string,
  index: number,
  from = 0,
  to = chunkBytes,
): Promise<Buffer | undefined> {
  const data = sql<Buffer>`substring(${fileChunks.data} from ${from + 1} for ${to - from})`
  const [row] = await executor
    .select({ data })
    .from(fileChunks)
    .where(and(eq(fileChunks.versionId, versionId), eq(fileChunks.index, index)))
  return row?.data
}
