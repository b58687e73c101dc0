import { stat } from 'node:fs/promises'
import process from 'node:process'
import { messageOf } from '../errors.ts'
import type { Logger } from '../log.ts'
import { startPeriodicTask } from '../periodic-work.ts'

export type WatchedFile = {
  readonly setting: string
  /** Undefined: the setting is not set, and nothing is watched. */
  readonly path: string | undefined
  /** Reads the file and takes what it says. If it throws, what was taken before stays. */
  readonly load: () => Promise<void>
}

/** A file is read when two looks in a row find the same change: an editor or a copy writes in several steps. */
const lookMs = 1_000

/**
 * Reads files of settings again when they change, and all of them on SIGHUP. It looks at their time and size, because a
 * file that Kubernetes mounts is a link to a folder that is replaced, of which `fs.watch` tells nothing.
 */
export function watchSettingsFiles(
  files: readonly WatchedFile[],
  log: Logger,
  everyMs = lookMs,
): { stop(): Promise<void> } {
  const watches = files.flatMap(({ path, ...file }) => (path === undefined ? [] : [watchOf(path, file, log)]))
  const report = (error: unknown) =>
    log.warn({ reason: messageOf(error) }, 'settings files were not looked at')
  const task = startPeriodicTask(
    async () => {
      for (const { look } of watches) await look()
    },
    everyMs,
    report,
  )
  const onHangUp = () => {
    for (const { mark } of watches) mark()
    task.runSoon()
  }
  // A terminal that is closed sends SIGHUP too, and then the process should end.
  const takesHangUp = watches.length > 0 && !process.stdin.isTTY
  if (takesHangUp) process.on('SIGHUP', onHangUp)
  return {
    async stop() {
      process.off('SIGHUP', onHangUp)
      await task.stop()
    },
  }
}

function watchOf(path: string, { setting, load }: Omit<WatchedFile, 'path'>, log: Logger) {
  // A change since the process began may have come after the first reading.
  let taken: string | undefined
  let seen: string | undefined
  let isDue = false
  const read = async (state: string) => {
    taken = state
    try {
      await load()
      log.info({ setting, path }, `${setting} was read again`)
    } catch (error) {
      log.error(
        { setting, path, reason: messageOf(error) },
        `${setting} was not taken over: the old one stays`,
      )
    }
  }
  return {
    mark: () => {
      isDue = true
    },
    async look() {
      const { state, changedAt } = await stateOf(path)
      taken ??= changedAt < performance.timeOrigin ? state : ''
      const isSettled = state !== taken && state === seen
      seen = state
      if (!isDue && !isSettled) return
      isDue = false
      await read(state)
    },
  }
}

/** A missing file is a state too: its reading fails, which the log then says once. */
async function stateOf(path: string): Promise<{ readonly state: string; readonly changedAt: number }> {
  const found = await stat(path).catch(() => undefined)
  if (!found) return { state: 'missing', changedAt: 0 }
  return { state: `${found.mtimeMs} ${found.size} ${found.ino}`, changedAt: found.mtimeMs }
}
