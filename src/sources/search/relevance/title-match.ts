import { headingsOf } from '../../index/terms.ts'
import type { PassageRow } from '../../library/passage-row.ts'
import { memoize } from '../../text/lazy.ts'
import type { Word } from '../../text/tokens.ts'
import { headingWords } from '../phrases/passage-words.ts'
import type { FoundConcept } from '../scoring/index-reader.ts'

/** For each term, the indexes of the concepts that have it. */
export type ByTerm = ReadonlyMap<string, readonly number[]>

/**
 * What a query shares with a title: concepts of the query, and the fraction of the title's distinctive words that
 * they cover.
 */
export type TitleMatch = { readonly concepts: readonly number[]; readonly share: number }

/** Maximum number of headings whose matches one search keeps. Most candidates share a heading with others. */
const maxHeadings = 1_000

/**
 * Returns a function that finds what the query shares with the titles of a passage. A title is the last part of its
 * heading, in either language.
 */
export function titleMatcher(byTerm: ByTerm): (row: PassageRow) => readonly TitleMatch[] {
  const matched = memoize(maxHeadings, (heading) => matchTitle(heading.split(/[,;]/).at(-1) ?? '', byTerm))
  return (row) => headingsOf({ ref: row.ref, heRef: row.he_ref }).flatMap((heading) => matched(heading))
}

/** Like `titleMatcher`, for the titles that the query contains completely. */
export function namedTitles(concepts: readonly FoundConcept[]): (row: PassageRow) => readonly TitleMatch[] {
  const matchTitles = titleMatcher(conceptsByTerm(concepts))
  return (row) => matchTitles(row).filter(({ share }) => share === 1)
}

/** Words that say what kind of thing a title names. A question leaves them out: `התניא` for `ספר התניא`. */
const kinds = new Set('ספר רבי הרבי אדמור האדמור ואדמור בעל rabbi rebb book'.split(' '))

/** Whether a word of a title tells it from others. In a title that is only such a word, that word does. */
function tellingIn(words: readonly Word[]): (word: Word) => boolean {
  const tells = ({ term, isStopWord }: Word): boolean => !isStopWord && !kinds.has(term)
  return words.some(tells) ? tells : ({ isStopWord }) => !isStopWord
}

function matchTitle(title: string, byTerm: ByTerm): readonly TitleMatch[] {
  const { words, compounds } = headingWords(title)
  const names = compounds.filter(({ term, isName }) => isName && byTerm.has(term))
  const concepts = new Set<number>()
  const tells = tellingIn(words)
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
    if (!tells(word)) continue
    content += 1
    if (found.length > 0 || at < named) met += 1
  }
  if (concepts.size === 0) return []
  return [{ concepts: [...concepts], share: content === 0 ? 1 : met / content }]
}

/** The indexes of the concepts that have each term. */
export function conceptsByTerm(concepts: readonly FoundConcept[]): ByTerm {
  const places = new Map<string, number[]>()
  for (const [index, { terms }] of concepts.entries()) {
    for (const term of terms.keys()) {
      const known = places.get(term)
      if (known) known.push(index)
      else places.set(term, [index])
    }
  }
  return places
}
