import type { PassageRow } from '../../library/passage-row.ts'
import { passageWords } from './passage-words.ts'

/** A word of a passage that the query has in some form, and its position in the passage. */
export type AskedWord = { readonly term: string; readonly at: number }

/** The words of a passage that matter to a query, in order. */
export type AskedWords = (row: PassageRow) => readonly AskedWord[]

/**
 * Returns a function that picks these words. Each rule that looks at the order of words reads them, and each passage is read
 * once per search: looking up every word again took a fifth of the time of a search.
 * @param terms all terms of the query, in all forms.
 */
export function askedWords(terms: ReadonlySet<string>): AskedWords {
  const read = new Map<number, readonly AskedWord[]>()
  return (row) => {
    const known = read.get(row.doc_id)
    if (known) return known
    const asked: AskedWord[] = []
    const { words } = passageWords(row)
    for (let at = 0; at < words.length; at += 1) {
      const term = words[at]?.term ?? ''
      if (terms.has(term)) asked.push({ term, at })
    }
    read.set(row.doc_id, asked)
    return asked
  }
}

/** Whether the terms occur in a passage in unbroken order. */
export function hasAskedRun(words: readonly AskedWord[], run: readonly string[]): boolean {
  const last = words.length - run.length
  for (let i = 0; i <= last; i += 1) {
    const first = words[i]?.at ?? 0
    let met = 0
    while (met < run.length) {
      const word = words[i + met]
      if (word?.term !== run[met] || word?.at !== first + met) break
      met += 1
    }
    if (met === run.length) return true
  }
  return false
}
