import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import process from 'node:process'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import pLimit from 'p-limit'
import { ServiceError } from '../../errors.ts'
import { confinement } from '../children/confinement.ts'
import { runLimited } from '../children/run-limited.ts'
import type { Sheet, SheetFormat } from './sheet.ts'

/** Input of the child process, as JSON. `RenderResult` is its output. */
export type RenderRequest = { readonly sheet: Sheet; readonly formats: readonly SheetFormat[] }
/** Contents in base64, by format. */
export type RenderResult = Readonly<Record<string, string>>

export type RenderedSheet = { readonly format: SheetFormat; readonly content: Buffer }

/** Time limit in milliseconds. A sheet of 100 pages takes 3 s. */
const maxWallMs = 60_000

/** At most one sheet is rendered at once, because each uses a processor and about 200 MB. */
const slots = pLimit(1)

const program = fileURLToPath(new URL('./process.ts', import.meta.url))

/**
 * Typst is native code, which the options must allow. The program around it can read its own files, and cannot write
 * or start processes.
 */
const options = [...confinement, '--allow-addons']

/** The sheet could not be rendered, for a reason that is not its content. */
export class RenderingFailed extends Error {
  override readonly name = 'RenderingFailed'
}

/** The refusal of a page whose file could not be rendered. */
export function fileNotMade(cause: RenderingFailed): ServiceError {
  return new ServiceError('overloaded', 'The file could not be made. Try again, or choose another format.', {
    cause,
  })
}

/**
 * Renders a sheet in each format, in a child process: it uses a processor for seconds, and the libraries' memory is
 * freed at its end.
 * @throws RenderingFailed; the reason of `signal` when it is aborted.
 */
export function renderSheet(
  sheet: Sheet,
  formats: readonly SheetFormat[],
  signal: AbortSignal,
): Promise<readonly RenderedSheet[]> {
  return runLimited(slots, signal, async () => {
    const result = JSON.parse(await runProgram({ sheet, formats }, signal)) as RenderResult
    return formats.map((format) => ({ format, content: Buffer.from(result[format] ?? '', 'base64') }))
  })
}

async function runProgram(request: RenderRequest, signal: AbortSignal): Promise<string> {
  const child = spawn(process.execPath, [...options, program], {
    cwd: tmpdir(),
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: maxWallMs,
    killSignal: 'SIGKILL',
    signal,
  })
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve)
    // The event also occurs for a killed child, whose exit is still to come.
    child.on('error', () => child.pid === undefined && resolve(null))
  })
  const [code, output, complaint] = await Promise.all([
    ended,
    buffer(child.stdout),
    buffer(child.stderr),
    // If the child ends early, its exit status tells why.
    pipeline([JSON.stringify(request)], child.stdin).catch(() => undefined),
  ])
  signal.throwIfAborted()
  if (code === 0) return output.toString()
  throw new RenderingFailed(
    `the renderer of sheets ended with ${code}: ${complaint.toString().slice(0, 2_000)}`,
  )
}
