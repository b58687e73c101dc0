import { invalidValue } from '../../errors.ts'
import { reportLines, type SefariaReport } from '../../sources/importers/sefaria/report.ts'
import { type RestrictedLicense, restrictedLicenses } from '../../sources/library/licenses.ts'
import type { Invocation, Output } from '../command.ts'
import { untilInterrupted } from '../interruption.ts'

/** @throws ServiceError `invalid_value` when a value is not a class of licences. */
export function allowedLicenses({ list }: Pick<Invocation, 'list'>): readonly RestrictedLicense[] {
  return list('allow-license').map((license) => {
    const known = restrictedLicenses.find((name) => name === license)
    if (!known) throw invalidValue(`--allow-license takes ${restrictedLicenses.join(' or ')}.`)
    return known
  })
}

/**
 * Runs an import. The first Ctrl-C stops it after the current work and prints its report; the second one ends
 * the program. The exit code is 130 after Ctrl-C, otherwise see `exitCodeOf`.
 */
export async function reported(run: (signal: AbortSignal) => Promise<SefariaReport>): Promise<Output> {
  const { value: report } = await untilInterrupted(run)
  return {
    rows: report,
    lines: reportLines(report),
    exitCode: report.interrupted ? 130 : exitCodeOf(report),
  }
}

type Outcome = {
  readonly versions: number
  readonly unchanged: number
  readonly skipped: readonly unknown[]
  readonly failed?: readonly unknown[]
}

/**
 * 1 when all inputs of an import failed or were skipped, for example because of their licence; otherwise 0.
 */
export function exitCodeOf({ versions, unchanged, skipped, failed = [] }: Outcome): number {
  return versions + unchanged === 0 && skipped.length + failed.length > 0 ? 1 : 0
}
