import { ServiceError } from '../errors.ts'
import { newId } from '../ids.ts'

/** Contents outside of Postgres: objects in the buckets of one S3-compatible service. */
export type ObjectStore = {
  /** Where the content of uploads goes, such as `s3://bucket/prefix`. Undefined: to Postgres. */
  readonly url: string | undefined
  /**
   * Stores an object. It exists only when all of it has arrived.
   * @throws ServiceError `file_store_unavailable`; what `content` throws.
   */
  put(location: string, content: AsyncIterable<Buffer>): Promise<void>
  /**
   * The bytes from `start` to before `end`.
   * @throws ContentLost when there is no such object; ServiceError `file_store_unavailable`.
   */
  get(location: string, range: ByteRange, signal?: AbortSignal): AsyncIterable<Buffer>
  /** The size of an object in bytes. Undefined when it does not exist. @throws ServiceError `file_store_unavailable`. */
  size(location: string): Promise<number | undefined>
  /** Removes an object, if it exists. @throws ServiceError `file_store_unavailable`. */
  remove(location: string): Promise<void>
  /** Looks for an object that does not exist. @throws ServiceError `file_store_unavailable` when `url` cannot be used. */
  check(url: string): Promise<void>
}

/** `end` is exclusive. */
export type ByteRange = { readonly start: number; readonly end: number }

/** A content that is no longer where its version says: deleted, or moved to another store. */
export class ContentLost extends Error {
  override readonly name = 'ContentLost'
}

export const isStoreFault = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'file_store_unavailable'

/** A name in a store for a content of the account. It is new, because a removal of an older one can be under way. */
export const newLocation = (url: string, accountId: string): string => `${url}/${accountId}/${newId('file')}`
