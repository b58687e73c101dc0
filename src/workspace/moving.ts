import { createHash } from 'node:crypto'
import { and, asc, eq, gt, isNotNull, isNull, ne, or, type SQL, sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../db/client.ts'
import { databaseFault, foreignKeyViolation } from '../db/errors.ts'
import { fileChunks, fileVersions, unusedObjects } from '../db/schema/index.ts'
import {
  ContentLost,
  chunked,
  chunkOf,
  locationOf,
  readStream,
  type Sealed,
  type VersionKey,
} from './content.ts'
import { headBytes } from './documents/kinds.ts'
import { newLocation, type ObjectStore } from './object-store.ts'

export type ObjectStores = { readonly database: Database; readonly objects: ObjectStore }

/** A version whose content can be moved. */
export type StoredContent = VersionKey & Sealed

/** Copied bytes that are not those of the version. Its content stays where it was. */
class ChecksumMismatch extends Error {
  override readonly name = 'ChecksumMismatch'
}

/** The version was deleted or moved by somebody else meanwhile. */
class Overtaken extends Error {}

const columns = {
  id: fileVersions.id,
  accountId: fileVersions.accountId,
  location: fileVersions.location,
  bytes: fileVersions.bytes,
  sha256: fileVersions.sha256,
}

/**
 * Goes through the complete versions that match a condition, by id, without an open transaction between them. So a version
 * that appears meanwhile can be missed.
 */
export async function* versionsWhere(database: Database, condition: SQL): AsyncGenerator<StoredContent> {
  for (let after = ''; ; ) {
    const page = await database.system
      .select(columns)
      .from(fileVersions)
      .where(and(gt(fileVersions.id, after), eq(fileVersions.state, 'sealed'), condition))
      .orderBy(asc(fileVersions.id))
      .limit(500)
    yield* page
    const last = page.at(-1)
    if (!last) return
    after = last.id
  }
}

/** Versions whose content is in an object. */
const inObjects: SQL = isNotNull(fileVersions.location)

/** Versions whose content is not in this store; `postgres` for Postgres. */
export function elsewhereThan(url: string): SQL {
  if (url === 'postgres') return inObjects
  const other = ne(sql`left(${fileVersions.location}, ${url.length + 1})`, `${url}/`)
  return or(isNull(fileVersions.location), other) as SQL
}

/**
 * Moves the content of a version to another store. Readers and writers go on meanwhile: the row says where the content is,
 * and changes when the copy is complete and has the right SHA-256.
 * @param to `postgres`, or such as `s3://bucket/prefix`.
 * @returns false if the version was deleted or moved by somebody else.
 * @throws ChecksumMismatch; ServiceError `file_store_unavailable`; ContentLost when the content is missing.
 */
async function moveContent(stores: ObjectStores, version: StoredContent, to: string): Promise<boolean> {
  try {
    if (to === 'postgres') await moveToPostgres(stores, version)
    else await moveToObject(stores, version, newLocation(to, version.accountId))
    return true
  } catch (error) {
    if (error instanceof Overtaken || databaseFault(error)?.code === foreignKeyViolation) return false
    const isThere = eq(fileVersions.id, version.id)
    if (error instanceof ContentLost && (await countVersions(stores.database, isThere)) === 0) return false
    throw error
  }
}

async function moveToObject(stores: ObjectStores, version: StoredContent, location: string): Promise<void> {
  const { id, accountId } = version
  const { database, objects } = stores
  // Written first, so that the object of a move that breaks off is removed.
  const unused = { location, accountId, dueAt: sql`now() + interval '1 day'` }
  await withTx(database, version, async (tx) => {
    if ((await locationOf(tx, id)) !== version.location) throw new Overtaken()
    await tx.insert(unusedObjects).values(unused)
  })
  const ofObject = eq(unusedObjects.location, location)
  try {
    await objects.put(location, checked(stores, version))
    await withTx(database, version, async (tx) => {
      await pointTo(tx, version, location)
      const { rowCount } = await tx.delete(unusedObjects).where(ofObject)
      if (rowCount !== 1) throw new Error(`the object ${location} was removed before the end of its move`)
      const ofVersion = eq(fileChunks.versionId, id)
      await tx.delete(fileChunks).where(and(ofVersion, gt(fileChunks.index, 0)))
      await tx
        .update(fileChunks)
        .set({ data: sql`substring(${fileChunks.data} for ${headBytes})` })
        .where(and(ofVersion, sql`octet_length(${fileChunks.data}) > ${headBytes}`))
    })
  } catch (error) {
    const isDue = { dueAt: sql`now()` }
    await withTx(database, version, (tx) => tx.update(unusedObjects).set(isDue).where(ofObject))
    throw error
  }
}

async function moveToPostgres(stores: ObjectStores, version: StoredContent): Promise<void> {
  const { database } = stores
  const store = (tx: Executor, index: number, data: Buffer) =>
    tx
      .insert(fileChunks)
      .values(chunkOf(version, index, data))
      .onConflictDoUpdate({ target: [fileChunks.versionId, fileChunks.index], set: { data } })
  let [index, first]: [number, Buffer] = [0, Buffer.alloc(0)]
  for await (const data of chunked(checked(stores, version))) {
    if (index === 0) first = data
    else await withTx(database, version, (tx) => store(tx, index, data))
    index += 1
  }
  await withTx(database, version, async (tx) => {
    await pointTo(tx, version, null)
    // The last one, because until now it has the first bytes only.
    if (first.length > 0) await store(tx, 0, first)
    const stored = sql<string>`coalesce(sum(octet_length(${fileChunks.data})), 0)`
    const [row] = await tx
      .select({ bytes: stored })
      .from(fileChunks)
      .where(eq(fileChunks.versionId, version.id))
    // A move in the other direction may have removed some.
    if (Number(row?.bytes) !== version.bytes) throw new Overtaken()
  })
}

/** Changes where the content is. What it leaves is removed later. @throws Overtaken. */
async function pointTo(tx: Executor, version: StoredContent, location: string | null): Promise<void> {
  const { id, accountId, location: left } = version
  const isAsBefore = sql`${fileVersions.location} is not distinct from ${left}`
  const moved = await tx
    .update(fileVersions)
    .set({ location })
    .where(and(eq(fileVersions.id, id), isAsBefore))
  if (moved.rowCount !== 1) throw new Overtaken()
  if (left !== null) await tx.insert(unusedObjects).values({ location: left, accountId })
}

/** The content of a version. @throws ChecksumMismatch at its end. */
async function* checked(stores: ObjectStores, version: StoredContent): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const piece of readStream(stores, version, { start: 0, end: version.bytes })) {
    hash.update(piece)
    yield piece
  }
  if (hash.digest('hex') !== version.sha256)
    throw new ChecksumMismatch(`the content of the version ${version.id} has another SHA-256`)
}

