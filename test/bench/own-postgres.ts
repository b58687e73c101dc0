import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import type { Database } from '../../src/db/client.ts'
import { type EmbeddedServer, openEmbedded } from '../../src/db/embedded/server.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { importJsonl } from '../../src/sources/importers/import-jsonl.ts'
import { ensureStarterLibrary } from '../../src/sources/importers/starter.ts'
import { withDatabase } from '../support/with-database.ts'

/** Runs `work` with a new Postgres, without the schema of the service; afterwards it and its folder are removed. */
export async function withPostgres<T>(
  settings: readonly string[],
  work: (server: EmbeddedServer, folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-'))
  const server = await openEmbedded(folder, settings)
  try {
    return await work(server, folder)
  } finally {
    await server.release()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs `work` with the service's database on a server, whose schema is made. */
export async function withNewDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  await migrateDatabase(url, url)
  return withDatabase(url, work)
}

/** Opens a connection as the superuser to the service's database. */
export async function connectAsSuperuser({ url, adminUrl }: EmbeddedServer): Promise<pg.Client> {
  const own = new URL(adminUrl)
  own.pathname = new URL(url).pathname
  const client = new pg.Client({ connectionString: own.href })
  await client.connect()
  return client
}

/** Runs `work` with a library of its own: the starter library, unless left out, and files of JSON lines. */
export function withLibrary<T>(
  {
    libraries,
    withoutStarter = false,
  }: { readonly libraries: readonly string[]; readonly withoutStarter?: boolean },
  work: (database: Database) => Promise<T>,
): Promise<T> {
  return withPostgres([], ({ url }) =>
    withNewDatabase(url, async (database) => {
      if (!withoutStarter) await ensureStarterLibrary(database)
      for (const file of libraries)
        await importJsonl(database, linesOfFile(file), { allowLicenses: ['cc-by-nc', 'unknown'] })
      return work(database)
    }),
  )
}

/** `createInterface` begins to read at once, and loses the lines that come before the caller asks for the first. */
async function* linesOfFile(file: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(file) })
}
