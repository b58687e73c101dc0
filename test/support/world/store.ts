import { openDatabase } from '../../../src/db/client.ts'
import { createLibraryDatabase, createTestDatabase, type TestDatabase } from '../database.ts'
import { fixture } from '../fixture.ts'
import { checkInvariants } from '../invariants.ts'
import type { PrivatePostgres } from '../private-postgres.ts'

/** A database of its own, without a service. */
export type StoreWorld = {
  readonly db: TestDatabase
  rows<T extends object>(statement: string, ...values: readonly unknown[]): Promise<readonly T[]>
  /** @throws when the statement gives none or several rows. */
  row<T extends object>(statement: string, ...values: readonly unknown[]): Promise<T>
  /** The invariants of money and runs that are broken now, one line each. */
  broken(): Promise<readonly string[]>
  /** Stops everything. @throws when the tests broke an invariant of money or runs. */
  close(): Promise<void>
}

type StoreOptions = {
  /** A server of its own; without one the database is a clone on the server of the test run. */
  readonly postgres: PrivatePostgres | undefined
  /** Whether the clone has the starter library. */
  readonly starter: boolean
  /** Whether closing checks the invariants of money and runs. */
  readonly checked: boolean
}

export async function openStore(
  { postgres, starter, checked }: StoreOptions,
  cleanup: AsyncDisposableStack,
): Promise<Omit<StoreWorld, 'close'>> {
  const clone = starter ? createLibraryDatabase : createTestDatabase
  const db = postgres ? openOn(postgres) : await clone()
  cleanup.defer(() => closeStore(db, checked))
  return storeOf(db)
}

/** The database of a file's tests; its members can be taken out before it is open. */
export function useStore(): Omit<StoreWorld, 'close'> {
  return storeOf(fixture(createTestDatabase, (db) => closeStore(db, true)))
}

async function closeStore(db: TestDatabase, checked: boolean): Promise<void> {
  const rules = checked ? await checkInvariants(db.database) : []
  await db.drop()
  if (rules.length > 0) throw new Error(`the tests broke invariants:\n${rules.join('\n')}`)
}

function storeOf(db: TestDatabase): Omit<StoreWorld, 'close'> {
  const rows = async <T extends object>(statement: string, ...values: readonly unknown[]) =>
    (await db.database.systemPool.query<T>(statement, [...values])).rows
  return {
    db,
    rows,
    async row<T extends object>(statement: string, ...values: readonly unknown[]) {
      const found = await rows<T>(statement, ...values)
      if (found.length !== 1) throw new Error(`${found.length} rows for ${values}: ${statement}`)
      return found[0] as T
    },
    broken: () => checkInvariants(db.database),
  }
}

function openOn({ url }: PrivatePostgres): TestDatabase {
  const database = openDatabase({ url, onIdleError: () => undefined })
  return { database, url, drop: () => database.close() }
}
