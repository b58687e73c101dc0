import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchCommand } from '../evaluation/command-process.ts'
import { isShort } from '../support/full.ts'
import {
  createSeparateLibrary,
  dropLibraryTables,
  type SeparateLibrary,
} from '../support/library-database.ts'
import { importLines } from '../support/library-lines.ts'
import { callTools, reply } from '../support/scripted-upstream.ts'
import { type SwitchedProxy, startSwitchedProxy } from '../support/switched-proxy.ts'
import { question } from '../support/world/requests.ts'
import { openWorld, type ProcessWorld } from '../support/world/world.ts'

const gate = {
  work: 'The Gate',
  ref: 'The Gate 1:1',
  en: 'A small lamp that is carried into a dark room does not argue with the darkness; it only shines.',
  license: 'CC0',
}

let separate: SeparateLibrary
let proxy: SwitchedProxy
let libraryUrl: string
let world: ProcessWorld
let folder: string

beforeAll(async () => {
  separate = await createSeparateLibrary()
  await importLines(separate.library, [gate])
  const url = new URL(separate.url)
  proxy = await startSwitchedProxy({ host: url.hostname, port: Number(url.port) })
  url.host = `127.0.0.1:${proxy.port}`
  libraryUrl = url.href
  world = await openWorld({ processes: true })
  await dropLibraryTables(world.db)
  folder = await mkdtemp(path.join(tmpdir(), 'chat-service-library-outage-'))
})
afterAll(async () => {
  await world?.close()
  await proxy?.close()
  await separate?.drop()
  await rm(folder, { recursive: true, force: true })
})

type Completion = {
  choices: { message: { content: string } }[]
  x_service: { status: string; sources: { verification: { result: string }[] }[] }
}

/** A turn that reads a passage and quotes it, whether or not it could be read. */
async function ask(at: { readonly url: string }) {
  world.upstream.enqueue(
    callTools([{ name: 'read_source', arguments: { ref: 'The Gate 1:1' } }]),
    reply('It is written: “it only shines” [S1].'),
  )
  const response = await world.chat(question('What does the lamp do?'), { at })
  expect(response.status).toBe(200)
  const messages = world.upstream.requests.at(-1)?.body.messages ?? []
  const result = String(messages.findLast(({ role }) => role === 'tool')?.content)
  return { result, ...((await response.json()) as Completion) }
}

test.skipIf(isShort)(
  'the service starts without its library database, answers turns, and recovers',
  async () => {
    await proxy.off()
    const service = await world.start({ LIBRARY_DATABASE_URL: libraryUrl })
    const ready = async () => (await fetch(`${service.url}/readyz`)).json()
    expect(await ready()).toEqual({ status: 'ok', library: 'unavailable' })

    const without = await ask(service)
    expect(without.result).toContain('The library cannot be reached at present')
    expect(without.x_service).toMatchObject({ status: 'completed', sources: [] })
    expect(without.choices[0]?.message.content).toContain('it only shines')
    const get = (route: string) =>
      fetch(service.url + route, { headers: { authorization: `Bearer ${world.key}` } })
    const search = await get('/v1/sources/search?q=lamp')
    expect(search.status).toBe(503)
    expect(await search.json()).toMatchObject({ error: { code: 'database_unavailable' } })
    expect((await get('/v1/projects')).status).toBe(200)

    await proxy.on()
    await expect.poll(ready).toEqual({ status: 'ok', library: 'ok' })
    const withIt = await ask(service)
    expect(withIt.result).toContain('does not argue')
    expect(withIt.x_service.sources).toMatchObject([{ verification: [{ result: 'verbatim' }] }])

    await proxy.off()
    await expect.poll(ready).toEqual({ status: 'ok', library: 'unavailable' })
    expect((await ask(service)).x_service.status).toBe('completed')
    await proxy.on()
    const { code } = await service.stop('SIGTERM')
    expect(code).toBe(0)
  },
)

const run = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  launchCommand(world, folder, words, { LIBRARY_DATABASE_URL: libraryUrl, ...env }).ended

test.skipIf(isShort)(
  'commands of the library name the setting, the others and doctor work without it',
  async () => {
    await proxy.off()
    const listed = await run(['sources', 'list'])
    expect(listed.code).toBe(1)
    expect(listed.stderr).toMatch(
      /^The library database 127.0.0.1:\d+\/\w+ cannot be used: .*Check LIBRARY_DATABASE_URL\.\n$/,
    )
    expect((await run(['accounts', 'list'])).code).toBe(0)
    const doctor = await run(['doctor'])
    expect(doctor.code).toBe(2)
    expect(doctor.stdout).toContain('cannot be used')
    await proxy.on()
    expect((await run(['sources', 'list'])).stdout).toContain('The Gate')
    expect((await run(['doctor'])).stdout).toContain('answers and can be written')
  },
)