/** Objects that one transaction removes. */
const sweepBatch = 20

/**
 * Removes the objects that no version has and that are due. Their rows stay locked meanwhile, so that a move cannot take
 * one of them.
 * @returns their number.
 * @throws ServiceError `file_store_unavailable`.
 */
export async function sweepObjects({ database, objects }: ObjectStores): Promise<number> {
  for (let removed = 0; ; ) {
    const batch = await withTx(database, 'system', async (tx) => {
      const { rows } = await tx.execute<{ location: string; account_id: string }>(sql`
        delete from unused_objects where location in (
          select location from unused_objects where due_at <= now() limit ${sweepBatch} for update skip locked)
        returning location, account_id`)
      const ended = await Promise.allSettled(rows.map(({ location }) => objects.remove(location)))
      const faults: unknown[] = []
      for (const [i, { location, account_id: accountId }] of rows.entries()) {
        const end = ended[i]
        if (end?.status !== 'rejected') continue
        faults.push(end.reason)
        // Later, so that an object that cannot be removed does not keep the others.
        await tx.insert(unusedObjects).values({ location, accountId, dueAt: sql`now() + interval '1 hour'` })
      }
      return { size: rows.length, faults }
    })
    if (batch.faults.length > 0) throw batch.faults[0]
    removed += batch.size
    if (batch.size < sweepBatch) return removed
  }
}

