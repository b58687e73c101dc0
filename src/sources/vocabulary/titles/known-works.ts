import { readdirSync, readFileSync } from 'node:fs'
import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'

const folder = new URL('./works/', import.meta.url)

/**
 * Works that a library may not hold, each with all its names, so that an answer can say "not in this library" instead
 * of "does not exist". Each line of the tables is a work: English names, a tab, Hebrew names; `
 * ` separates names. Titles of `ref-aliases` are added.
 */
const knownWorks: readonly (readonly string[])[] = readdirSync(folder)
  .filter((name) => name.endsWith('.tsv'))
  .sort()
  .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').split('\n'))
  .map((line) => line.split(/[\t|]/).filter((name) => name !== ''))
  .filter((names) => names.length > 0)

/** The keys of all names, see `headingKey`. */
export const knownWorkKeys: ReadonlySet<string> = new Set(knownWorks.flat().map(headingKey))

const byKey: ReadonlyMap<string, readonly string[]> = new Map(
  // Exact keys come last, so that they overwrite loose ones.
  [looseHeadingKey, headingKey].flatMap((keyOf) =>
    knownWorks.flatMap((names) =>
      names.flatMap((name) => {
        const key = keyOf(name)
        return key.startsWith('~') && !key.includes(' ') ? [] : [[key, names] as const]
      }),
    ),
  ),
)

/** Loose keys of the names of several words, see `looseHeadingKey`. */
export const looseWorkKeys: readonly string[] = [...byKey.keys()].filter((key) => key.startsWith('~'))

/** All names of the work with this key, exact or, for names of several words, loose. Undefined for an unknown key. */
export function namesOfKnownWork(key: string): readonly string[] | undefined {
  return byKey.get(key)
}
