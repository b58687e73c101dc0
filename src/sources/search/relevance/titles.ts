import { headingsOf } from '../../index/terms.ts'
import { headingWords } from '../phrases/row-words.ts'

/** Places in a list of concepts that have the term. */
export type ByTerm = ReadonlyMap<string, readonly number[]>

/**
 * The concepts that the title of a place consists of, when the query has them all; otherwise none. The title is the
 * last part of its heading, in either language.
 */
export function titleConcepts(
  place: { readonly ref: string; readonly heRef: string },
  byTerm: ByTerm,
): readonly (readonly number[])[] {
  return headingsOf(place).flatMap((heading) => {
    const met = conceptsOf(heading.split(/[,;]/).at(-1) ?? '', byTerm)
    return met ? [met] : []
  })
}

/** The concepts that all the words of a title are, or undefined when one of them is none. */
function conceptsOf(title: string, byTerm: ByTerm): readonly number[] | undefined {
  const { words, compounds } = headingWords(title)
  const names = compounds.filter(({ term, isName }) => isName && byTerm.has(term))
  const met = new Set<number>()
  let named = 0
  for (const [at, { term, telling }] of words.entries()) {
    const terms = [term]
    for (const name of names) {
      if (name.at !== at) continue
      terms.push(name.term)
      named = Math.max(named, at + name.length)
    }
    const found = terms.flatMap((one) => byTerm.get(one) ?? [])
    if (found.length === 0 && at >= named && telling) return undefined
    for (const index of found) met.add(index)
  }
  return met.size > 0 ? [...met] : undefined
}
