import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { looseWord, withoutLatinArticles } from '../../text/heading-keys.ts'
import { withoutPrefixes } from '../../text/hebrew.ts'
import { lazy } from '../../text/lazy.ts'
import { runInTimeSlices } from '../../text/time-slices.ts'
import { endOfInitials, isInitials, needsRef } from '../../vocabulary/titles/initials.ts'
import { knownWorkKeys, looseWorkKeys, namesOfKnownWork } from '../../vocabulary/titles/known-works.ts'
import { vocabularyTitleKeys } from '../../vocabulary/titles/title-groups.ts'
import { citedBookKeys, endOfCitedBook, firstWord } from '../grammar/scripture.ts'
import { gapBefore, isBreak, type TextWord } from '../grammar/text-words.ts'

/** A title of the library or of the vocabulary in a text. It covers the words `from` to `to`, exclusive. */
export type TitleInText = {
  readonly from: number
  readonly to: number
  /** Range in UTF-16 units, without a Hebrew prefix and without a possessive `'s`. */
  readonly start: number
  readonly end: number
  /** Whether it is spelled as in the library or the vocabulary. */
  readonly isExact: boolean
  /** Whether a passage has exactly this title as its ref, without a number. */
  readonly isPlace: boolean
  /** Whether it is a single word that names a famous work but may also be an ordinary word: `Numbers`, `שמות`. */
  readonly isWord: boolean
}

type Keys = {
  /** Keys of titles; the value says whether a passage has the title as its ref. */
  readonly titles: ReadonlyMap<string, boolean>
  /** The same keys of several words without their Latin articles. */
  readonly bare: ReadonlySet<string>
  /** Keys of books that only their citations make known to the service: books of the Bible, tractates. */
  readonly cited: ReadonlySet<string>
}

/** Maximum words of a title. */
const maxTitleWords = 14
/** Limits for hostile texts and very large libraries. Further words and titles are ignored. */
const maxWords = 20_000
const maxTitles = 20_000

/**
 * Finds all titles in a text, with one statement. Of titles that begin at the same word the longest comes first. It
 * yields to the event loop every few milliseconds.
 */
export async function titlesIn(
  executor: Executor,
  text: string,
  words: readonly TextWord[],
): Promise<readonly TitleInText[]> {
  const keys = await keysOfTitles(executor, words)
  return runInTimeSlices(titlesOfText(text, words, keys))
}

function* titlesOfText(
  text: string,
  words: readonly TextWord[],
  keys: Keys,
): Generator<undefined, readonly TitleInText[]> {
  const begins = new Map<string, number>()
  for (const key of [...keys.titles.keys(), ...keys.cited]) {
    const first = firstWord(key)
    begins.set(first, Math.max(begins.get(first) ?? 0, longestWithArticles(key)))
  }
  const titles: TitleInText[] = []
  for (const at of words.keys()) {
    titles.push(...titlesAt(text, words, at, keys, begins))
    yield
  }
  return titles
}

/** Maximum words with which a text writes a title: `Peri Ha Aretz` has an article that the title may lack. */
function longestWithArticles(key: string): number {
  const words = key.split(' ').length
  return Math.min(maxTitleWords, /[a-z]/.test(key) ? 2 * words - 1 : words)
}

/** The titles of the vocabulary, by their first words. */
const vocabulary = lazy(() =>
  Map.groupBy([...vocabularyTitleKeys(), ...knownWorkKeys(), ...looseWorkKeys()], firstWord),
)

/** Words of the text that a title may begin with, and those that it may go on with. The generator yields at points where the caller may pause it. */
function* wordsOfTitles(
  words: readonly TextWord[],
): Generator<undefined, { readonly first: ReadonlySet<string>; readonly next: ReadonlySet<string> }> {
  const first = new Set<string>()
  const next = new Set(['', 'ha'])
  for (const word of words) {
    for (const { key, loose } of formsOf(word)) first.add(key).add(`~${loose}`)
    // A stored title may have an article that the text leaves out.
    for (const key of [word.key, word.looseNext]) {
      next.add(key).add(`ha${key}`).add(key.replace(/^ha/, ''))
      if (possessive.test(word.text)) next.add(key.slice(0, -1))
    }
    if (first.size > maxWords) break
    yield
  }
  return { first, next }
}

