import { findViolations, invariants } from '../billing/invariants.ts'
import type { Command } from './command.ts'

export const doctorCommands: Readonly<Record<string, Command>> = {
  doctor: {
    usage: '',
    summary:
      'checks every rule of the money and the runs; ends with 1 and the offending rows if one is broken',
    options: {},
    run: async ({ installation }) => {
      const violations = await findViolations(installation.database.system)
      const lines = violations.flatMap(({ invariant, rows }) => [
        `BROKEN: ${invariant}`,
        ...rows.map((row) => `    ${JSON.stringify(row)}`),
      ])
      return {
        rows: { checked: invariants.length, violations },
        lines: violations.length > 0 ? lines : [`All ${invariants.length} rules hold.`],
        exitCode: violations.length > 0 ? 1 : 0,
      }
    },
  },
}
