import { verifyText } from '../../src/sources/citations/verify.ts'
import { verifyLookups } from '../../src/sources/citations/verify-lookups.ts'
import { findRefs } from '../../src/sources/refs/in-text/find-refs.ts'
import { resolveRefs } from '../../src/sources/refs/ref-lookup.ts'
import { missingPlaces } from '../../src/sources/search/missing/places.ts'
import type { TestDatabase } from './database.ts'

/** What the library of a database makes of a text. */
export const libraryReader = (db: TestDatabase) => ({
  verify: (text: string) => verifyText(text, verifyLookups(db.database.system)),
  quotesOf: async (text: string) => (await verifyText(text, verifyLookups(db.database.system))).quotes,
  findIn: (text: string) => findRefs(db.database.system, text),
  missingIn: (text: string) => missingPlaces(db.database.system, text),
  /** The canonical ref of what a ref names. */
  resolved: async (ref: string) => (await resolveRefs(db.database.system, [ref]))[0]?.found?.ref,
})
