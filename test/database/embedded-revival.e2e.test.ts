import { readFile, rename } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RevivalEvent } from '../../src/db/embedded/revival.ts'
import { type EmbeddedServer, openEmbedded } from '../../src/db/embedded/server.ts'
import { clusterSettings, makeClusterFolder } from '../support/cluster-folder.ts'

let home: string
let server: EmbeddedServer
const events: RevivalEvent[] = []
let heard = Promise.withResolvers<void>()

beforeAll(async () => {
  home = await makeClusterFolder('chat-service-revival-')
  server = await openEmbedded(home, clusterSettings)
  await server.reserve()
  server.keepRunning((event) => {
    events.push(event)
    heard.resolve()
  })
})
afterAll(() => server.release())

async function eventOf(kind: RevivalEvent['kind']): Promise<RevivalEvent> {
  for (;;) {
    const found = events.find((event) => event.kind === kind)
    if (found) return found
    heard = Promise.withResolvers()
    await heard.promise
  }
}

const pidOf = async () =>
  Number((await readFile(path.join(home, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])

async function answers(): Promise<boolean> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const { rows } = await client.query<{ works: boolean }>('select true as works')
  await client.end()
  return rows[0]?.works ?? false
}

test('an embedded Postgres that ends is started again at the same address', async () => {
  process.kill(await pidOf(), 'SIGKILL')
  await eventOf('started')
  expect(events.map(({ kind }) => kind)).toEqual(['ended', 'started'])
  expect(await answers()).toBe(true)
})

test('a data folder that a service has reserved stays so when its Postgres has been started again', async () => {
  const rival = await openEmbedded(home, clusterSettings)
  expect(await rival.reserve()).toBe(false)
  events.length = 0
  process.kill(await pidOf(), 'SIGKILL')
  await eventOf('started')
  const later = await openEmbedded(home, clusterSettings)
  expect(await later.reserve()).toBe(false)
  await Promise.all([rival.release(), later.release()])
})

test('one that cannot start is tried again until it can, and the reason is reported', async () => {
  events.length = 0
  const version = path.join(home, 'postgres', 'PG_VERSION')
  await rename(version, `${version}.away`)
  process.kill(await pidOf(), 'SIGKILL')
  expect((await eventOf('failed')).reason).toContain('does not start')
  await rename(`${version}.away`, version)
  await eventOf('started')
  expect(await answers()).toBe(true)
})
