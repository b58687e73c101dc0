import { headingKey } from '../../text/heading-keys.ts'
import { isAuthorKey } from '../../vocabulary/titles/title-groups.ts'
import { gapBefore, isBreak, keysOfRole } from '../grammar/text-words.ts'
import { isQuotedApart } from './number-context.ts'
import type { Placed, ReadText } from './titled-text.ts'
import { firstTitleFrom, type TitleInText } from './titles-in-text.ts'

/** Words that may stand between a number and the title after it: `chapter 32 of the Tanya`. */
export const links = keysOfRole('links-number')
export const maxLinks = 3

/** A text with its exact titles. A number may belong to one of them without standing next to it. */
export type Read = ReadText & {
  readonly exact: readonly ExactTitle[]
  /** The same, and single English words such as `Genesis`. */
  readonly named: readonly TitleInText[]
  /** The refs that have their own title, by their first word. */
  readonly ownAt: ReadonlyMap<number, readonly Placed[]>
}

type ExactTitle = TitleInText & {
  /** End of the next longer title that begins at the same word. The longest title is the intended one. */
  readonly longer: number | undefined
}

export function exactTitles(titles: readonly TitleInText[]): readonly ExactTitle[] {
  return titles.flatMap((title, i) => {
    if (!title.isExact || title.isWord) return []
    const before = titles[i - 1]
    return [{ ...title, longer: before?.from === title.from ? before.to : undefined }]
  })
}

/** Maximum number of titles that are tried per number, so that time stays linear in the text. */
const maxLooked = 100

export const maxTitles = 3

export function titleText({ text }: Pick<ReadText, 'text'>, { start, end }: TitleInText): string {
  return text.slice(start, end)
}

/** Whether only a space, quotation marks or emphasis stand before a word, so that it may continue a ref. */
export function continuesAt({ text, words }: ReadText, at: number): boolean {
  const gap = gapBefore(text, words, at)
  return !isBreak(gap) && /^[\s,“„"'‘«*_]*$/.test(gap)
}

/** The titles after a number, longest first: `chapter 32 of the Tanya`, `פרק לב בתניא`. */
export function titlesBehind(read: ReadText, end: number): readonly TitleInText[] {
  for (let at = end; at <= end + maxLinks && at < read.words.length; at += 1) {
    if (!continuesAt(read, at)) return []
    const titles = titlesFrom(read, at)
    if (titles.length > 0) return titles.slice(0, maxTitles)
    if (!links.has(read.words[at]?.key ?? '')) return []
  }
  return []
}

export function titlesFrom({ titles }: ReadText, from: number): readonly TitleInText[] {
  const found: TitleInText[] = []
  for (let i = firstTitleFrom(titles, from); titles[i]?.from === from; i += 1)
    found.push(titles[i] as TitleInText)
  return found
}

/**
 * Titles that a number without a title may belong to: those before it in its sentence, nearest first. If there are
 * none: the last ref's, earlier titles, and later titles of the sentence.
 */
export function titlesAround(
  read: Read,
  at: number,
  last: Placed | undefined,
  context: string | undefined,
): readonly string[] {
  const position = read.words[at]?.start ?? 0
  const names: string[] = []
  const add = (name: string | undefined): void => {
    if (name !== undefined && names.length < maxTitles && !names.includes(name)) names.push(name)
  }
  const exact = exactTitlesBefore(read, at).filter((title) => !isQuotedApart(read.text, title, position))
  for (const title of exact) {
    if (!isOneSentence(read.text, title.end, position)) break
    add(titleText(read, title))
  }
  if (names.length > 0) return names
  add(last?.site.candidates[0]?.title)
  for (const title of exact) add(titleText(read, title))
  const end = sentenceEnd(read.text, position)
  const first = firstTitleFrom(read.exact, at + 1)
  for (const title of read.exact.slice(first, first + maxLooked)) {
    if (title.start >= end || names.length === maxTitles) break
    add(titleText(read, title))
  }
  add(context)
  return names
}

/** Returns a few exact titles before a word, nearest first, one per position. */
function exactTitlesBefore({ exact }: Read, at: number): readonly TitleInText[] {
  const found: TitleInText[] = []
  const first = firstTitleFrom(exact, at)
  for (let i = first - 1; i >= Math.max(0, first - maxLooked) && found.length < maxTitles; i -= 1) {
    const title = exact[i] as ExactTitle
    if (title.to <= at && (title.longer === undefined || title.longer > at)) found.push(title)
  }
  return found
}

/**
 * Whether the title of another work stands between the last ref and a word. Names of authors and titles in
 * quoted words do not count.
 * @param titles sorted by their first words.
 */
export function hasOtherTitle(
  read: ReadText,
  titles: readonly TitleInText[],
  last: Placed,
  at: number,
): boolean {
  const own = new Set(last.site.candidates.map(({ title }) => headingKey(title)))
  const position = read.words[at]?.start ?? 0
  return titles.slice(firstTitleFrom(titles, last.to), firstTitleFrom(titles, at)).some((title) => {
    const key = headingKey(titleText(read, title))
    return !own.has(key) && !isAuthorKey(key) && !isQuotedApart(read.text, title, position)
  })
}

const longestSentence = 1000

/** Each pattern ends the sentence at the end of its first match. */
const sentenceEnds = [/[?!]\s/u, /[^\s.]{3}\.\s+[\p{Lu}\u05d0-\u05ea]/u, /\n\s*?\n/u]

/** The position after the sentence that contains `from`, or after the maximum length. */
function sentenceEnd(text: string, from: number): number {
  const sentence = text.slice(from, from + longestSentence)
  const ends = sentenceEnds.map((end) => {
    const found = end.exec(sentence)
    return found ? found.index + found[0].length : longestSentence + 1
  })
  return from + Math.min(...ends)
}

function isOneSentence(text: string, from: number, to: number): boolean {
  return to < sentenceEnd(text, from)
}
