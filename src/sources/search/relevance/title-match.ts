import { headingsOf } from '../../index/terms.ts'
import { headingWords } from '../phrases/passage-words.ts'

/** For each term, the indexes of the concepts that have it. */
export type ByTerm = ReadonlyMap<string, readonly number[]>

/**
 * What a query shares with a title: concepts of the query, and the fraction of the title's distinctive words that
 * they cover.
 */
export type TitleMatch = { readonly concepts: readonly number[]; readonly share: number }

/** What the query shares with the titles of a place. A title is the last part of its heading, in either language. */
export function matchTitles(
  place: { readonly ref: string; readonly heRef: string },
  byTerm: ByTerm,
): readonly TitleMatch[] {
  return headingsOf(place).flatMap((heading) => {
    const met = matchTitle(heading.split(/[,;]/).at(-1) ?? '', byTerm)
    return met ? [met] : []
  })
}

/** Whether the query contains a title of the place completely. */
export function matchesTitle(
  place: { readonly ref: string; readonly heRef: string },
  byTerm: ByTerm,
): boolean {
  return matchTitles(place, byTerm).some(({ share }) => share === 1)
}

function matchTitle(title: string, byTerm: ByTerm): TitleMatch | undefined {
  const { words, compounds } = headingWords(title)
  const names = compounds.filter(({ term, isName }) => isName && byTerm.has(term))
  const concepts = new Set<number>()
  let [named, content, met] = [0, 0, 0]
  for (const [at, word] of words.entries()) {
    const terms = [word.term]
    for (const name of names) {
      if (name.at !== at) continue
      terms.push(name.term)
      named = Math.max(named, at + name.length)
    }
    const found = terms.flatMap((one) => byTerm.get(one) ?? [])
    for (const index of found) concepts.add(index)
    if (word.isStopWord) continue
    content += 1
    if (found.length > 0 || at < named) met += 1
  }
  if (concepts.size === 0) return undefined
  return { concepts: [...concepts], share: content === 0 ? 1 : met / content }
}
