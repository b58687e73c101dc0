import { cp, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { expect, test } from 'vitest'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { createEmptyDatabase } from '../support/database.ts'
import { useFolder } from '../support/folder.ts'
import { gate, reply } from '../support/scripted-upstream.ts'
import { withDatabase } from '../support/with-database.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import { ask } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

const folder = useFolder()
const world = useWorld()

/** What a next version may bring: it adds to the tables that turns write to. */
const next = [
  `ALTER TABLE "runs" ADD COLUMN "region" text DEFAULT 'here' NOT NULL`,
  'ALTER TABLE "api_keys" ADD COLUMN "note" text',
  'CREATE TABLE "notes" ("id" text PRIMARY KEY NOT NULL, "run_id" text REFERENCES "runs"("id") ON DELETE cascade)',
  'CREATE INDEX "runs_region" ON "runs" ("region")',
]

async function migrateToNext(): Promise<void> {
  await cp('migrations', folder, { recursive: true })
  const journalFile = path.join(folder, 'meta/_journal.json')
  const journal = JSON.parse(await readFile(journalFile, 'utf8'))
  const idx = journal.entries.length
  journal.entries.push({ ...journal.entries.at(-1), idx, tag: '9999_next', when: Date.now() })
  await writeFile(journalFile, JSON.stringify(journal))
  await writeFile(path.join(folder, '9999_next.sql'), next.join('\n--> statement-breakpoint\n'))
  const client = new pg.Client({ connectionString: world.db.url })
  await client.connect()
  await client.query(`set lock_timeout = '5s'; set app.account = '*'`)
  await migrate(drizzle({ client }), { migrationsFolder: folder, migrationsSchema: 'public' })
  await client.end()
}

test('a service of the former version serves during and after a migration', async () => {
  const held = gate()
  world.upstream.enqueue([{ text: 'Before' }, { waitFor: held.opened }, { text: ' and after.' }])
  const stream = new LiveStream(await world.chat(ask('A long question?', { stream: true })))
  await stream.until('Before')
  world.upstream.setDefault(reply('An answer.'))
  let over = false
  const statuses: number[] = []
  const asking = (async () => {
    while (!over) statuses.push((await world.chat(ask('And a short one?'))).status)
  })()
  await migrateToNext()
  over = true
  await asking
  held.open()
  const rest = await stream.rest()
  expect(rest).toContain(' and after.')
  expect(rest).toContain('[DONE]')
  statuses.push((await world.chat(ask('One more?'))).status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  const { rows } = await world.db.database.systemPool.query(`select distinct region from runs`)
  expect(rows).toEqual([{ region: 'here' }])
  // A replica of this version that starts now finds a newer schema, and leaves it as it is.
  await migrateDatabase(world.db.url, world.db.url)
})

test('twelve replicas that start at once on an empty database bring it up to date once', async () => {
  const { url, drop } = await createEmptyDatabase()
  await Promise.all(Array.from({ length: 12 }, () => migrateDatabase(url, url)))
  const journal = JSON.parse(await readFile('migrations/meta/_journal.json', 'utf8'))
  await withDatabase(url, async ({ system }) => {
    const { rows } = await system.execute('select count(*)::int as n from __drizzle_migrations')
    expect(rows).toEqual([{ n: journal.entries.length }])
  })
  await drop()
})
