import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../../src/accounts/accounts.ts'
import { builtInPlans } from '../../src/accounts/plans.ts'
import { withTx } from '../../src/db/client.ts'
import { runLine } from '../support/command-line.ts'
import { type FakeSefaria, startFakeSefaria } from '../support/fake-sefaria.ts'
import { rows } from '../support/full.ts'
import {
  asAdminOf,
  createSeparateLibrary,
  dropLibraryTables,
  type SeparateLibrary,
} from '../support/library-database.ts'
import { importLines } from '../support/library-lines.ts'
import { lampRecords, lampSections } from '../support/publisher.ts'
import { callTools, reply } from '../support/scripted-upstream.ts'
import { goodPassword, openVisitor } from '../support/visitor.ts'
import { question } from '../support/world/requests.ts'
import type { TestService } from '../support/world/service.ts'
import { openWorld, type ProcessWorld } from '../support/world/world.ts'

const gate = {
  work: 'The Gate',
  ref: 'The Gate 1:1',
  en: 'A lamp does not argue; it only shines.',
  license: 'CC0',
}

const remedy = 'Set LIBRARY_DATABASE_URL'

let separate: SeparateLibrary
let fake: FakeSefaria
let world: ProcessWorld
let folder: string
/** Urls of the same library: on a server that is read-only, as a standby, and with a role that may only read. */
let standby: string
let reader: string

beforeAll(async () => {
  separate = await createSeparateLibrary()
  await importLines(separate.library, [gate])
  fake = await startFakeSefaria()
  fake.sections = lampSections
  fake.records = lampRecords
  world = await openWorld({ processes: true })
  await dropLibraryTables(world.db)
  folder = await mkdtemp(path.join(tmpdir(), 'chat-service-read-only-'))
  const name = new URL(separate.url).pathname.slice(1)
  const as = (role: string) =>
    Object.assign(new URL(separate.url), { username: role, password: 'reads' }).href
  ;[standby, reader] = [as(`standby_${name}`), as(`reader_${name}`)]
  await asAdminOf(separate.url, async (admin) => {
    for (const role of ['standby', 'reader']) {
      await admin.query(`create role ${role}_${name} login password 'reads'`)
      await admin.query(`grant select on all tables in schema public to ${role}_${name}`)
    }
    await admin.query(`grant service to standby_${name}`)
    await admin.query(`alter role standby_${name} set default_transaction_read_only = on`)
  })
})
afterAll(async () => {
  await world?.close()
  await fake?.close()
  if (separate) {
    const name = new URL(separate.url).pathname.slice(1)
    await asAdminOf(separate.url, (admin) =>
      admin.query(`drop owned by standby_${name}, reader_${name}; drop role standby_${name}, reader_${name}`),
    )
    await separate.drop()
  }
  await rm(folder, { recursive: true, force: true })
})

type Block = { sources: { ref: string; verification: { result: string }[] }[] }

async function ask(at: { readonly url: string }, ref: string, answer: string) {
  world.upstream.enqueue(callTools([{ name: 'read_source', arguments: { ref } }]), reply(answer))
  const response = await world.chat(question('What is written?'), { at })
  expect(response.status).toBe(200)
  return ((await response.json()) as { x_service: Block }).x_service
}

const readOnly = rows<readonly [string, () => string]>(
  [['a standby', () => standby]],
  [['a role that may only read', () => reader]],
)

test.each(readOnly)('turns and searches work with %s, and nothing is written', async (_name, url) => {
  const service = await world.start({
    LIBRARY_DATABASE_URL: url(),
    LIBRARY_FALLBACK: 'sefaria',
    LIBRARY_FALLBACK_URL: fake.baseUrl,
  })
  expect(await (await fetch(`${service.url}/readyz`)).json()).toEqual({ status: 'ok', library: 'read-only' })
  const block = await ask(service, 'The Gate 1:1', 'It is written: “it only shines” [S1].')
  expect(block.sources).toMatchObject([{ ref: 'The Gate 1:1', verification: [{ result: 'verbatim' }] }])
  const fetched = fake.requests.length
  expect((await ask(service, 'House Lamp 1:1', 'It is not there.')).sources).toEqual([])
  expect(fake.requests).toHaveLength(fetched)
  const { stdout } = await service.stop('SIGTERM')
  expect(stdout).toContain('LIBRARY_FALLBACK has no effect')
  expect(stdout).toContain(remedy)
  const { rows } = await separate.library.systemPool.query('select title from works')
  expect(rows).toEqual([{ title: 'The Gate' }])
})

test.each(readOnly)(
  'imports into %s are refused with the remedy, and reading commands work',
  async (_name, url) => {
    const file = path.join(folder, 'texts.jsonl')
    await writeFile(file, `${JSON.stringify({ ...gate, ref: 'The Gate 2:1' })}\n`)
    const run = (...words: readonly string[]) => runLine(world.db, words, { LIBRARY_DATABASE_URL: url() })
    for (const words of [
      ['sources', 'import', 'jsonl', file],
      ['sources', 'import', 'sefaria', 'The Gate', '--base-url', fake.baseUrl],
      ['sources', 'remove', 'The Gate'],
    ]) {
      await expect(run(...words), words.join(' ')).rejects.toThrow(remedy)
    }
    expect(await run('sources', 'list')).toContain('The Gate  (1 passages')
    expect(await run('doctor')).toContain('is read-only: searches work')
  },
)

test('an operator cannot start an import into a standby, and the page has the remedy', async () => {
  const service = await world.start({ LIBRARY_DATABASE_URL: standby })
  const email = 'operator@example.org'
  await withTx(world.db.database, 'system', (tx) =>
    createAccount(tx, builtInPlans, { email, plan: 'pro', password: goodPassword, operator: true }),
  )
  const visitor = openVisitor(service as unknown as TestService)
  await visitor.post('/signin', { email, password: goodPassword })
  const entries = () => world.rows('select id from audit_log')
  const before = await entries()
  const refused = await visitor.post('/operator/library/collections/tanya/start', {})
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain(remedy)
  expect(await entries()).toEqual(before)
})

test('a read-only library with an older schema is refused at the start with the remedy', async () => {
  const query = (text: string, values: readonly unknown[] = []) =>
    asAdminOf(separate.url, (admin) => admin.query(text, [...values]))
  const newest = '(select max(created_at) from __drizzle_migrations)'
  const deleted = await query(`delete from __drizzle_migrations where created_at = ${newest} returning *`)
  const [row] = deleted.rows as { hash: string; created_at: string }[]
  await expect(world.start({ LIBRARY_DATABASE_URL: standby })).rejects.toThrow(
    /read-only and its schema is 1 migrations behind\. Run `npm run -s service -- migrate`/,
  )
  const values = [row?.hash, row?.created_at]
  await query('insert into __drizzle_migrations (hash, created_at) values ($1, $2)', values)
})

test('a wrong password for the library database is refused at the start', async () => {
  const wrong = new URL(separate.url)
  wrong.password = 'not this one'
  await expect(world.start({ LIBRARY_DATABASE_URL: wrong.href })).rejects.toThrow(
    'Check LIBRARY_DATABASE_URL.',
  )
})