export type MoveCounts = {
  moved: number
  bytes: number
  /** Deleted or moved by somebody else meanwhile. */
  overtaken: number
  /** Contents that stay where they are: they are damaged or missing. */
  readonly failed: { readonly version: string; readonly reason: string }[]
}

/**
 * Moves contents to a store, some at once, until all are moved or `signal` is aborted. Those under way are moved before it
 * resolves.
 * @throws ServiceError `file_store_unavailable`.
 */
export async function moveContents(
  stores: ObjectStores,
  versions: AsyncGenerator<StoredContent>,
  to: string,
  {
    signal,
    onMoved,
  }: { readonly signal?: AbortSignal; readonly onMoved?: (counts: MoveCounts) => void } = {},
): Promise<MoveCounts> {
  const counts: MoveCounts = { moved: 0, bytes: 0, overtaken: 0, failed: [] }
  async function move(version: StoredContent): Promise<void> {
    try {
      if (await moveContent(stores, version, to)) {
        counts.moved += 1
        counts.bytes += version.bytes
        onMoved?.(counts)
      } else counts.overtaken += 1
    } catch (error) {
      if (!(error instanceof ChecksumMismatch || error instanceof ContentLost)) throw error
      counts.failed.push({ version: version.id, reason: error.message })
    }
  }
  await forEach(versions, move, signal)
  return counts
}

/** Contents that are moved at once. Each has some 10 MB in memory. */
const atOnce = 4

/** @throws the first error of `work`, when what is under way has ended. */
async function forEach(
  versions: AsyncGenerator<StoredContent>,
  work: (version: StoredContent) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  let failed = false
  async function run(): Promise<void> {
    while (!failed && !signal?.aborted) {
      const { value: version, done } = await versions.next()
      if (done) return
      await work(version)
    }
  }
  const failing = (error: unknown) => {
    failed = true
    throw error
  }
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, () => run().catch(failing)))
  const first = ended.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
  if (first) throw first.reason
}

/** How many complete versions match a condition. */
export const countVersions = (database: Database, condition: SQL): Promise<number> =>
  database.system.$count(fileVersions, and(eq(fileVersions.state, 'sealed'), condition))

export type DamagedObject = { readonly version: string; readonly location: string; readonly problem: string }

/**
 * Compares each object with its version, without reading it.
 * @returns the number of objects, and those that are missing or have another size.
 * @throws ServiceError `file_store_unavailable`.
 */
export async function examineObjects({ database, objects }: ObjectStores): Promise<{
  readonly examined: number
  readonly damaged: readonly DamagedObject[]
}> {
  const damaged: DamagedObject[] = []
  let examined = 0
  await forEach(versionsWhere(database, inObjects), async ({ id: version, location, bytes }) => {
    if (location === null) return
    const size = await objects.size(location)
    examined += 1
    if (size === bytes) return
    // It may have been deleted or moved since.
    const isThere = and(eq(fileVersions.id, version), eq(fileVersions.location, location)) as SQL
    if ((await countVersions(database, isThere)) === 0) return
    const problem = size === undefined ? 'is missing' : `has ${size} bytes instead of ${bytes}`
    damaged.push({ version, location, problem })
  })
  return { examined, damaged }
}

/** Contents that one round moves, so that it stays short. */
const maxMoved = 1_000

/**
 * Moves contents of the last day from Postgres to the store of the settings. What is written in a transaction of a turn is
 * in Postgres at first: so a turn neither waits for the store nor writes half. In random order, because all replicas do so.
 * @throws ServiceError `file_store_unavailable`.
 */
export async function moveNewContents(stores: ObjectStores, signal?: AbortSignal): Promise<MoveCounts> {
  const { database, objects } = stores
  const isNew = sql`${fileVersions.location} is null and ${fileVersions.state} = 'sealed' and ${fileVersions.createdAt} > now() - interval '1 day'`
  const query = database.system.select(columns).from(fileVersions).where(isNew)
  const found = objects.url ? await query.orderBy(sql`random()`).limit(maxMoved) : []
  return moveContents(stores, generated(found), objects.url ?? '', signal && { signal })
}

async function* generated<T>(list: readonly T[]): AsyncGenerator<T> {
  yield* list
}
