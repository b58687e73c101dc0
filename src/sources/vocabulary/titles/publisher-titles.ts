import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'
import { lazy } from '../../text/lazy.ts'
import { namesOfKnownWork } from './known-works.ts'
import { headingAliases } from './works-table.ts'

/** The first of the aliases of a heading is its title in Sefaria's refs. Exact keys come before loose ones. */
const titles = lazy(() => {
  const byKey = new Map<string, string>()
  for (const keyOf of [headingKey, looseHeadingKey])
    for (const [heading, ...others] of headingAliases)
      for (const title of [heading, ...others]) if (!byKey.has(keyOf(title))) byKey.set(keyOf(title), heading)
  return byKey
})

/**
 * The title under which Sefaria probably has a heading or a work, in any language; undefined for an unknown title. For
 * works without aliases it is the first English name of the vocabulary.
 */
export function publisherTitle(written: string): string | undefined {
  for (const key of [headingKey(written), looseHeadingKey(written)]) {
    const title = titles().get(key) ?? namesOfKnownWork(key)?.[0]
    if (title !== undefined) return title
  }
  return undefined
}
