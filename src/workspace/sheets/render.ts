import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { ServiceError } from '../../errors.ts'
import { createFairLimit } from '../children/fair-limit.ts'
import { exceededLimit } from '../children/guard.ts'
import { confinement, runChild } from '../children/run-child.ts'
import type { Sheet, SheetFormat } from './sheet.ts'

/** Input of the child process, as JSON. `RenderResult` is its output. */
export type RenderRequest = { readonly sheet: Sheet; readonly formats: readonly SheetFormat[] }
/** Contents in base64, by format. */
export type RenderResult = Readonly<Record<string, string>>

export type RenderedSheet = { readonly format: SheetFormat; readonly content: Buffer }

/**
 * A sheet of 100 pages takes 3 s and 300 MB. A process that waits for a processor most of the time still reaches its limit
 * of processor time first, which says that the sheet is too large.
 */
const limits = { cpuMs: 15_000, memoryBytes: 1024 * 1024 * 1024, maxWallMs: 180_000 }

/** Each sheet uses a processor. */
const slots = createFairLimit(Math.max(2, Math.min(4, availableParallelism() / 2)))

const program = fileURLToPath(new URL('./process.ts', import.meta.url))

/** Typst is native code, which the options must allow. */
const options = [...confinement, '--allow-addons', '--max-old-space-size=768']

/** The sheet could not be rendered. */
export class RenderingFailed extends Error {
  override readonly name = 'RenderingFailed'
  /** Whether the sheet takes more work than one may; false for a reason that is not its content. */
  readonly isTooLarge: boolean

  constructor(message: string, isTooLarge: boolean) {
    super(message)
    this.isTooLarge = isTooLarge
  }
}

/** The refusal of a page whose file could not be rendered. */
export function fileNotMade(cause: RenderingFailed): ServiceError {
  if (cause.isTooLarge)
    return new ServiceError(
      'request_too_large',
      'The file would take too much work. Shorten the texts, or choose Markdown.',
      { cause },
    )
  return new ServiceError('overloaded', 'The file could not be made. Try again, or choose another format.', {
    cause,
  })
}

/**
 * Renders a sheet in each format, in a child process: it uses a processor for seconds, and the libraries' memory is
 * freed at its end.
 * @param owner for whom: an account, or all readers of public sheets together.
 * @throws RenderingFailed; the reason of `signal` when it is aborted.
 */
export function renderSheet(
  sheet: Sheet,
  formats: readonly SheetFormat[],
  signal: AbortSignal,
  owner = '',
): Promise<readonly RenderedSheet[]> {
  return slots.run(owner, signal, async () => {
    const request: RenderRequest = { sheet, formats }
    const child = await runChild(options, [program], [JSON.stringify(request)], limits, signal)
    const { code, by, output, complaint } = child
    if (code !== 0)
      throw new RenderingFailed(
        `the renderer of sheets ended with ${by ?? code}: ${complaint}`,
        exceededLimit(by) !== undefined,
      )
    const result = JSON.parse(output) as RenderResult
    return formats.map((format) => ({ format, content: Buffer.from(result[format] ?? '', 'base64') }))
  })
}
