import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { watchReachability } from '../../src/models/reachability.ts'
import { useLibraryDatabase } from '../support/database.ts'
import { launchService } from '../support/service-process.ts'
import { startSwitchedProxy } from '../support/switched-proxy.ts'
import { pepperText } from '../support/world/accounts.ts'

const library = useLibraryDatabase()

/** A port on which nothing listens. */
const closed = 'http://127.0.0.1:1/v1'

/** Takes connections and never says a word. It counts the bytes that it is sent. */
async function silentServer() {
  const server = createServer()
  let received = 0
  server.on('connection', (socket) => {
    socket.on('data', (chunk) => {
      received += chunk.length
    })
    socket.on('error', () => undefined)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, received: () => received }
}

test('a service warns of unreachable model servers, and takes a changed MODELS_FILE over', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'chat-service-reachability-'))
  const live = await silentServer()
  const file = path.join(folder, 'models.json')
  const url = `http://127.0.0.1:${live.port}/v1`
  const fallbacks = [{ base_url: closed, label: 'in reserve' }]
  const first = { id: 'live', base_url: url, name: 'a', fallbacks }
  const write = (...models: readonly object[]) => writeFile(file, JSON.stringify({ models }))
  await write(first)
  const settings = { MODEL_BASE_URL: closed, MODEL_NAME: 'm', MODELS_FILE: file }
  const service = launchService(folder, { DATABASE_URL: library.url, KEY_PEPPER: pepperText, ...settings })
  onTestFinished(async () => {
    await service.stop('SIGTERM')
    await rm(folder, { recursive: true })
  })
  const base = await service.ready
  type Ready = { readonly models?: readonly { readonly model: string }[] }
  const readyz = async (query = '') => {
    const response = await fetch(`${base}/readyz${query}`)
    expect(response.status).toBe(200)
    return (await response.json()) as Ready
  }
  const since = expect.any(Number)
  await expect
    .poll(async () => (await readyz('?details')).models)
    .toEqual([
      { model: 'service', server: 'm', reachable: false, since },
      { model: 'live', server: 'a', reachable: true, since },
      { model: 'live', server: 'in reserve', reachable: false, since },
    ])
  expect(await readyz()).toEqual({ status: 'ok' })
  expect(service.output()).toContain(
    'the server of the model service, live cannot be reached at http://127.0.0.1:1: connect ECONNREFUSED',
  )
  expect(live.received(), 'nothing is sent to the server').toBe(0)

  const models = async () => (await readyz('?details')).models?.map(({ model }) => model)
  await write({ ...first, fallbacks: [] }, { id: 'second', base_url: url })
  const changed = ['service', 'live', 'second']
  await expect.poll(models).toEqual(changed)
  await writeFile(file, '{"models": [\n{"id": "third", "base_url": 7}]}')
  await expect.poll(() => service.output()).toMatch(/"level":50.*models\.0\.base_url: .*\(line 2\)/)
  expect(await models()).toEqual(changed)
})

test('the log says when a server can be reached again', async () => {
  const { port } = await silentServer()
  const proxy = await startSwitchedProxy({ host: '127.0.0.1', port })
  const log = { info: vi.fn(), warn: vi.fn() }
  const server = { model: 'm', server: 'large', url: `http://127.0.0.1:${proxy.port}/v1` }
  const watch = watchReachability({ servers: [server] }, log, { everyMs: 10, connectMs: 60_000 })
  onTestFinished(async () => {
    await watch.stop()
    await proxy.close()
  })
  const reachable = () => watch.states().map((state) => state.reachable)
  await expect.poll(reachable).toEqual([true])
  await proxy.off()
  await expect.poll(reachable).toEqual([false])
  await proxy.on()
  await expect.poll(reachable).toEqual([true])
  expect([log.warn.mock.calls.length, log.info.mock.calls.length], 'once per change').toEqual([1, 1])
})

test('a server that answers no handshake is unreachable after a limited time', async () => {
  const { port } = await silentServer()
  const log = { info: vi.fn(), warn: vi.fn() }
  const server = { model: 'm', server: 'large', url: `https://127.0.0.1:${port}` }
  const watch = watchReachability({ servers: [server] }, log, { everyMs: 60_000, connectMs: 20 })
  onTestFinished(() => watch.stop())
  await expect.poll(() => watch.states()).toMatchObject([{ reachable: false }])
  expect(JSON.stringify(log.warn.mock.calls)).toContain('no connection within 0.02 s')
})
