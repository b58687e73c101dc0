import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'

export type TestDatabase = { readonly database: Database; readonly url: string; drop(): Promise<void> }

/** A database for one test file: a clone of the migrated template, without rows. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { adminUrl, serviceUrl } = inject('postgres')
  const name = `t_${randomBytes(8).toString('hex')}`
  // Copying files takes a tenth of the CPU time of the default strategy, which logs every page.
  await asAdmin(
    adminUrl,
    `create database ${name} template service_template owner service strategy file_copy`,
  )
  const url = new URL(serviceUrl)
  url.pathname = `/${name}`
  const database = openDatabase({ url: url.href, onIdleError: () => undefined, maxConnections: 8 })
  return {
    database,
    url: url.href,
    async drop() {
      await database.close()
      await asAdmin(adminUrl, `drop database ${name} with (force)`)
    },
  }
}

/**
 * Creation from a template fails while another clone is being created, so it runs one at a time across test
 * workers.
 */
async function asAdmin(adminUrl: string, statement: string): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl })
  await admin.connect()
  try {
    await admin.query('select pg_advisory_lock(1)')
    await admin.query(statement)
  } finally {
    await admin.end()
  }
}
