import { readdirSync, readFileSync } from 'node:fs'
import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'

const folder = new URL('./works/', import.meta.url)

/**
 * Works that libraries may not hold, each with all its names. The answer to a question about one of them says that this
 * library lacks it, not that it does not exist. Each line of the tables is a work: English names, a tab, Hebrew names;
 * `|` stands between names. Titles of the vocabulary of refs (`ref-aliases`) belong to them.
 */
const knownWorks: readonly (readonly string[])[] = readdirSync(folder)
  .filter((name) => name.endsWith('.tsv'))
  .sort()
  .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').split('\n'))
  .map((line) => line.split(/[\t|]/).filter((name) => name !== ''))
  .filter((names) => names.length > 0)

/** Their keys, see `headingKey`. */
export const knownWorkKeys: ReadonlySet<string> = new Set(knownWorks.flat().map(headingKey))

const byKey: ReadonlyMap<string, readonly string[]> = new Map(
  // Exact keys come last and win over loose ones.
  [looseHeadingKey, headingKey].flatMap((keyOf) =>
    knownWorks.flatMap((names) =>
      names.flatMap((name) => {
        const key = keyOf(name)
        return key.startsWith('~') && !key.includes(' ') ? [] : [[key, names] as const]
      }),
    ),
  ),
)

/** All names of the work that a key means, exact or, for names of several words, loose; undefined if none is known. */
export function namesOfKnownWork(key: string): readonly string[] | undefined {
  return byKey.get(key)
}
