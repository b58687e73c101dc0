import { type Examination, examineAll } from '../billing/checks/examine.ts'
import { invariants } from '../billing/checks/invariants.ts'
import { type FileStoreHealth, fileStoreHealth } from '../operations/file-store.ts'
import { type LibraryHealth, libraryHealth } from '../operations/health.ts'
import { openObjectStore } from '../workspace/s3.ts'
import type { Command } from './command.ts'

/** Exit codes for programs. */
const exitCodes = { allHold: 0, broken: 1, unchecked: 2 } as const

export const doctorCommands: Readonly<Record<string, Command>> = {
  doctor: {
    usage: '[--files]',
    summary:
      'checks the ledger, the runs, a separate library database and a bucket for files, with --files each object in it; exits with 1 if a rule is broken, with 2 if something could not be checked',
    failureExitCode: exitCodes.unchecked,
    run: async ({ installation, config, flag }) => {
      const found = await examineAll(installation.database)
      const library = await libraryHealth(installation.library)
      const objects = openObjectStore(config.files)
      const files = await fileStoreHealth({ database: installation.database, objects }, flag('files'))
      const { broken, unchecked } = found
      const isUnusable =
        library?.state === 'unavailable' || library?.state === 'behind' || files?.state === 'unavailable'
      return {
        rows: {
          checked: invariants.length - unchecked.length,
          violations: broken,
          unchecked,
          ...(library && { library }),
          ...(files && { files }),
        },
        lines: [...linesOf(found), ...libraryLines(library), ...fileLines(files)],
        exitCode:
          broken.length + (files?.damaged.length ?? 0) > 0
            ? exitCodes.broken
            : unchecked.length > 0 || isUnusable
              ? exitCodes.unchecked
              : exitCodes.allHold,
      }
    },
  },
}

const stateTexts: Readonly<Record<LibraryHealth['state'], string>> = {
  ok: 'answers and can be written.',
  'read-only': 'answers and is read-only: searches work, imports need its primary server.',
  behind: 'has an older schema: run the command `migrate` on its primary server.',
  unavailable: 'cannot be used',
}

function libraryLines(library: LibraryHealth | undefined): readonly string[] {
  if (!library) return []
  const { name, state, reason } = library
  return [`The library database ${name} ${stateTexts[state]}${reason && `: ${reason}`}`]
}

function fileLines(files: FileStoreHealth | undefined): readonly string[] {
  if (!files) return []
  const { store, state, reason, examined, damaged } = files
  const named = store === '' ? 'The file store of earlier settings' : `The file store ${store}`
  return [
    ...(state === 'unavailable' ? [`${named} cannot be used: ${reason}`] : []),
    ...(state === 'ok' && store !== '' ? [`${named} answers.`] : []),
    ...(examined === undefined ? [] : [`${examined} objects of files were compared with their rows.`]),
    ...damaged.map(
      ({ version, location, problem }) => `BROKEN: the object ${location} of ${version} ${problem}`,
    ),
  ]
}

function linesOf({ broken, unchecked }: Examination): readonly string[] {
  if (broken.length + unchecked.length === 0) return [`All ${invariants.length} rules hold.`]
  return [
    ...broken.flatMap(({ invariant, rows }) => [
      `BROKEN: ${invariant}`,
      ...rows.map((row) => `    ${JSON.stringify(row)}`),
    ]),
    ...unchecked.map(({ invariant, reason }) => `NOT CHECKED: ${invariant}: ${reason}`),
  ]
}
