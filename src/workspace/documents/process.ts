import process from 'node:process'
import { buffer } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import { closeNetwork } from '../children/closed-network.ts'
import type { DocumentKind } from './kinds.ts'
import { readDocument } from './read.ts'

/**
 * The child process of `extract`: reads a document from its standard input and writes what it says to its standard
 * output, as JSON. Its arguments are the kind of the document, and the processor time in milliseconds and the memory
 * in bytes that it may use.
 */

const [kind, cpuMs, memoryBytes] = process.argv.slice(2)

/** Of the processor time: a document that comes to this is left there, with what has been read of it. */
const enoughShare = 0.8

// PDF.js reports a failure where it matters, and leaves promises of it behind besides.
process.on('unhandledRejection', () => undefined)
const workerData = { cpuMs: Number(cpuMs), memoryBytes: Number(memoryBytes) }
const guard = new Worker(new URL('./guard.ts', import.meta.url), { workerData })
closeNetwork()
const result = await readDocument(kind as DocumentKind, await buffer(process.stdin), () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000 > enoughShare * Number(cpuMs)
})
process.stdout.write(JSON.stringify(result))
await guard.terminate()
