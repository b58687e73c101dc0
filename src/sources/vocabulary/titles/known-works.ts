import { readdirSync, readFileSync } from 'node:fs'
import { headingKey, looseHeadingKey, withoutLatinArticles } from '../../text/heading-keys.ts'
import { lazy, lazyInSteps } from '../../text/lazy.ts'

const folder = new URL('./works/', import.meta.url)

/**
 * Works that a library may not hold, each with all its names, so that an answer can say "not in this library" instead
 * of "does not exist". Each line of the tables is a work: English names, a tab, Hebrew names; `|` separates names. Titles of `ref-aliases` are added.
 */
const knownWorks = lazy((): readonly (readonly string[])[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.tsv'))
    .sort()
    .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').split('\n'))
    .map((line) => line.split(/[\t|]/).filter((name) => name !== ''))
    .filter((names) => names.length > 0),
)

const byKey = lazyInSteps(function* (): Generator<undefined, ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>()
  // Exact keys come last, so that they overwrite loose ones.
  for (const keyOf of [looseHeadingKey, headingKey]) {
    for (const names of knownWorks()) {
      for (const key of names.map(keyOf)) if (!isLooseWord(key)) found.set(key, names)
      yield
    }
  }
  return found
})

/** The names of works with a Latin article, by their keys without it. */
const withoutArticle = lazy(
  () =>
    new Map(
      [...byKey()].flatMap(([key, names]) => {
        const bare = withoutLatinArticles(key)
        return bare === key || byKey().has(bare) ? [] : [[bare, names] as const]
      }),
    ),
)

/** Makes the table of works in advance. */
export const loadKnownWorks = byKey.load

/** Whether a key is loose and of one word. Too many words share it. */
function isLooseWord(key: string): boolean {
  return key.startsWith('~') && !key.includes(' ')
}

/** The exact keys of all names, see `headingKey`. */
export function knownWorkKeys(): readonly string[] {
  return [...byKey().keys()].filter((key) => !key.startsWith('~'))
}

/** Loose keys of the names of several words, see `looseHeadingKey`. */
export function looseWorkKeys(): readonly string[] {
  return [...byKey().keys()].filter((key) => key.startsWith('~'))
}

const chassidic = lazy(
  () =>
    new Set(
      readFileSync(new URL('chassidut.tsv', folder), 'utf8')
        .split(/[\n\t|]/)
        .filter((name) => name !== '')
        .map(headingKey),
    ),
)

/** Whether a key, see `headingKey`, is a name of a chassidic work. */
export function isChassidicWork(key: string): boolean {
  return chassidic().has(key)
}

/**
 * All names of the work with this key, exact or, for names of several words, loose or with another use of the Latin
 * article. Undefined for an unknown key.
 */
export function namesOfKnownWork(key: string): readonly string[] | undefined {
  const bare = withoutLatinArticles(key)
  return byKey().get(key) ?? withoutArticle().get(bare) ?? (bare === key ? undefined : byKey().get(bare))
}
