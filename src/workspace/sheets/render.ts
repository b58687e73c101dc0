import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import process from 'node:process'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { confinement } from '../children/confinement.ts'
import { createSemaphore } from '../children/semaphore.ts'
import type { Sheet, SheetFormat } from './sheet.ts'

/** What the child process takes and gives, as JSON. */
export type RenderRequest = { readonly sheet: Sheet; readonly formats: readonly SheetFormat[] }
/** Contents in base64, by format. */
export type RenderResult = Readonly<Record<string, string>>

export type RenderedSheet = { readonly format: SheetFormat; readonly content: Buffer }

/** A sheet of 100 pages takes 3 s. */
const maxWallMs = 60_000

/** Each takes a processor and some 200 MB while it works. */
const places = createSemaphore(1)

const program = fileURLToPath(new URL('./process.ts', import.meta.url))

/** Typst is machine code; the program around it reads its own files, writes none and starts nothing. */
const options = [...confinement, '--allow-addons']

/** The sheet could not be made; it is no fault of what it says. */
export class RenderingFailed extends Error {
  override readonly name = 'RenderingFailed'
}

/**
 * Makes a sheet in each of the formats, in a process of its own: setting pages takes a processor for seconds, and what
 * the libraries keep in memory ends with it.
 * @throws RenderingFailed; the reason of `signal` when it is aborted.
 */
export function renderSheet(
  sheet: Sheet,
  formats: readonly SheetFormat[],
  signal: AbortSignal,
): Promise<readonly RenderedSheet[]> {
  return places.run(signal, async () => {
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
    // Said of one that is killed too, whose end is still to come.
    child.on('error', () => child.pid === undefined && resolve(null))
  })
  const [code, output, complaint] = await Promise.all([
    ended,
    buffer(child.stdout),
    buffer(child.stderr),
    // That it ended before it took everything shows in how it ended.
    pipeline([JSON.stringify(request)], child.stdin).catch(() => undefined),
  ])
  signal.throwIfAborted()
  if (code === 0) return output.toString()
  throw new RenderingFailed(
    `the renderer of sheets ended with ${code}: ${complaint.toString().slice(0, 2_000)}`,
  )
}
