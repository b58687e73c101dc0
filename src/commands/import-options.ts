import { ServiceError } from '../errors.ts'
import { reportLines, type SefariaReport } from '../sources/importers/sefaria/report.ts'
import type { RestrictedLicense } from '../sources/library/licenses.ts'
import type { Invocation, Output } from './command.ts'

const restricted: readonly RestrictedLicense[] = ['cc-by-nc', 'unknown']

/** The option that every importer takes. */
export const licenseOption = { 'allow-license': { type: 'string', multiple: true } } as const

/** @throws ServiceError `invalid_value` when a value names no class of licences. */
export function allowedLicenses({ list }: Pick<Invocation, 'list'>): readonly RestrictedLicense[] {
  return list('allow-license').map((license) => {
    const known = restricted.find((name) => name === license)
    if (!known) throw new ServiceError('invalid_value', `--allow-license takes ${restricted.join(' or ')}.`)
    return known
  })
}

/**
 * Runs an import that Ctrl-C stops after the work in hand, with its report; a second Ctrl-C ends the program. The
 * exit code is 130 after Ctrl-C, else see `exitCodeOf`.
 */
export async function reported(run: (signal: AbortSignal) => Promise<SefariaReport>): Promise<Output> {
  const controller = new AbortController()
  const stop = (): void => controller.abort()
  process.once('SIGINT', stop)
  try {
    const report = await run(controller.signal)
    return {
      rows: report,
      lines: reportLines(report),
      exitCode: report.interrupted ? 130 : exitCodeOf(report),
    }
  } finally {
    process.off('SIGINT', stop)
  }
}

type Outcome = {
  readonly versions: number
  readonly unchanged: number
  readonly skipped: readonly unknown[]
  readonly failed?: readonly unknown[]
}

/** 1 when all that an import was given failed or was left out, such as for its licence; 0 otherwise. */
export function exitCodeOf({ versions, unchanged, skipped, failed = [] }: Outcome): number {
  return versions + unchanged === 0 && skipped.length + failed.length > 0 ? 1 : 0
}
