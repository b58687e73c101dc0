import { fileURLToPath } from 'node:url'
import { createFairLimit } from '../children/fair-limit.ts'
import { type ChildLimits, exceededLimit } from '../children/guard.ts'
import { confinement, runChild } from '../children/run-child.ts'
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

const maxWallMs = 60_000
/** Maximum size of the output. A character takes at most six bytes in JSON. */
const maxOutputBytes = 6 * maxText + 1_024

const program = fileURLToPath(new URL('./process.ts', import.meta.url))

/** Options of the child process. It cannot load native code or generate code from strings. */
export const readerOptions: readonly string[] = [
  ...confinement,
  '--disallow-code-generation-from-strings',
  '--max-old-space-size=1024',
]

/** The document was not read, but a later attempt may succeed. The error says nothing about the document. */
export class ExtractionFailed extends Error {
  override readonly name = 'ExtractionFailed'
}

/**
 * Extracts the text of a document in a child process. Exits caused by the document are recognised (see `guard`); any other
 * exit is an `ExtractionFailed`.
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
  return slots.run(owner, signal, async () => {
    const bounds = { ...limits, maxWallMs, maxOutputBytes }
    const { code, by, output } = await runChild(readerOptions, [program, kind], content, bounds, signal)
    if (code === 0) return JSON.parse(output) as DocumentText
    const exceeded = exceededLimit(by)
    if (exceeded === 'time') return { text: '', problem: 'It would take too long to read.' }
    if (exceeded === 'memory') return { text: '', problem: 'It would take too much memory to read.' }
    throw new ExtractionFailed(`the reader of documents ended with ${by ?? code}`)
  })
}
