import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { pipeline } from 'node:stream/promises'

/** The command of `OCR_COMMAND`: a program with its options, and the `PATH` in which it finds others. */
export type OcrCommand = { readonly words: readonly [string, ...string[]]; readonly path: string }

export type OcrLimits = {
  /** Elapsed time. */
  readonly maxMs: number
  /** Resident memory of the command and all that it starts. Measured on Linux only. */
  readonly memoryBytes: number
  /** Its temporary files with both documents. */
  readonly folderBytes: number
  readonly outputBytes: number
}

/** A scan of 100 pages takes ocrmypdf some 3 minutes of two processors, 500 MB of memory and as much on disk. */
export const ocrLimits: OcrLimits = {
  maxMs: 10 * 60_000,
  memoryBytes: 2 * 1024 ** 3,
  folderBytes: 2 * 1024 ** 3,
  outputBytes: 64 * 1024 ** 2,
}

/** The command did not make a document within its limits. The message is for the log. */
export class OcrFailed extends Error {
  override readonly name = 'OcrFailed'
}

/**
 * Runs the command with the paths of a PDF and of the PDF that it shall write, in a folder of its own, which is removed
 * at the end. It runs without a shell, without our environment, and is killed with all that it has started when it
 * exceeds a limit or `signal` is aborted.
 * @returns the document that it wrote.
 * @throws OcrFailed; the reason of `signal`; what `content` throws.
 */
export async function recognise(
  { words: [program, ...options], path: searched }: OcrCommand,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  limits: OcrLimits = ocrLimits,
): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ocr-'))
  try {
    const [input, output] = [path.join(folder, 'scan.pdf'), path.join(folder, 'text.pdf')]
    await pipeline(content, createWriteStream(input), { signal })
    const env = { PATH: searched, HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' }
    await run([program, ...options, input, output], { folder, env, signal, limits })
    const { size } = await stat(output).catch(() => ({ size: 0 }))
    if (size === 0) throw new OcrFailed('it wrote no document')
    if (size > limits.outputBytes) throw new OcrFailed(`it wrote a document of ${size} bytes`)
    return await readFile(output)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

type Running = {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly limits: OcrLimits
}

/** How often the limits are compared with what the command uses. */
const watchMs = 250
const maxComplaint = 2_000

async function run(
  [program = '', ...words]: readonly string[],
  { folder, env, signal, limits }: Running,
): Promise<void> {
  signal.throwIfAborted()
  // A process group of its own, so that what it starts is killed with it.
  const child = spawn(program, words, {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  let [complaint, killedFor]: [string, string | undefined] = ['', undefined]
  child.stderr.on('data', (piece: Buffer) => {
    complaint = (complaint + piece.toString()).slice(-maxComplaint)
  })
  const kill = (why: string): void => {
    killedFor ??= why
    killGroup(child.pid)
  }
  const ended = new Promise<number | string | null>((resolve) => {
    child.once('exit', (code, by) => resolve(by ?? code))
    child.once('error', (error) => resolve(error.message))
  })
  const onAbort = (): void => kill('the service stops')
  signal.addEventListener('abort', onAbort, { once: true })
  const late = setTimeout(kill, limits.maxMs, `it took more than ${limits.maxMs / 1_000} s`)
  const watch = setInterval(() => {
    void excess(child.pid, folder, limits).then((why) => why !== undefined && kill(why))
  }, watchMs)
  const ending = await ended
  clearTimeout(late)
  clearInterval(watch)
  signal.removeEventListener('abort', onAbort)
  // What it left behind would write into a removed folder.
  killGroup(child.pid)
  signal.throwIfAborted()
  if (killedFor !== undefined) throw new OcrFailed(killedFor)
  if (ending !== 0) throw new OcrFailed(`it ended with ${ending}: ${complaint.trim()}`)
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of it has ended.
  }
}

/** Which limit the command exceeds. */
async function excess(
  pid: number | undefined,
  folder: string,
  { memoryBytes, folderBytes }: OcrLimits,
): Promise<string | undefined> {
  if (pid !== undefined && (await memoryOfGroup(pid)) > memoryBytes) return 'it used too much memory'
  return (await bytesIn(folder)) > folderBytes ? 'it wrote too much' : undefined
}

const pageBytes = 4_096

/** Resident memory of the processes of a group, from `/proc`; 0 where there is none. */
async function memoryOfGroup(group: number): Promise<number> {
  const names = await readdir('/proc').catch(() => [])
  const sizes = names
    .filter((name) => /^\d+$/.test(name))
    .map(async (name) => {
      // After the name of the program, which may have spaces: state, parent, group, and the 22nd is the size in pages.
      const text = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      return Number(fields[2]) === group ? Number(fields[21]) * pageBytes : 0
    })
  return sum(await Promise.all(sizes))
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(
      async ({ parentPath, name }) => (await stat(path.join(parentPath, name)).catch(() => undefined))?.size,
    )
  return sum(await Promise.all(sizes))
}

const sum = (numbers: readonly (number | undefined)[]): number =>
  numbers.reduce<number>((total, number) => total + (number ?? 0), 0)
