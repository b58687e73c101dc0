import { invalidValue, messageOf, ServiceError } from '../../errors.ts'
import {
  countVersions,
  elsewhereThan,
  type MoveCounts,
  moveContents,
  versionsWhere,
} from '../../workspace/moving.ts'
import { isStoreFault } from '../../workspace/object-store.ts'
import { openObjectStore } from '../../workspace/s3.ts'
import type { Arguments, Command, Invocation, Output } from '../command.ts'
import { untilInterrupted } from '../interruption.ts'

export const fileCommands: Readonly<Record<string, Command>> = {
  'files move': {
    usage: '--to s3://BUCKET[/PREFIX]|postgres',
    summary:
      'moves the content of all files to the store that FILES_URL names, while the service runs; after Ctrl-C the next start goes on',
    check: async (given) => void targetOf(given),
    run: async (invocation) => {
      const { value, interrupted } = await untilInterrupted((signal) => move(invocation, signal))
      return interrupted ? { ...value, exitCode: 130 } : value
    },
  },
}

/** @throws ServiceError `invalid_value` unless it is the store where new files go: otherwise the move would not end. */
function targetOf({ config, text }: Arguments): string {
  const to = (text('to') ?? '').replace(/\/+$/, '')
  const wanted = config.files.url ?? 'postgres'
  if (to === wanted) return to
  const remedy = to === 'postgres' ? 'Remove FILES_URL' : `Set FILES_URL to it`
  throw invalidValue(
    `New files go to ${wanted}, not to "${to}". ${remedy} and restart the service, then move the others.`,
    'to',
  )
}

/** Progress is shown after so many contents. */
const shownEach = 100

async function move(invocation: Invocation, signal: AbortSignal): Promise<Output> {
  const { config, installation, progress } = invocation
  const { database } = installation
  const to = targetOf(invocation)
  const objects = openObjectStore(config.files)
  if (to !== 'postgres') await named(objects.check(to))
  const all: MoveCounts = { moved: 0, bytes: 0, overtaken: 0, failed: [] }
  const onMoved = ({ moved, bytes }: MoveCounts) => {
    if ((all.moved + moved) % shownEach === 0) progress(countLine(all.moved + moved, all.bytes + bytes))
  }
  // A pass may miss what appears meanwhile.
  for (let pass = 0; pass < 3 && !signal.aborted; pass += 1) {
    const versions = versionsWhere(database, elsewhereThan(to))
    const { failed, ...counts } = await named(
      moveContents({ database, objects }, versions, to, { signal, onMoved }),
    )
    all.moved += counts.moved
    all.bytes += counts.bytes
    all.failed.splice(0, all.failed.length, ...failed)
    if (counts.moved === 0) break
  }
  const left = await countVersions(database, elsewhereThan(to))
  return {
    rows: { to, moved: all.moved, bytes: all.bytes, left, failed: all.failed },
    lines: [
      countLine(all.moved, all.bytes),
      ...all.failed.map(({ version, reason }) => `FAILED: ${version}: ${reason}`),
      left === 0
        ? `All contents are in ${to}.`
        : `${left} contents are not in ${to} yet: repeat the command.`,
    ],
    exitCode: all.failed.length > 0 ? 1 : 0,
  }
}

const countLine = (moved: number, bytes: number): string => `${moved} contents moved, ${bytes} bytes`

/** With the reason, which an operator may read. */
async function named<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!isStoreFault(error)) throw error
    throw new ServiceError(error.code, `${error.message} (${messageOf(error.cause)})`)
  }
}
