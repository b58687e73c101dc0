import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import process from 'node:process'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import type { ChildLimits } from './guard.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The program and its packages. The whole folder is not readable, because it usually contains `.env` and `data`. */
const readable = ['package.json', 'dist/', 'src/', 'node_modules/']

/**
 * Node options for a child process that works on untrusted content. It can read the program and its packages, and
 * cannot write, start processes or open other files. It may start threads, because one enforces the limits. The network
 * needs `closed-network`.
 */
export const confinement: readonly string[] = [
  '--permission',
  ...readable.map((part) => `--allow-fs-read=${root}${part}`),
  '--no-warnings',
  '--allow-worker',
]

const maxComplaint = 2_000

/**
 * Runs a program in a child process without an environment. A thread would not suffice: when it runs out of memory, its
 * process dies.
 * @param options of Node, `confinement` among them.
 * @param program gets the limits as its first arguments, enforces them (see `guard`), and reads `input` from standard input.
 * @param limits.maxWallMs maximum elapsed time. It is longer than the processor time, because the process may wait for a processor.
 * @returns the exit code or the signal that ended it, and what it wrote.
 * @throws the reason of `signal` when it is aborted; what `input` throws.
 */
export async function runChild(
  options: readonly string[],
  [program = '', ...words]: readonly string[],
  input: AsyncIterable<Uint8Array> | Iterable<string>,
  limits: ChildLimits & { readonly maxWallMs: number; readonly maxOutputBytes?: number },
  signal: AbortSignal,
) {
  const { cpuMs, memoryBytes, maxWallMs, maxOutputBytes = Number.POSITIVE_INFINITY } = limits
  const child = spawn(process.execPath, [...options, program, `${cpuMs}`, `${memoryBytes}`, ...words], {
    cwd: tmpdir(),
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: maxWallMs,
    killSignal: 'SIGKILL',
    signal,
  })
  const ended = new Promise<{ readonly code: number | null; readonly by: NodeJS.Signals | null }>(
    (resolve) => {
      child.once('close', (code, by) => resolve({ code, by }))
      // The event also occurs for a killed child, whose exit is still to come.
      child.on('error', () => child.pid === undefined && resolve({ code: null, by: null }))
    },
  )
  let fault: { readonly error: unknown } | undefined
  async function* watched() {
    try {
      yield* input
    } catch (error) {
      fault = { error }
      child.kill('SIGKILL')
    }
  }
  const [ending, output, complaint] = await Promise.all([
    ended,
    collected(child.stdout, maxOutputBytes, () => child.kill('SIGKILL')),
    collected(child.stderr, maxComplaint),
    // If the child ends before it has read everything, its exit status tells why.
    pipeline(watched(), child.stdin).catch(() => undefined),
  ])
  signal.throwIfAborted()
  if (fault) throw fault.error
  return { ...ending, output, complaint }
}

async function collected(stream: Readable, maxBytes: number, onFull?: () => void): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  stream.on('error', () => undefined)
  stream.on('data', (piece: Buffer) => {
    bytes += piece.length
    if (bytes > maxBytes) onFull?.()
    else pieces.push(piece)
  })
  await new Promise((resolve) => stream.once('close', resolve))
  return Buffer.concat(pieces).toString()
}
