import { beforeAll } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { type ImportReport, importJsonl } from '../../src/sources/importers/import-jsonl.ts'
import { printedHebrewAddress } from '../../src/sources/refs/grammar/hebrew-refs.ts'
import { type TestDatabase, useDatabase } from './database.ts'

/** Imports JSON lines, each given as an object. One that is a string is written unchanged. */
export function importLines(
  database: Database,
  lines: Iterable<object | string>,
  options: Partial<Parameters<typeof importJsonl>[2]> = {},
): Promise<ImportReport> {
  async function* written(): AsyncGenerator<string> {
    for (const line of lines) yield typeof line === 'string' ? line : JSON.stringify(line)
  }
  return importJsonl(database, written(), { allowLicenses: [], replace: true, ...options })
}

/** The database of a file's tests, with a library of these lines beside what it has. */
export function useLibrary(lines: Iterable<object>, db: TestDatabase = useDatabase()): TestDatabase {
  beforeAll(() => importLines(db.database, lines))
  return db
}

/** A heading of a work, its Hebrew form, and the addresses below it. */
export type ShelfRow = readonly [work: string, heading: string, hebrew: string, ...addresses: string[]]

type ShelfLine = Readonly<Record<'work' | 'ref' | 'he_ref' | 'en', string>>

/** One line per address, with an invented English text. */
export function shelfLines(shelf: readonly ShelfRow[]): readonly ShelfLine[] {
  return shelf.flatMap(([work, heading, hebrew, ...addresses]) =>
    addresses.map((address) => ({
      work,
      ref: `${heading} ${address}`,
      he_ref: `${hebrew} ${printedHebrewAddress(address.split(':'))}`,
      en: `words of ${heading.toLowerCase().replace(/\W+/g, ' ')} at ${address}`,
    })),
  )
}
