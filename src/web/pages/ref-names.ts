import type { Executor } from '../../db/client.ts'
import { hebrewRefs } from '../../sources/library/hebrew-refs.ts'
import { spanOf } from '../../sources/refs/grammar/ref-parts.ts'
import { type Html, html, listed } from '../components/html.ts'
import { readHref } from '../components/library-links.ts'
import type { Texts } from '../texts/catalogue.ts'

/** The name of a ref in the language of a page; the ref itself where the library has no Hebrew one. */
export type RefNames = (ref: string) => string

/** Refs of a page; absent ones are left out. */
export type RefsShown = readonly (string | null | undefined)[]

/** Names without a query: the refs themselves. */
export const asWritten: RefNames = (ref) => ref

/** A link to a ref under its name. */
export function refLink(ref: string, names: RefNames): Html {
  return html`<a class="ref" href="${readHref(ref)}" dir="auto">${names(ref)}</a>`
}

/** Links to refs, in a sentence. */
export function refLinks(refs: readonly string[], names: RefNames): Html {
  return listed(refs.map((ref) => refLink(ref, names)))
}

/** Reads the Hebrew refs for a Hebrew page. English pages show the refs and need no query. */
export async function refNames(
  { language }: Pick<Texts, 'language'>,
  executor: Executor,
  refs: RefsShown,
): Promise<RefNames> {
  if (language !== 'he') return asWritten
  const hebrew = await hebrewRefs(
    executor,
    refs.filter((ref) => typeof ref === 'string'),
  )
  return (ref) => hebrew.get(ref) ?? ref
}

/** The refs that titles of steps name, as far as the language of the page has other names for them. */
export function refsInTitles(t: Pick<Texts, 'translate'>, titles: readonly string[]): readonly string[] {
  const refs: string[] = []
  for (const title of titles)
    t.translate(title, (ref) => {
      refs.push(ref)
      return ref
    })
  return refs
}

/**
 * What a step does. A ref in its title that the library writes in another way is named by the passages that the step
 * has read.
 */
export function stepTitle(
  t: Pick<Texts, 'translate'>,
  { title, refs }: { readonly title: string; readonly refs: readonly string[] },
  names: RefNames,
): string {
  const [first, last] = [refs[0], refs.at(-1)]
  return t.translate(title, (asked) => {
    const name = names(asked)
    if (name !== asked || first === undefined || last === undefined) return name
    const ends = [first, last].filter((ref) => names(ref) !== ref)
    return ends.length < 2 ? asked : spanOf(names(first), names(last))
  })
}