async function keysOfTitles(executor: Executor, words: readonly TextWord[]): Promise<Keys> {
  const { first, next } = await runInTimeSlices(wordsOfTitles(words))
  const keys = new Map<string, boolean>()
  const cited = new Set<string>()
  for (const word of first) {
    for (const key of vocabulary().get(word) ?? []) keys.set(key, false)
    for (const key of citedBookKeys(word)) cited.add(key)
  }
  if (first.size === 0) return { titles: keys, cited, bare: new Set() }
  // A work may have thousands of headings with the same first words. As one string, thousands of words are sent quickly.
  const allowed = [...next].join(' ')
  const found = await executor.execute<{ key: string; is_place: boolean }>(sql`
    select h.key, bool_or(h.kind = 'place' and h.heading <> w.title
        and (h.first_ref = h.heading or starts_with(h.first_ref, h.heading || ' §'))) as is_place
    from headings h join works w on w.id = h.work_id
    where split_part(h.key, ' ', 1) = any(string_to_array(${[...first].join(' ')}, ' '))
      and split_part(h.key, ' ', 2) = any(string_to_array(${allowed}, ' '))
      and not exists (
        select 1 from unnest(string_to_array(h.key, ' ')) with ordinality as own (word, number)
        where own.number > 2 and own.word <> all (string_to_array(${allowed}, ' ')))
    group by h.key limit ${maxTitles}`)
  for (const { key, is_place } of found.rows) keys.set(key, is_place)
  for (const key of keys.keys()) cited.delete(key)
  const several = [...keys.keys()].filter((key) => key.includes(' '))
  return { titles: keys, cited, bare: new Set(several.map(withoutLatinArticles)) }
}

type Form = { readonly key: string; readonly loose: string; readonly cut: number; readonly cutEnd: number }

