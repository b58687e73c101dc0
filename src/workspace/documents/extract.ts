import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { confinement } from '../children/confinement.ts'
import { createSemaphore } from '../children/semaphore.ts'
import type { DocumentKind } from './kinds.ts'
import type { DocumentText } from './read.ts'
import { maxText } from './text-writer.ts'

/** Raised whenever the same document gives another text: what earlier ones took out is taken out anew. */
export const extraction = 1

/** Larger documents are not read. */
export const maxDocumentBytes = 64 * 1024 * 1024

/** Processes that read documents at once are two, so that turns keep a processor and the memory has a bound. */
const places = createSemaphore(2)
/** What one document may use. A book of 400 pages takes 3 s and 200 MB. */
export type ExtractionLimits = { readonly cpuMs: number; readonly memoryBytes: number }

const usualLimits: ExtractionLimits = { cpuMs: 5_000, memoryBytes: 512 * 1024 * 1024 }

/** Longer than any document may compute: what takes this long waits for a processor. */
const maxWallMs = 60_000
/** A character takes at most six bytes in JSON. */
const maxOutputBytes = 6 * maxText + 1_024

const program = fileURLToPath(new URL('./process.ts', import.meta.url))

/** Workers: a thread watches over the limits. Nothing is loaded as machine code or made into code from text. */
export const readerOptions: readonly string[] = [
  ...confinement,
  '--allow-worker',
  '--disallow-code-generation-from-strings',
  '--max-old-space-size=1024',
]

/** The reading was not done, though it may be another time: nothing is known of the document. */
export class ExtractionFailed extends Error {
  override readonly name = 'ExtractionFailed'
}

/**
 * Takes the text out of a document, in a process of its own that has neither the environment nor the connections of
 * this one nor a network, may write nothing and read no file but programs, and ends when it uses more than `limits`. (A thread would not
 * do: one that runs out of memory takes its process down with it.)
 * @throws ExtractionFailed; the reason of `signal` when it is aborted; what `content` throws.
 */
export async function extractText(
  kind: DocumentKind,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  limits = usualLimits,
): Promise<DocumentText> {
  return places.run(signal, () => run(kind, content, signal, limits))
}

type Child = ChildProcessByStdio<Writable, Readable, null>

async function run(
  kind: DocumentKind,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  { cpuMs, memoryBytes }: ExtractionLimits,
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
    // Said of one that is killed too, whose end is still to come.
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

/** @returns what went wrong with the content. That the child ended before it took all of it says how it ended. */
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

/** Of what the document did to its reader, see `guard`; of anything else nothing can be said. */
function resultOf({ code, by }: Ending, output: string): DocumentText {
  if (code === 0) return JSON.parse(output) as DocumentText
  if (by === 'SIGTERM') return { text: '', problem: 'It would take too long to read.' }
  if (by === 'SIGUSR2' || by === 'SIGABRT')
    return { text: '', problem: 'It would take too much memory to read.' }
  throw new ExtractionFailed(`the reader of documents ended with ${by ?? code}`)
}
