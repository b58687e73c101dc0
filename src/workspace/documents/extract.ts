import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { confinement } from '../children/confinement.ts'
import { createFairLimit } from '../children/fair-limit.ts'
import { type ChildLimits, exceededLimit } from '../children/guard.ts'
import type { DocumentKind } from './kinds.ts'
import type { DocumentText } from './read.ts'
import { maxText } from './text-writer.ts'

/**
 * Increase it whenever the same document would give another text. Stored texts of older versions are then extracted
 * again.
 */
export const extraction = 4

/** Maximum size of a document that is read. */
export const maxDocumentBytes = 64 * 1024 * 1024

/** At most two documents are read at once. This limits memory and leaves processors for turns. */
const slots = createFairLimit(2)

/** A book of 400 pages takes 3 s and 200 MB. */
const usualLimits: ChildLimits = { cpuMs: 5_000, memoryBytes: 512 * 1024 * 1024 }

/**
 * Maximum elapsed time, in milliseconds. It is longer than the processor time, because the process may wait for a
 * processor.
 */
const maxWallMs = 60_000
/** Maximum size of the output. A character takes at most six bytes in JSON. */
const maxOutputBytes = 6 * maxText + 1_024

const program = fileURLToPath(new URL('./process.ts', import.meta.url))

/**
 * Options of the child process. It may start threads, because one enforces the limits. It cannot load native code or
 * generate code from strings.
 */
export const readerOptions: readonly string[] = [
  ...confinement,
  '--allow-worker',
  '--disallow-code-generation-from-strings',
  '--max-old-space-size=1024',
]

/** The document was not read, but a later attempt may succeed. The error says nothing about the document. */
export class ExtractionFailed extends Error {
  override readonly name = 'ExtractionFailed'
}

/**
 * Extracts the text of a document in a child process. The child has no environment, connections or network, cannot
 * write, can read only program files, and is killed when it exceeds `limits`. A thread would not suffice: when it
 * runs out of memory, its process dies.
 * @param owner the account for which it is read.
 * @throws ExtractionFailed; the reason of `signal` when it is aborted; what `content` throws.
 */
export async function extractText(
  kind: DocumentKind,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  limits = usualLimits,
  owner = '',
): Promise<DocumentText> {
  return slots.run(owner, signal, () => run(kind, content, signal, limits))
}

type Child = ChildProcessByStdio<Writable, Readable, null>

async function run(
  kind: DocumentKind,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  { cpuMs, memoryBytes }: ChildLimits,
): Promise<DocumentText> {
  const child = spawn(process.execPath, [...readerOptions, program, kind, `${cpuMs}`, `${memoryBytes}`], {
    cwd: tmpdir(),
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: maxWallMs,
    killSignal: 'SIGKILL',
    signal,
  })
  const [ending, output, fault] = await Promise.all([endOf(child), outputOf(child), feed(child, content)])
  signal.throwIfAborted()
  if (fault) throw fault.error
  return resultOf(ending, output)
}

type Ending = { readonly code: number | null; readonly by: NodeJS.Signals | null }

function endOf(child: Child): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('close', (code, by) => resolve({ code, by }))
    // The event also occurs for a killed child, whose exit is still to come.
    child.on('error', () => child.pid === undefined && resolve({ code: null, by: null }))
  })
}

async function outputOf(child: Child): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  child.stdout.on('error', () => undefined)
  child.stdout.on('data', (piece: Buffer) => {
    bytes += piece.length
    if (bytes > maxOutputBytes) child.kill('SIGKILL')
    else pieces.push(piece)
  })
  await new Promise((resolve) => child.stdout.once('close', resolve))
  return Buffer.concat(pieces).toString()
}

/**
 * @returns the error of the content stream. If the child ended before it read everything, its exit status tells why.
 */
async function feed(
  child: Child,
  content: AsyncIterable<Uint8Array>,
): Promise<{ readonly error: unknown } | undefined> {
  let fault: { readonly error: unknown } | undefined
  async function* watched() {
    try {
      yield* content
    } catch (error) {
      fault = { error }
      child.kill('SIGKILL')
    }
  }
  await pipeline(watched(), child.stdin).catch(() => undefined)
  return fault
}

/**
 * Converts the end of the child to a result. Exits caused by the document are recognised (see `guard`); any other
 * exit is an `ExtractionFailed`.
 */
function resultOf({ code, by }: Ending, output: string): DocumentText {
  if (code === 0) return JSON.parse(output) as DocumentText
  const exceeded = exceededLimit(by)
  if (exceeded === 'time') return { text: '', problem: 'It would take too long to read.' }
  if (exceeded === 'memory') return { text: '', problem: 'It would take too much memory to read.' }
  throw new ExtractionFailed(`the reader of documents ended with ${by ?? code}`)
}
