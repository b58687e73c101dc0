import { tokenize } from '../../text/tokens.ts'
import { parseQuery } from '../expansion/query.ts'

/** A range of a text, in UTF-16 units. */
export type Span = { readonly start: number; readonly end: number }

/** The words of a text that match a query in any form or name, in order. */
export function matchedWords(query: string, text: string): readonly Span[] {
  const terms = new Set(parseQuery(query).concepts.flatMap((concept) => [...concept.terms.keys()]))
  return tokenize(text).filter((token) => terms.has(token.term))
}
