import { createHash } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../db/client.ts'
import { fileChunks, fileVersions } from '../db/schema/index.ts'
import { headBytes } from './documents/kinds.ts'
import { type ByteRange, ContentLost, type ObjectStore } from './object-store.ts'

export { ContentLost }

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

/** A content: its id, the account that owns it, and the object that has it. Without `location` Postgres has it. */
export type VersionKey = {
  readonly id: string
  readonly accountId: string
  readonly location: string | null
}

/** What stores contents. Without `objects` all are in Postgres. */
export type FileStores = { readonly database: Database; readonly objects?: ObjectStore | undefined }

/** One place for contents: Postgres, or the objects of a bucket. */
type ContentStore = {
  /**
   * Stores a content piece by piece, without an open transaction while bytes arrive.
   * @param noted what each piece writes besides.
   */
  write(
    version: VersionKey,
    pieces: AsyncIterable<Buffer>,
    noted: (executor: Executor) => Promise<void>,
  ): Promise<void>
  /** @throws ContentLost when it is not there, or no longer. */
  read(version: VersionKey, range: ByteRange): AsyncIterable<Buffer>
}

function storeOf(stores: FileStores, { location }: VersionKey): ContentStore {
  return location === null ? chunkStore(stores) : objectContent(stores, location)
}

function chunkStore({ database }: FileStores): ContentStore {
  return {
    async write(version, pieces, noted) {
      let index = 0
      for await (const data of pieces) {
        const row = chunkOf(version, index, data)
        await withTx(database, version, async (tx) => {
          await tx.insert(fileChunks).values(row)
          await noted(tx)
        })
        index += 1
      }
    },
    async *read(version, { start, end }) {
      for (let at = start; at < end; ) {
        const index = Math.floor(at / chunkBytes)
        const [from, to] = [at % chunkBytes, Math.min(chunkBytes, end - index * chunkBytes)]
        const data = await withTx(database, version, (tx) => readChunk(tx, version.id, index, from, to))
        if (data?.length !== to - from)
          throw new ContentLost(`version ${version.id} has no chunk ${index} any more`)
        yield data
        at += data.length
      }
    },
  }
}

function objectContent({ database, objects }: FileStores, location: string): ContentStore {
  if (!objects) throw new Error(`no store is open for ${location}`)
  return {
    async write(version, pieces, noted) {
      async function* passed() {
        let isFirst = true
        for await (const data of pieces) {
          const head = isFirst && chunkOf(version, 0, data.subarray(0, headBytes))
          await withTx(database, version, async (tx) => {
            if (head) await tx.insert(fileChunks).values(head)
            await noted(tx)
          })
          isFirst = false
          yield data
        }
      }
      await objects.put(location, passed())
    },
    read: (_, range) => objects.get(location, range),
  }
}

export const chunkOf = ({ id, accountId }: VersionKey, index: number, data: Buffer) => ({
  versionId: id,
  index,
  accountId,
  data,
})

export type Sealed = { readonly bytes: number; readonly sha256: string }

/** Stores content from memory in Postgres, in the caller's transaction: no transaction waits for another store. */
export async function storeBuffer(
  executor: Executor,
  version: Omit<VersionKey, 'location'>,
  content: Buffer,
): Promise<Sealed> {
  for (let index = 0; index * chunkBytes < content.length; index += 1) {
    const data = content.subarray(index * chunkBytes, (index + 1) * chunkBytes)
    await executor.insert(fileChunks).values(chunkOf({ ...version, location: null }, index, data))
  }
  return { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
}

/**
 * Stores a stream in the store of the version.
 * @param space number of bytes that may be stored. The rest of the stream is read and discarded, because a sender
 * that is cut off does not read the error.
 * @returns the number of received bytes; no checksum when space ran out.
 * @throws ServiceError `file_store_unavailable`.
 */
export async function storeStream(
  stores: FileStores,
  version: VersionKey,
  source: AsyncIterable<Uint8Array>,
  space: {
    fits(bytes: number): Promise<boolean>
    noteProgress(executor: Executor): Promise<void>
  },
): Promise<Omit<Sealed, 'sha256'> & { readonly sha256: string | undefined }> {
  const hash = createHash('sha256')
  let [bytes, whole] = [0, true]
  async function* fitting() {
    for await (const data of chunked(source)) {
      bytes += data.length
      whole &&= await space.fits(bytes)
      if (whole) {
        hash.update(data)
        yield data
      } else await withTx(stores.database, version, (tx) => space.noteProgress(tx))
    }
  }
  await storeOf(stores, version).write(version, fitting(), (tx) => space.noteProgress(tx))
  return { bytes, sha256: whole ? hash.digest('hex') : undefined }
}

/**
 * Reads the bytes of a version from `start` to before `end`, piece by piece. When the content is moved to another store
 * meanwhile, it goes on there.
 * @throws ContentLost when the file is deleted during the read, so that a part is not taken for the whole; ServiceError
 * `file_store_unavailable`.
 */
export async function* readStream(
  stores: FileStores,
  version: VersionKey,
  { start, end }: ByteRange,
): AsyncGenerator<Buffer> {
  let [place, at] = [version, start]
  for (;;) {
    try {
      for await (const piece of storeOf(stores, place).read(place, { start: at, end })) {
        yield piece
        at += piece.length
      }
      return
    } catch (error) {
      if (!(error instanceof ContentLost)) throw error
      const { id } = version
      const location = await withTx(stores.database, version, (tx) => locationOf(tx, id))
      if (location === undefined || location === place.location) throw error
      place = { ...version, location }
    }
  }
}

/** The object of a version now. Undefined when there is no such version. */
export async function locationOf(executor: Executor, id: string): Promise<string | null | undefined> {
  const [row] = await executor
    .select({ location: fileVersions.location })
    .from(fileVersions)
    .where(eq(fileVersions.id, id))
  return row?.location
}

/** Reads the whole content outside of a transaction. Only for small files. Errors as of `readStream`. */
export async function readWhole(
  stores: FileStores,
  version: VersionKey & { readonly bytes: number },
): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(readStream(stores, version, { start: 0, end: version.bytes })))
}

/** A transaction must not wait long for an object, because others wait for its locks. */
const inTransactionMs = 5_000

/** Reads the whole content in a transaction. Only for small texts. Errors as of `readStream`. */
export async function readBuffer(
  { objects }: Pick<FileStores, 'objects'>,
  executor: Executor,
  version: VersionKey & { readonly bytes: number },
): Promise<Buffer> {
  const { id, bytes } = version
  if (version.location === null) {
    const chunks: Buffer[] = []
    for (let data = await readChunk(executor, id, 0); data; ) {
      chunks.push(data)
      data = await readChunk(executor, id, chunks.length)
    }
    const content = Buffer.concat(chunks)
    if (content.length === bytes) return content
  }
  const location = version.location ?? (await locationOf(executor, id))
  if (!location || !objects) throw new ContentLost(`version ${id} has no content any more`)
  const read = objects.get(location, { start: 0, end: bytes }, AbortSignal.timeout(inTransactionMs))
  return Buffer.concat(await Array.fromAsync(read))
}

/** Reads the first bytes of a version, at most `headBytes`. They are in Postgres, wherever the content is. */
export async function readHead(
  executor: Executor,
  versionId: string,
  bytes: number = headBytes,
): Promise<Buffer> {
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
