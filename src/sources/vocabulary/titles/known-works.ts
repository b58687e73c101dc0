import { headingKey, looseHeadingKey, withoutLatinArticles } from '../../text/heading-keys.ts'
import { lazy, lazyInSteps } from '../../text/lazy.ts'
import { unheldWorks } from './works-table.ts'

const byKey = lazyInSteps(function* (): Generator<undefined, ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>()
  // Exact keys come last, so that they overwrite loose ones.
  for (const keyOf of [looseHeadingKey, headingKey]) {
    for (const { names } of unheldWorks) {
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
  () => new Set(unheldWorks.flatMap(({ names, isChassidic }) => (isChassidic ? names.map(headingKey) : []))),
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
