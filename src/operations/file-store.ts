import { reasonOf } from '../db/errors.ts'
import type { Logger } from '../log.ts'
import { startPeriodicTask } from '../periodic-work.ts'
import {
  type DamagedObject,
  examineObjects,
  moveNewContents,
  type ObjectStores,
  sweepObjects,
} from '../workspace/moving.ts'
import { isStoreFault } from '../workspace/object-store.ts'

/** Whether the store of the settings answered last, and since when without a change. */
type FileStoreState = { readonly store: string; readonly reachable: boolean; readonly since: Date }

export type FileStoreHealth = {
  /** Empty: the settings name none, and only objects of earlier settings were examined. */
  readonly store: string
  readonly state: 'ok' | 'unavailable'
  /** Why it is unavailable. Empty otherwise. */
  readonly reason: string
  /** How many objects were compared with their rows. Undefined: none were asked for. */
  readonly examined?: number
  readonly damaged: readonly DamagedObject[]
}

/**
 * The state of the store of the settings; undefined without one. It never throws for the store.
 * @param each whether each object is compared with its row, also in stores of earlier settings.
 */
export async function fileStoreHealth(
  stores: ObjectStores,
  each: boolean,
): Promise<FileStoreHealth | undefined> {
  const { url } = stores.objects
  if (!url && !each) return undefined
  const store = url ?? ''
  try {
    if (url) await stores.objects.check(url)
    return { store, state: 'ok', reason: '', ...(each ? await examineObjects(stores) : { damaged: [] }) }
  } catch (error) {
    if (!isStoreFault(error)) throw error
    return { store, state: 'unavailable', reason: reasonOf(error.cause), damaged: [] }
  }
}

const everyMs = 60_000

/**
 * Asks the store at once and then every minute, and logs when it does not answer and when it does again. Then moves new
 * contents to it, and removes the objects that no version has. The start does not wait for it.
 */
export function keepFileStore(stores: ObjectStores, log: Pick<Logger, 'info' | 'warn' | 'error'>) {
  const { url } = stores.objects
  const stopping = new AbortController()
  let state: FileStoreState | undefined
  const note = (store: string, reason: string | undefined) => {
    const reachable = reason === undefined
    if (state?.reachable === reachable) return
    if (!reachable) log.warn({ store, reason }, `the file store ${store} cannot be used. Check FILES_URL`)
    else if (state) log.info({ store }, 'the file store can be used again')
    state = { store, reachable, since: new Date() }
  }
  const round = async () => {
    if (url) {
      const reason = await stores.objects.check(url).then(
        () => undefined,
        (error: Error) => reasonOf(error.cause ?? error),
      )
      note(url, reason)
      if (reason !== undefined) return
    }
    const { failed } = await moveNewContents(stores, stopping.signal)
    for (const { version, reason } of failed) log.error({ version, reason }, 'a file could not be moved')
    if (!stopping.signal.aborted) await sweepObjects(stores)
  }
  const report = (error: unknown) =>
    log.warn({ reason: reasonOf((error as Error).cause ?? error) }, 'the contents of files were not moved')
  const task = startPeriodicTask(round, everyMs, report)
  task.runSoon()
  return {
    /** Undefined without a store in the settings, and until its first answer. */
    state: () => state,
    stop(): Promise<void> {
      stopping.abort()
      return task.stop()
    },
  }
}
