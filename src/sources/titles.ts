import { headingsOf } from './terms.ts'
import { isFunctionWord, tokenize } from './tokens.ts'
import { groupTerm, namesAt } from './vocabulary/lookup.ts'

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
  const tokens = tokenize(title)
  const met = new Set<number>()
  let named = 0
  for (const [at, token] of tokens.entries()) {
    const names = namesAt(tokens, at).filter((name) => byTerm.has(groupTerm(name.group, name.script)))
    for (const { length } of names) named = Math.max(named, at + length)
    const terms = [token.term, ...names.map(({ group, script }) => groupTerm(group, script))]
    const found = terms.flatMap((term) => byTerm.get(term) ?? [])
    if (found.length === 0 && at >= named && !isFunctionWord(token)) return undefined
    for (const index of found) met.add(index)
  }
  return met.size > 0 ? [...met] : undefined
}
