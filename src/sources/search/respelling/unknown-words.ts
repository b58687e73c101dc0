import { isStopWord } from '../../text/tokens.ts'
import { everydayWords } from '../../vocabulary/topics.ts'
import { plainLetters } from '../../vocabulary/spelling/known-words.ts'
import { isInPhrase } from '../expansion/phrases.ts'
import type { Concept, Query } from '../expansion/query.ts'
import type { FoundConcept } from '../scoring/index-reader.ts'

/** A word of a query that nothing is known about. */
export type UnknownWord = {
  readonly position: number
  /** In lower case and medial letters. */
  readonly written: string
}

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
  const known = new Set(found.flatMap((one) => (isUnknown(one) ? [] : positionsOf(one.concept))))
  const positions = found.filter(isUnknown).map(({ concept }) => concept.position)
  const unknown = positions.flatMap((position) => {
    const token = tokens[position]
    if (!token || known.has(position) || everyday.has(position)) return []
    if (isStopWord(token) || isInPhrase(quoted, position)) return []
    const written = plainLetters(text.slice(token.start, token.end))
    return written === '' || written.length > longestWord ? [] : [{ position, written }]
  })
  return unknown.slice(0, maxUnknown)
}

/** Whether a concept is a word without names and translations that no passage has. */
function isUnknown({ concept, documents }: FoundConcept): boolean {
  return documents === 0 && concept.origins.size === 0 && concept.respelled.length > 0
}

function positionsOf({ position, length }: Concept): readonly number[] {
  return Array.from({ length }, (_, i) => position + i)
}
