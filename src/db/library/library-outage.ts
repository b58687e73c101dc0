import { ServiceError } from '../../errors.ts'
import { databaseFault, isTransient, reasonOf } from '../errors.ts'
import { retryTransient } from '../retry.ts'
import type { LibraryDatabase } from './library-database.ts'

/** A turn waits this long for a separate library database, so that a failover costs it nothing. */
const outageMs = 10_000

/** For this long after a failed read, each read tries once, so that a turn does not wait at every call. */
const silenceMs = 30_000

/** Until when reads try once. */
const silentUntil = new WeakMap<LibraryDatabase, number>()

/** The library database does not answer. The rest of the service works. */
export class LibraryUnavailable extends ServiceError {
  constructor(cause: unknown) {
    super('database_unavailable', 'The library cannot be reached at present. Try again in a minute.', {
      cause,
    })
  }
}

/**
 * Repeats `work`, which reads the library, while the database fails with transient errors. In the main database it
 * repeats until `signal` is aborted, because the turn could not be written either. In a separate one it repeats for at
 * most 10 seconds, and not at all within 30 seconds of a read that failed so.
 * @throws LibraryUnavailable after that time; otherwise the last error of `work`.
 */
export async function retryLibraryRead<T>(
  library: LibraryDatabase,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  if (!library.isSeparate) return retryTransient(work, signal)
  const isSilent = performance.now() < (silentUntil.get(library) ?? 0)
  const limit = isSilent ? AbortSignal.abort() : AbortSignal.timeout(outageMs)
  try {
    return await retryTransient(work, AbortSignal.any([signal, limit]))
  } catch (error) {
    const fault = databaseFault(error)
    if (signal.aborted || !fault || !isTransient(fault)) throw error
    silentUntil.set(library, performance.now() + silenceMs)
    throw new LibraryUnavailable(error)
  }
}

/** The reason of an outage for the log. */
export const outageReason = (error: unknown): string =>
  reasonOf(error instanceof LibraryUnavailable ? error.cause : error)
