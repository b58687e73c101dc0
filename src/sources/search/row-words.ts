import type { PassageRow } from '../passage-row.ts'
import { type Token, tokenize, type Word, wordsOf } from '../tokens.ts'

/** UTF-16 units of texts whose words are remembered: some 15 MB with their words, and 4,000 usual passages. */
const mostUnits = 4_000_000

/** Words by text, of the candidates of earlier searches. It is cleared when it is full. */
const remembered = new Map<string, readonly Word[]>()
let units = 0

/** The words of a passage, without their places: one search after the other looks at the same candidates. */
export function rowWords({ text }: PassageRow): readonly Word[] {
  const known = remembered.get(text)
  if (known) return known
  const words = wordsOf(text)
  if (units + text.length > mostUnits) {
    remembered.clear()
    units = 0
  }
  if (text.length <= mostUnits) {
    remembered.set(text, words)
    units += text.length
  }
  return words
}

const placed = new WeakMap<PassageRow, readonly Token[]>()

/** The same words with their places, for passages that are shown. */
export function rowTokens(row: PassageRow): readonly Token[] {
  const tokens = placed.get(row) ?? tokenize(row.text)
  placed.set(row, tokens)
  return tokens
}
