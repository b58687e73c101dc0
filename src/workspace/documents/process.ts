import process from 'node:process'
import { buffer } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import type { DocumentKind } from './kinds.ts'
import { readDocument } from './read.ts'

/**
 * The child process of `extract`: reads a document from its standard input, of the kind that its first argument names,
 * and writes what it says to its standard output, as JSON.
 */

/** A document whose reading comes to this is left there, with what has been read. */
const enoughCpuMs = 6_000

// PDF.js reports a failure where it matters, and leaves promises of it behind besides.
process.on('unhandledRejection', () => undefined)
const guard = new Worker(new URL('./guard.ts', import.meta.url))
const result = await readDocument(process.argv[2] as DocumentKind, await buffer(process.stdin), () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000 > enoughCpuMs
})
process.stdout.write(JSON.stringify(result))
await guard.terminate()
