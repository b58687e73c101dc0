import { ServiceError } from '../errors.ts'
import type { RestrictedLicense } from '../sources/licenses.ts'
import { reportLines, type SefariaReport } from '../sources/sefaria/report.ts'
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
 * exit code is 1 when something failed and nothing was imported or found unchanged, 130 after Ctrl-C.
 */
export async function reported(run: (signal: AbortSignal) => Promise<SefariaReport>): Promise<Output> {
  const controller = new AbortController()
  const stop = (): void => controller.abort()
  process.once('SIGINT', stop)
  try {
    const report = await run(controller.signal)
    const isFruitless = report.failed.length > 0 && report.versions + report.unchanged === 0
    const exitCode = report.interrupted ? 130 : isFruitless ? 1 : 0
    return { rows: report, lines: reportLines(report), exitCode }
  } finally {
    process.off('SIGINT', stop)
  }
}
