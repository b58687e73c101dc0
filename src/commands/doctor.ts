import { type Examination, examineAll } from '../billing/checks/examine.ts'
import { invariants } from '../billing/checks/invariants.ts'
import type { Command } from './command.ts'

/** Exit codes for programs. */
const exitCodes = { allHold: 0, broken: 1, unchecked: 2 } as const

export const doctorCommands: Readonly<Record<string, Command>> = {
  doctor: {
    usage: '',
    summary:
      'checks the ledger and the runs; exits with 1 if a rule is broken, with 2 if one could not be checked',
    options: {},
    failureExitCode: exitCodes.unchecked,
    run: async ({ installation }) => {
      const found = await examineAll(installation.database)
      const { broken, unchecked } = found
      return {
        rows: { checked: invariants.length - unchecked.length, violations: broken, unchecked },
        lines: linesOf(found),
        exitCode:
          broken.length > 0
            ? exitCodes.broken
            : unchecked.length > 0
              ? exitCodes.unchecked
              : exitCodes.allHold,
      }
    },
  },
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