const possessive = /['’]s$/

/** The forms of a word: as written, without a Hebrew prefix, without a possessive `'s`. */
function formsOf({ key, loose, text }: TextWord): readonly Form[] {
  const own = { key, loose, cut: 0, cutEnd: 0 }
  if (/^[א-ת]/.test(key)) {
    return withoutPrefixes(key).map((base) => {
      const cut = key.length - base.length
      return cut === 0 ? own : { key: base, loose: looseWord(base), cut, cutEnd: 0 }
    })
  }
  return possessive.test(text)
    ? [own, { key: key.slice(0, -1), loose: loose.slice(0, -1), cut: 0, cutEnd: 2 }]
    : [own]
}

function titlesAt(
  text: string,
  words: readonly TextWord[],
  at: number,
  keys: Keys,
  begins: ReadonlyMap<string, number>,
): readonly TitleInText[] {
  const word = words[at]
  if (!word) return []
  const found = new Map<number, TitleInText>()
  for (const form of formsOf(word)) {
    const most = Math.max(begins.get(form.key) ?? 0, begins.get(`~${form.loose}`) ?? 0)
    if (most === 0) continue
    for (const title of titlesOf(text, words, at, keys, form, most)) {
      const known = found.get(title.to)
      // The whole word takes precedence: `לקו"א` is a title, although `קו"א` is also one.
      if (!known || (title.isExact && !known.isExact)) found.set(title.to, title)
    }
  }
  return [...found.values()].sort((a, b) => b.to - a.to)
}

/** The titles that begin with a word, in any of its forms. */
function* titlesOf(
  text: string,
  words: readonly TextWord[],
  at: number,
  keys: Keys,
  form: Form,
  most: number,
): Generator<TitleInText> {
  const word = words[at]
  if (!word) return
  const start = startOf(word, form.cut)
  for (const { to, key, loose, cutEnd } of growing(text, words, at, form, most)) {
    const isWord = isWordToo(keys, key)
    // In small letters, `numbers` is not a book.
    if (isWord && /^\p{Ll}/u.test(word.text)) continue
    const last = (words[to - 1] ?? word).end
    const isCited = keys.cited.has(key)
    const abbreviated = endOf(text, start, last, key, isCited)
    const isTitle = isCited || isInitials(key) ? abbreviated !== undefined : keys.titles.has(key)
    const isExact = isTitle && !needsRef(text.slice(start, last))
    if (!isTitle && (isInitials(key) || !isOtherSpelling(keys, key, loose, word))) continue
    const isPlace = keys.titles.get(key) === true
    yield { from: at, to, start, end: abbreviated ?? last - cutEnd, isExact, isPlace, isWord }
  }
}

/** The end of a title that is abbreviated, with its last dot: `Ps.`, `L.A.`. Undefined for other titles. */
function endOf(text: string, start: number, end: number, key: string, isCited: boolean): number | undefined {
  if (isInitials(key)) return endOfInitials(text, start, end)
  return isCited ? endOfCitedBook(text, start, end, key) : undefined
}

/** Whether words are a title in another spelling: loosely the same, or but for a Latin article. */
function isOtherSpelling(keys: Keys, key: string, loose: string, first: TextWord): boolean {
  return isLooseTitle(keys, loose, first, key.split(' ').length) || isBareTitle(keys, key, first)
}

/** A single word in another spelling counts only if it is written like a name. */
function isLooseTitle({ titles }: Keys, loose: string, first: TextWord, length: number): boolean {
  return titles.has(loose) && (length > 1 || /^[\p{Lu}\u05d0-\u05ea]/u.test(first.text))
}

/** Whether words written like a name are a title but for a Latin article: `Peri Aretz`. */
function isBareTitle({ bare }: Keys, key: string, first: TextWord): boolean {
  return key.includes(' ') && /^\p{Lu}/u.test(first.text) && bare.has(withoutLatinArticles(key))
}

/** Whether a title is a single word that may also be an ordinary word. */
function isWordToo({ cited }: Keys, key: string): boolean {
  return !key.includes(' ') && (namesOfKnownWork(key) !== undefined || cited.has(key))
}

/**
 * Yields the keys of one word, of two words and so on, up to the longest title that begins with the word. The last word also comes
 * without a possessive `'s`.
 */
function* growing(
  text: string,
  words: readonly TextWord[],
  at: number,
  form: Form,
  most: number,
): Generator<{ readonly to: number; readonly key: string; readonly loose: string; readonly cutEnd: number }> {
  let key = form.key
  let loose = `~${form.loose}`
  yield { to: at + 1, key, loose, cutEnd: form.cutEnd }
  for (let to = at + 2; to <= Math.min(words.length, at + most); to += 1) {
    const next = words[to - 1]
    const isInitial = /^\p{Lu}$/u.test(words[to - 2]?.text ?? '')
    if (!next || (isBreak(gapBefore(text, words, to - 1)) && !isInitial)) return
    key += ` ${next.key}`
    loose += ` ${next.looseNext}`
    yield { to, key, loose, cutEnd: 0 }
    if (possessive.test(next.text)) yield { to, key: key.slice(0, -1), loose: loose.slice(0, -1), cutEnd: 2 }
  }
}

/** Offset of a word without its first letters and their vowel points. */
function startOf(word: TextWord, letters: number): number {
  let left = letters
  let at = 0
  while (at < word.text.length && (left > 0 || /\p{M}|["'׳״]/u.test(word.text.charAt(at)))) {
    if (/\p{L}/u.test(word.text.charAt(at))) left -= 1
    at += 1
  }
  return word.start + at
}

/** Index of the first title that begins at the word or after it. Titles are sorted by their first words. */
export function firstTitleFrom(titles: readonly TitleInText[], word: number): number {
  let low = 0
  let high = titles.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((titles[middle]?.from ?? 0) < word) low = middle + 1
    else high = middle
  }
  return low
}
