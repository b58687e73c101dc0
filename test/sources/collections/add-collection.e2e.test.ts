import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundledCommand } from '../../../build/bundle.ts'
import { collectionExport } from '../../support/collection-export.ts'
import { type FakeSefaria, startFakeSefaria, writeExport } from '../../support/fake-sefaria.ts'
import { isShort } from '../../support/full.ts'
import { compileCache } from '../../support/service-process.ts'

let folder: string
let fake: FakeSefaria

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'chat-service-collections-'))
  fake = await startFakeSefaria()
  fake.files = collectionExport
})
afterAll(async () => {
  await fake.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
})

/** The command line as people use it: a process of its own, in a folder that was empty, without a terminal. */
function launch(...words: readonly string[]) {
  const child = spawn(process.execPath, [bundledCommand, ...words], {
    cwd: folder,
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      NODE_COMPILE_CACHE: compileCache,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }))
  return { ended, said: () => stderr, signal: (signal: NodeJS.Signals) => child.kill(signal) }
}

const run = (...words: readonly string[]) => launch(...words).ended
const add = (...words: readonly string[]) => run('sources', 'add', ...words, '--base-url', fake.baseUrl)

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** Each start of the embedded Postgres takes seconds. */
const patient = { timeout: 600_000 }

test('one command takes an empty folder to a library, and the same command updates it', patient, async () => {
  const asked = await add('breslov')
  expect(asked.code).toBe(2)
  expect(asked.stdout).toContain('--yes --allow-license cc-by-nc')
  expect(asked.stderr).toContain(`From:      ${fake.booksUrl}`)
  expect(asked.stderr).toContain('CC-BY-NC: 1 file (needs permission)')
  expect(asked.stderr).toContain('Sefer HaMiddot is there as Sefer HaMidot')
  expect(asked.stderr).toContain('Not there: Shivchei Haran')

  const added = await add('breslov', '--yes', '--json')
  expect(added.code).toBe(0)
  expect(JSON.parse(added.stdout)).toMatchObject({ works: 5, versions: 5, unchanged: 0 })
  expect(JSON.parse(added.stdout).skipped).toHaveLength(1)
  expect(added.stderr).toMatch(/\[#{24}\] 5\/5 works +50 segments/)

  const again = await add('breslov', '--yes', '--json')
  expect(JSON.parse(again.stdout)).toMatchObject({ versions: 0, unchanged: 5, segments: 0 })
})

test.skipIf(isShort)(
  'texts with a permitted licence come in, and an update keeps the permission',
  patient,
  async () => {
    const added = await add('tanya', '--yes', '--allow-license', 'cc-by-nc', '--json')
    expect(JSON.parse(added.stdout)).toMatchObject({ versions: 2, skipped: [{ why: expect.any(String) }] })
    const again = await add('tanya', '--yes', '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({ versions: 0, unchanged: 2 })
    expect(again.stderr).toContain('CC-BY-NC: 1 file\n')
    const listed = await run('sources', 'add', '--json')
    const row = { name: 'breslov', status: 'done', works: 9, held: 5 }
    expect(JSON.parse(listed.stdout)).toContainEqual(expect.objectContaining(row))
  },
)

test.skipIf(isShort)('Ctrl-C stops an import cleanly, and the same command goes on', patient, async () => {
  // The first test has added the collection of Breslov.
  await add('tanya', '--yes')
  const release = fake.hold('Book of Nobody/English')
  const first = launch('sources', 'add', 'chassidut', '--yes', '--base-url', fake.baseUrl)
  await expect.poll(first.said).toMatch(/\/7 works/)
  first.signal('SIGINT')
  const stopped = await first.ended
  expect(stopped.code).toBe(130)
  expect(stopped.stdout).toContain('run the same command again to go on')
  release()
  const second = await add('chassidut', '--yes', '--json')
  expect(second.code).toBe(0)
  expect(JSON.parse(second.stdout)).toMatchObject({ works: 1, versions: 1 })
})

test('a server that never answers fails with the remedy, before a database is opened', patient, async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { code, stderr } = await run('sources', 'add', 'tanya', '--base-url', urlOf(silent))
  silent.close()
  expect(code).toBe(1)
  expect(stderr).toMatch(/no answer within 3.5 s/)
  expect(stderr).toContain('sources add NAME FOLDER')
  expect(stderr).toContain('--base-url URL')
})

test.skipIf(isShort)('other imports that get no answer name the command that needs no network', async () => {
  const closed = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const url = urlOf(closed)
  closed.close()
  for (const words of [
    ['sefaria', 'Tanya', '--base-url', url],
    ['sefaria-export', `${url}/books.json`],
  ]) {
    const { code, stderr } = await run('sources', 'import', ...words)
    expect(code).toBe(1)
    expect(stderr).toContain('could not be reached: ECONNREFUSED.')
    expect(stderr).toContain('sources import sefaria-export FOLDER')
  }
})

test.skipIf(isShort)('a collection comes from a folder without a network', patient, async () => {
  const copy = await writeExport(collectionExport)
  const added = await run('sources', 'add', 'tanya', copy.path, '--yes', '--json')
  await copy.remove()
  expect(added.code).toBe(0)
  expect(added.stderr).toContain(`From:      ${copy.path}`)
})
