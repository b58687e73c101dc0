import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { sql } from 'drizzle-orm'
import { type Database, withImportTx } from '../../db/client.ts'
import { isReadOnly } from '../../db/library/library-database.ts'

const starterFolder = new URL('../starter/', import.meta.url)

/**
 * Imports the starter library, unless this edition of it was imported before, even if its works were removed since.
 * A read-only library stays as it is. Several replicas may call it at once.
 */
export async function ensureStarterLibrary(database: Database): Promise<void> {
  const names = (await readdir(starterFolder)).filter((name) => name.endsWith('.jsonl')).sort()
  const contents = await Promise.all(names.map((name) => readFile(new URL(name, starterFolder), 'utf8')))
  const edition = createHash('sha256').update(JSON.stringify(contents)).digest('hex')
  const known = await database.system.execute<{ value: string }>(
    sql`select value from library_state where key = 'starter'`,
  )
  if (known.rows[0]?.value === edition || (await isReadOnly(database.system))) return
  // Most starts import nothing.
  const { importJsonl } = await import('./import-jsonl.ts')
  // Two replicas import one after the other; the second finds nothing to change.
  await importJsonl(database, linesOf(contents), { allowLicenses: [], replace: true })
  await withImportTx(database, (tx) =>
    tx.execute(sql`
      insert into library_state (key, value) values ('starter', ${edition})
      on conflict (key) do update set value = excluded.value`),
  )
}

async function* linesOf(contents: readonly string[]): AsyncGenerator<string> {
  for (const content of contents) yield* content.split('\n')
}
