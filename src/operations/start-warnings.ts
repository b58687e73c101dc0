import { keysWithoutPepper } from '../accounts/keys/pepper-check.ts'
import type { Installation } from '../installation.ts'
import type { Logger } from '../log.ts'
import { type ExportPlace, reachExport } from '../sources/collections/export-place.ts'

/** A version of `KEY_PEPPER` may be removed on purpose, so its keys are no reason to refuse the start. */
export async function warnOfLostKeys({ database, peppers }: Installation, log: Logger): Promise<void> {
  const keys = await keysWithoutPepper(database.system, peppers)
  if (keys === 0) return
  log.warn({ keys }, 'KEY_PEPPER lacks the version that working API keys were made with: they get 401')
}

/** The folder may be on a disk that is mounted later, and only collections need it. */
export async function warnOfNoFolder(place: ExportPlace, log: Logger): Promise<void> {
  if (place.kind !== 'folder') return
  await reachExport(place).catch(() =>
    log.warn({ folder: place.path }, 'LIBRARY_EXPORT names no folder: collections cannot be added'),
  )
}
