import { ServiceError } from '../../errors.ts'
import { baalShemTov } from './baal-shem-tov.ts'
import { breslov } from './breslov.ts'
import { chabad } from './chabad.ts'
import { chassidut } from './chassidut.ts'
import type { Collection } from './collection.ts'
import { earlyMasters } from './early-masters.ts'
import { polishSchools } from './polish-schools.ts'
import { tanya } from './tanya.ts'

/** All collections, in the order in which lists show them. */
export const collections: readonly Collection[] = [
  tanya,
  chabad,
  breslov,
  baalShemTov,
  earlyMasters,
  polishSchools,
  chassidut,
]

/** @throws ServiceError `not_found` that lists the names. */
export function findCollection(name: string): Collection {
  const found = collections.find((collection) => collection.name === name.trim().toLowerCase())
  if (found) return found
  const names = collections.map((collection) => collection.name).join(', ')
  throw new ServiceError('not_found', `There is no collection "${name}". Use one of: ${names}.`)
}
