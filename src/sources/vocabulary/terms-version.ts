import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { lazy } from '../text/lazy.ts'
import { normaliserVersion } from '../text/tokens.ts'
import { abbreviations } from './abbreviations.ts'
import { aliasGroups, narrowerNames } from './aliases.ts'

/** Folders whose phrases become terms of the index. Subjects and titles of works that are not held do not. */
const folders = ['lexicon', 'synonyms', 'transliterations'].map(
  (name) => new URL(`./data/${name}/`, import.meta.url),
)

/**
 * The version of the terms in the index: that of the code which makes terms, and a hash of the words from which it makes them. An
 * index of another version misses words, so it is rebuilt.
 */
export const termsVersion = lazy((): string => {
  const hash = createHash('sha256').update(JSON.stringify([aliasGroups, narrowerNames, abbreviations]))
  for (const folder of folders)
    for (const file of readdirSync(folder).sort())
      hash.update(file).update(readFileSync(new URL(file, folder)))
  return `${normaliserVersion}-${hash.digest('hex').slice(0, 12)}`
})
