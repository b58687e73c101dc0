import { readFileSync } from 'node:fs'
import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'
import { lazy } from '../../text/lazy.ts'

/**
 * A book of the Bible, a tractate of the Talmud, or Avot. Texts cite them much more often than libraries hold them.
 */
export type ScriptureBook = {
  /** The first name is the one in Sefaria's refs. */
  readonly english: readonly string[]
  readonly hebrew: readonly string[]
  /** `leaf`: its places are leaves with two sides instead of chapters with verses. */
  readonly division: 'chapter' | 'leaf'
}

/** English and Hebrew names with their usual abbreviations, as the rows of `scripture.tsv` have them. */
export const scriptureBooks: readonly ScriptureBook[] = readFileSync(
  new URL('./scripture.tsv', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .slice(1)
  .map((row) => {
    const [division = '', english = '', hebrew = ''] = row.split('\t')
    return {
      english: english.split(';'),
      hebrew: hebrew.split(';'),
      division: division as ScriptureBook['division'],
    }
  })

const byKey = new Map<string, ScriptureBook>()
for (const keyOf of [headingKey, looseHeadingKey])
  for (const book of scriptureBooks)
    for (const name of [...book.english, ...book.hebrew])
      if (!byKey.has(keyOf(name))) byKey.set(keyOf(name), book)

/** All names, in both languages. */
export const scriptureNames: readonly string[] = scriptureBooks.flatMap(({ english, hebrew }) => [
  ...english,
  ...hebrew,
])

/** Finds the book with this name, in either language and any spelling. */
export function scriptureBook(name: string): ScriptureBook | undefined {
  const bare = name.replace(/^(?:sefer|book of|tractate|masechet|masekhet|ספר|מסכת|גמרא) /i, '')
  return byKey.get(headingKey(bare)) ?? byKey.get(looseHeadingKey(bare))
}

/** All names of the book with this key, see `headingKey`. Empty for an unknown key. */
export function namesOfBook(key: string): readonly string[] {
  const book = byKey.get(key)
  return book ? [...book.english, ...book.hebrew] : []
}

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
