import type { Database } from '../../src/db/client.ts'
import { importJsonl } from '../../src/sources/importers/import-jsonl.ts'

/** Imports a work of two passages with URLs; the query `lamp light` finds them. */
export async function importLamps(database: Database): Promise<void> {
  await importJsonl(database, passages(), { allowLicenses: [] })
}

async function* passages(): AsyncGenerator<string> {
  for (const [n, en] of [
    'A lamp gives light to the room.',
    'A lantern carries its light abroad.',
  ].entries()) {
    const ref = `Book of Lamps ${n + 1}`
    const source_url = `https://example.org/lamps/${n + 1}`
    yield JSON.stringify({ work: 'Book of Lamps', ref, en, license: 'CC0', author: 'A. Writer', source_url })
  }
}
