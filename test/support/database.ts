import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { ensureStarterLibrary } from '../../src/sources/importers/starter.ts'
import { ensureSearchIndex } from '../../src/sources/library/writing/reindex.ts'
import { fixture } from './fixture.ts'

export type TestDatabase = { readonly database: Database; readonly url: string; drop(): Promise<void> }

/** A database for one test file: a clone of the migrated template, without rows. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return asAdmin((admin) => clone(admin, 'service_template'))
}

/** A database without tables, which the role of the service owns. */
export async function createEmptyDatabase(): Promise<{ readonly url: string; drop(): Promise<unknown> }> {
  const name = `t_${randomBytes(8).toString('hex')}`
  await asAdmin((admin) => admin.query(`create database ${name} owner service`))
  const url = new URL(inject('postgres').serviceUrl)
  url.pathname = `/${name}`
  const drop = () => asAdmin((admin) => admin.query(`drop database ${name} with (force)`))
  return { url: url.href, drop }
}

/** The database of a file's tests. */
export const useDatabase = (): TestDatabase => fixture(createTestDatabase, (db) => db.drop())

/** The same with the starter library. */
export const useLibraryDatabase = (): TestDatabase => fixture(createLibraryDatabase, (db) => db.drop())

const libraryTemplate = 'library_template'

/** A database with the starter library, as the first start of a service leaves it. */
export async function createLibraryDatabase(): Promise<TestDatabase> {
  return asAdmin(async (admin) => clone(admin, await libraryTemplateOf(admin)))
}

/**
 * The template of a run is created by the first test file that needs it: importing takes a second.
 * @returns its name.
 */
export async function libraryTemplateOf(admin: pg.Client): Promise<string> {
  const made = await admin.query('select 1 from pg_database where datname = $1', [libraryTemplate])
  if (made.rowCount === 0) await makeLibraryTemplate(admin)
  return libraryTemplate
}

async function makeLibraryTemplate(admin: pg.Client): Promise<void> {
  const { database, url } = await clone(admin, 'service_template')
  try {
    await ensureStarterLibrary(database)
    await ensureSearchIndex(database)
  } finally {
    await database.close()
  }
  await admin.query(`alter database ${new URL(url).pathname.slice(1)} rename to ${libraryTemplate}`)
}

async function clone(admin: pg.Client, template: string): Promise<TestDatabase> {
  const name = `t_${randomBytes(8).toString('hex')}`
  // Copying files takes a tenth of the CPU time of the default strategy, which logs every page.
  await admin.query(`create database ${name} template ${template} owner service strategy file_copy`)
  const url = new URL(inject('postgres').serviceUrl)
  url.pathname = `/${name}`
  const database = openDatabase({ url: url.href, onIdleError: () => undefined, maxConnections: 8 })
  return {
    database,
    url: url.href,
    async drop() {
      await database.close()
      await asAdmin((client) => client.query(`drop database ${name} with (force)`))
    },
  }
}

/**
 * Creation from a template fails while another clone is being created, so it runs one at a time across test
 * workers.
 */
export async function asAdmin<T>(work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: inject('postgres').adminUrl })
  await admin.connect()
  try {
    await admin.query('select pg_advisory_lock(1)')
    return await work(admin)
  } finally {
    await admin.end()
  }
}
