import { headingKey } from '../../text/heading-keys.ts'
import { lazy } from '../../text/lazy.ts'
import { scriptureNames } from './scripture.ts'

/** The first word of a key. */
export function firstWord(key: string): string {
  const end = key.indexOf(' ')
  return end < 0 ? key : key.slice(0, end)
}

/** The names of the books of the Bible and the Talmud by their keys, and these keys by their first words. */
const books = lazy(() => {
  const names = Map.groupBy(scriptureNames, headingKey)
  return { names, byFirstWord: Map.groupBy(names.keys(), firstWord) }
})

/** Keys of the books of the Bible and the Talmud that begin with a word. */
export function citedBookKeys(word: string): readonly string[] {
  return books().byFirstWord.get(word) ?? []
}

/**
 * The end of the name of such a book in a text, with the dot of an abbreviation: `Ps.`. Undefined if the text has the
 * letters of an abbreviation without its dot, gershayim or geresh: `Is`, `במ`.
 */
export function endOfCitedBook(text: string, start: number, end: number, key: string): number | undefined {
  const names = books().names.get(key) ?? []
  const isMarked = /["'׳״’”]/.test(text.slice(start, end))
  if (names.some((name) => !name.endsWith('.') && (isMarked || !/["']/.test(name)))) return end
  return names.some((name) => name.endsWith('.')) && text.charAt(end) === '.' ? end + 1 : undefined
}
