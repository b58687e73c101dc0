import { withPrefixes } from '../../text/hebrew.ts'
import { isStopWord, type Token } from '../../text/tokens.ts'
import { plainLetters } from '../../vocabulary/spelling/known-words.ts'
import { everydayWords } from '../../vocabulary/topics.ts'
import { isInPhrase } from '../expansion/phrases.ts'
import type { Concept, Query } from '../expansion/query.ts'
import type { FoundConcept } from '../scoring/index-reader.ts'

/** A word of a query that nothing is known about. */
export type UnknownWord = {
  readonly position: number
  /** In lower case and medial letters. */
  readonly written: string
  /** Whether it has gershayim, like an acronym. */
  readonly abbreviated: boolean
  /** Whether it stands after `Reb` or another title, like a given name. */
  readonly isTitled: boolean
}

/** Titles before the given name of a master. */
const givenNameTitles: ReadonlySet<string> = new Set(['reb', 'rebb', 'rabbi', 'rav', 'r', 'רבי', 'ר', 'הרבי'])

/** Maximum number of words of a query that are respelled. A long text with more is in another language. */
const maxUnknown = 6

/** Longer words are not transliterations, and comparing them takes longer. */
const longestWord = 24

/**
 * The words of a query that the library does not have in any form, that are no name, and that nothing translates.
 * Quoted words and words for everyday subjects are meant as they are written.
 */
export function unknownWords(
  text: string,
  { tokens, quoted }: Query,
  found: readonly FoundConcept[],
): readonly UnknownWord[] {
  const everyday = everydayWords(tokens)
  const isUnknown = (one: FoundConcept): boolean => isUnknownConcept(one, tokens)
  const known = new Set(found.flatMap((one) => (isUnknown(one) ? [] : positionsOf(one.concept))))
  const positions = found.filter(isUnknown).map(({ concept }) => concept.position)
  const unknown = positions.flatMap((position) => {
    const token = tokens[position]
    if (!token || known.has(position) || everyday.has(position)) return []
    if (isStopWord(token) || isInPhrase(quoted, position)) return []
    const written = plainLetters(text.slice(token.start, token.end))
    if (written === '' || written.length > longestWord) return []
    const isTitled = givenNameTitles.has(tokens[position - 1]?.term ?? '')
    return [{ position, written, abbreviated: token.abbreviated, isTitled }]
  })
  return unknown.slice(0, maxUnknown)
}

/** Whether a concept is a word without names and translations that no passage has. */
function isUnknownConcept({ concept, documents, terms }: FoundConcept, tokens: readonly Token[]): boolean {
  if (concept.origins.size > 0 || concept.respelled.length === 0) return false
  const token = tokens[concept.position]
  // An acronym has no inflections, and its letters without a prefix are another one.
  const isAcronym = token?.abbreviated === true && token.term.length > 2
  return (
    documents === 0 || (isAcronym && ![token.term, ...withPrefixes(token.term)].some((one) => terms.has(one)))
  )
}

function positionsOf({ position, length }: Concept): readonly number[] {
  return Array.from({ length }, (_, i) => position + i)
}
