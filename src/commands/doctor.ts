import { type Examination, examineAll } from '../billing/checks/examine.ts'
import { invariants } from '../billing/checks/invariants.ts'
import { type LibraryHealth, libraryHealth } from '../operations/health.ts'
import type { Command } from './command.ts'

/** Exit codes for programs. */
const exitCodes = { allHold: 0, broken: 1, unchecked: 2 } as const

export const doctorCommands: Readonly<Record<string, Command>> = {
  doctor: {
    usage: '',
    summary:
      'checks the ledger, the runs and a separate library database; exits with 1 if a rule is broken, with 2 if something could not be checked',
    options: {},
    failureExitCode: exitCodes.unchecked,
    run: async ({ installation }) => {
      const found = await examineAll(installation.database)
      const library = await libraryHealth(installation.library)
      const { broken, unchecked } = found
      const isUnusable = library?.state === 'unavailable' || library?.state === 'behind'
      return {
        rows: {
          checked: invariants.length - unchecked.length,
          violations: broken,
          unchecked,
          ...(library && { library }),
        },
        lines: [...linesOf(found), ...libraryLines(library)],
        exitCode:
          broken.length > 0
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
