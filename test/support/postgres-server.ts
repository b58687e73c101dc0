import { rm } from 'node:fs/promises'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { bundleService } from '../../build/bundle.ts'
import { openEmbedded } from '../../src/db/embedded/server.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { clusterSettings, makeClusterFolder } from './cluster-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { adminUrl: string; serviceUrl: string }
  }
}

/**
 * One real Postgres per test run, with a migrated template that test files clone. Also builds the bundle of
 * the service.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await bundleService({ ifChanged: true })
  const directory = await makeClusterFolder('chat-service-test-')
  const server = await openEmbedded(directory, [...clusterSettings, 'max_connections=300'])
  await migrateDatabase(server.url, server.url)
  const admin = new pg.Client({ connectionString: server.adminUrl })
  await admin.connect()
  await admin.query('alter database service rename to service_template')
  await admin.end()
  project.provide('postgres', { adminUrl: server.adminUrl, serviceUrl: server.url })
  return async () => {
    await server.release()
    await rm(directory, { recursive: true, force: true })
  }
}
