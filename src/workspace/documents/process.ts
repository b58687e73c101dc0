import process from 'node:process'
import { buffer } from 'node:stream/consumers'
import { closeNetwork } from '../children/closed-network.ts'
import { startGuard } from '../children/guard.ts'
import type { DocumentKind } from './kinds.ts'
import { readDocument } from './read.ts'

/**
 * The child process of `extract`. It reads a document from standard input and writes a `DocumentText` as JSON to
 * standard output. Arguments: maximum processor time in ms, maximum memory in bytes, kind of the document.
 */

const [cpuMs, memoryBytes, kind] = process.argv.slice(2)

/** Fraction of the processor time after which reading stops and the text so far is returned. */
const enoughShare = 0.8

// PDF.js reports failures to its caller and additionally leaves rejected promises.
process.on('unhandledRejection', () => undefined)
const guard = startGuard({ cpuMs: Number(cpuMs), memoryBytes: Number(memoryBytes) })
closeNetwork()
const result = await readDocument(kind as DocumentKind, await buffer(process.stdin), () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000 > enoughShare * Number(cpuMs)
})
process.stdout.write(JSON.stringify(result))
await guard.terminate()
