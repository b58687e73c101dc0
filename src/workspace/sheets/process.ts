import process from 'node:process'
import { json } from 'node:stream/consumers'
import { closeNetwork } from '../children/closed-network.ts'
import { startGuard } from '../children/guard.ts'
import type { RenderRequest, RenderResult } from './render.ts'
import { renderers } from './renderers.ts'

/**
 * The child process of `render`. It reads a sheet and the requested formats as JSON and writes each result in base64.
 */

const [cpuMs, memoryBytes] = process.argv.slice(2)
const guard = startGuard({ cpuMs: Number(cpuMs), memoryBytes: Number(memoryBytes) })
closeNetwork()
const { sheet, formats } = (await json(process.stdin)) as RenderRequest
const result: Record<string, string> = {}
for (const format of formats) result[format] = Buffer.from(await renderers[format](sheet)).toString('base64')
process.stdout.write(JSON.stringify(result satisfies RenderResult))
await guard.terminate()
