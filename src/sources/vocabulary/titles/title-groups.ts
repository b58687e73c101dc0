import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'
import { lazy } from '../../text/lazy.ts'
import { authorAliases, headingAliases } from './works-table.ts'

/** Keys of equivalent titles. The title in stored refs comes first. */
type TitleGroup = readonly string[]

const groups = lazy(compile)

function compile(): ReadonlyMap<string, TitleGroup> {
  const byKey = new Map<string, TitleGroup>()
  const byHeading = new Map<string, TitleGroup>()
  const add = (title: string, keyOf: (title: string) => string, group: TitleGroup): void => {
    const key = keyOf(title)
    if (!byKey.has(key)) byKey.set(key, group)
  }
  for (const titles of headingAliases) {
    const group = [...new Set(titles.map(headingKey))]
    byHeading.set(titles[0], group)
    for (const title of titles) add(title, headingKey, group)
  }
  // An author's name leads to a work, but the work does not lead to other things named after the author.
  for (const [heading, ...authors] of authorAliases) {
    for (const author of authors) add(author, headingKey, byHeading.get(heading) ?? [headingKey(heading)])
  }
  // Exact keys come before loose ones.
  for (const [heading, ...titles] of [...headingAliases, ...authorAliases]) {
    for (const title of titles) add(title, looseHeadingKey, byHeading.get(heading) ?? [headingKey(heading)])
  }
  return byKey
}

/** Keys of the other titles with the same meaning as a key, exact or loose. Empty for an unknown key. */
export function otherTitleKeys(key: string): readonly string[] {
  return (groups().get(key) ?? []).filter((other) => other !== key)
}

/** The keys of all titles in the vocabulary, whether the library has the works or not. */
export function vocabularyTitleKeys(): Iterable<string> {
  return groups().keys()
}

const authors = lazy(
  () =>
    new Set(
      authorAliases.flatMap(([, ...names]) =>
        names.flatMap((name) => [headingKey(name), looseHeadingKey(name)]),
      ),
    ),
)

/** Whether a key is the name of an author that stands for a work. */
export function isAuthorKey(key: string): boolean {
  return authors().has(key)
}
