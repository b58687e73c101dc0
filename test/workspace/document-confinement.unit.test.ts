import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readerOptions } from '../../src/workspace/documents/extract.ts'

/** What code within the reader of documents could do, had a document made it its own. */

const secrets = path.resolve('.env.confinement-test')
let connections = 0
const server = createServer((socket) => {
  connections += 1
  socket.end()
})
let port = 0

beforeAll(async () => {
  await writeFile(secrets, 'KEY_PEPPER=secret')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as { port: number }).port
})
afterAll(async () => {
  server.close()
  await promisify(execFile)('rm', ['-f', secrets])
})

/**
 * Runs expressions one after the other in a process with the options of the reader, its network closed unless `open`.
 * @returns for each `done`, or why not.
 */
async function attempt(expressions: readonly string[], { open = false } = {}): Promise<readonly string[]> {
  const network = pathToFileURL(path.resolve('src/workspace/children/closed-network.ts')).href
  const program = `
    const { closeNetwork } = await import('${network}')
    ${open ? '' : 'closeNetwork()'}
    const settled = (emitter, event) => new Promise((resolve, reject) => emitter.once(event, resolve).once('error', reject))
    const results = []
    for (const run of [${expressions.map((expression) => `async () => (${expression})`)}])
      results.push(await run().then(() => 'done', (error) => error.cause?.code ?? error.code ?? error.message))
    console.log(JSON.stringify(results))
    process.exit()`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...readerOptions, '--input-type=module', '--eval', program],
    { cwd: tmpdir(), env: {} },
  )
  return JSON.parse(stdout)
}

const connecting = () => `settled((await import('node:net')).connect(${port}, '127.0.0.1'), 'connect')`

test('the probe of these tests connects while the network is open', async () => {
  expect(await attempt([connecting()], { open: true })).toEqual(['done'])
  expect(connections).toBe(1)
})

/** What became of each row of a table, by its name. */
const named = (table: readonly (readonly [string, unknown])[], outcomes: readonly unknown[]) =>
  Object.fromEntries(table.map(([name], at) => [name, outcomes[at]]))

const networks = [
  ['a socket', connecting],
  [
    'a socket of an own make',
    () => `settled(new (process.getBuiltinModule('net').Socket)().connect(${port}, '127.0.0.1'), 'connect')`,
  ],
  ['a request', () => `settled((await import('node:http')).get('http://127.0.0.1:${port}'), 'response')`],
  ['TLS', () => `settled((await import('node:tls')).connect(${port}, '127.0.0.1'), 'secureConnect')`],
  ['HTTP/2', () => `settled((await import('node:http2')).connect('http://127.0.0.1:${port}'), 'connect')`],
  ['fetch', () => `fetch('http://127.0.0.1:${port}')`],
  ['a WebSocket', () => `new WebSocket('ws://127.0.0.1:${port}')`],
  ['a local socket', () => `settled((await import('node:net')).connect('/tmp/no-such.sock'), 'connect')`],
  ['a name', () => `(await import('node:dns/promises')).lookup('localhost')`],
  [
    'a query for a name',
    () => `new (await import('node:dns')).Resolver().resolve4('localhost', () => undefined)`,
  ],
  ['a datagram', () => `(await import('node:dgram')).createSocket('udp4').send('x', ${port}, '127.0.0.1')`],
  ['a server', () => `settled((await import('node:net')).createServer().listen(0), 'listening')`],
  ['a new thread', () => `new (await import('node:worker_threads')).Worker('0', { eval: true })`],
] as const

test('the reader of documents opens no network', async () => {
  const before = connections
  const outcomes = await attempt(networks.map(([, expression]) => expression()))
  expect(named(networks, outcomes)).toEqual(
    named(
      networks,
      networks.map(() => expect.stringContaining('is not for the reader of documents')),
    ),
  )
  expect(connections).toBe(before)
})

const acts = [
  ['read secrets beside the program', () => `(await import('node:fs')).readFileSync('${secrets}')`],
  ['read the system', () => `(await import('node:fs')).readFileSync('/etc/passwd')`],
  ['list the folder of the program', () => `(await import('node:fs')).readdirSync('${process.cwd()}')`],
  ['write', () => `(await import('node:fs')).writeFileSync('${tmpdir()}/confinement-test', '')`],
  ['start a program', () => `(await import('node:child_process')).execFileSync('/bin/true')`],
  ['reach the machinery below', () => `process.binding('tcp_wrap')`],
  ['load machine code', () => `process.dlopen({ exports: {} }, '${process.cwd()}/node_modules/x.node')`],
] as const

test('the reader of documents may neither read, write nor start anything', async () => {
  const outcomes = await attempt(acts.map(([, expression]) => expression()))
  const denied = expect.stringMatching(/ACCESS_DENIED|DLOPEN_DISABLED/)
  expect(named(acts, outcomes)).toEqual(
    named(
      acts,
      acts.map(() => denied),
    ),
  )
})

test('the reader of documents has none of the environment', async () => {
  expect(await attempt([`Promise.reject(new Error(JSON.stringify(process.env)))`])).toEqual(['{}'])
})
