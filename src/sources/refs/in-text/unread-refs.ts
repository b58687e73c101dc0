import { headingKey } from '../../text/heading-keys.ts'
import { namesOfKnownWork } from '../../vocabulary/titles/known-works.ts'
import { otherTitleKeys } from '../../vocabulary/titles/title-groups.ts'
import { headStrength } from '../../vocabulary/titles/title-heads.ts'
import { addressAt, romanAddressAt } from '../grammar/addresses.ts'
import { isMarked, mayEndClause } from '../grammar/hebrew-refs.ts'
import { bare, gapBefore, keysOfRole } from '../grammar/text-words.ts'
import { isUnit } from '../grammar/units.ts'
import type { ReadText } from './titled-text.ts'
import type { UnknownTitle } from './unknown-titles.ts'

/** Capitalised words that are not a title when they stand alone before a number. */
const noTitle = keysOfRole('no-title')
/** Things that a number counts. */
const counted = keysOfRole('counted')
/** Small words within a title. */
const linking = keysOfRole('within-title')
/** Words before a title, and words of sentences. */
const sentenceWords = keysOfRole('before-title')
const cites = keysOfRole('cites')
const verbs = keysOfRole('verb')
const maxWords = 12
const maxHebrewWords = 6
const maxInitials = 4

/** Brackets behind a quotation, a dash and the rest of the line, or a footnote; a group is what they contain. */
const behindQuotation =
  /(?:["”»״'’*_][.,;:]?\s?(?:[([]\[?([^()[\]\n]{2,160})[)\]]|[—–]\s?([^()[\]\n"“„«]{2,80}?)(?:\.?\s*$))|^[ \t>]*(?:[—–]|\[\^?\d{1,3}\]:?)\s?([^()[\]\n"“„«]{2,80}?)(?:\.?\s*$))/gmu

/** One or two words between marks in front of such brackets are a term: `the “inner light” (Level 3)`. */
const term = /(?:^|[\s(])["“„«*_'‘]{1,3}[^\s"“„«*_'‘]+(?:\s\S+)?$/u

/** A title that nothing reads; `unplaced` if it is initials that may stand for any work. */
export type UnreadRef = UnknownTitle & { readonly outcome: 'unplaced' | 'unknown_work' }

/**
 * Finds what stands as a ref behind a quotation and that nothing reads: the words of a title or initials, then a number
 * at the end: `“…” (Kuntres HaSimcha, p. 12)`, `“…” (XYZ 12)`. The service reports them, because otherwise the check of
 * the quotation would hide the claim.
 */
export function* unreadRefs({ text, words }: ReadText): Generator<undefined, readonly UnreadRef[]> {
  const found: UnreadRef[] = []
  let from = 0
  const wordFrom = (offset: number): number => {
    while (from < words.length && (words[from]?.start ?? 0) < offset) from += 1
    return from
  }
  for (const match of text.matchAll(behindQuotation)) {
    yield
    const isTerm = term.test(text.slice(Math.max(0, match.index - 60), match.index))
    for (const { start, end } of partsOf(match)) {
      const one = unreadIn({ text, words }, wordFrom(start), wordFrom(end))
      if (one && (one.outcome === 'unplaced' || !isTerm)) found.push(one)
    }
  }
  return found
}

/** Small words behind the last comma: `, emphasis added`. */
const note = /,[^,\p{N}\p{Lu}א-ת]*$/u

/** The parts of a bracket that semicolons separate, in UTF-16 units. */
function partsOf(match: RegExpExecArray): readonly { readonly start: number; readonly end: number }[] {
  const inner = match.slice(1).find((group) => group !== undefined) ?? ''
  let end = match.index + match[0].indexOf(inner) - 1
  return inner.split(';').map((part) => {
    const start = end + 1
    end = start + part.length
    return { start, end: start + part.replace(note, '').length }
  })
}

/** A Hebrew unit in a sentence: `כפי שלמדנו בפרק ג`. */
const prefixedUnit = /^(?:ש[בל]|[בול])[א-ת]{2}/

/** The words of a bracket that end with a number. */
type Numbered = {
  readonly title: ReadText['words']
  readonly number: ReadText['words'][number]
  readonly hasUnit: boolean
  /** What stands between the title and its number. */
  readonly gap: string
}

function unreadIn(read: Pick<ReadText, 'text' | 'words'>, first: number, to: number): UnreadRef | undefined {
  const { text, words } = read
  const from = titleFrom(words, first, to)
  const number = words[to - 1]
  for (let at = from + 1; at < Math.min(to, from + 1 + maxWords); at += 1) {
    const hasUnit = unitEndingAt(read, at, to)
    if (hasUnit === undefined || number === undefined) continue
    const title = words.slice(from, at)
    const isOpaque = kindOf(text, { title, number, hasUnit, gap: gapBefore(text, words, at) })
    const start = title[0]?.start
    if (isOpaque === undefined || start === undefined || prefixedUnit.test(words[at]?.key ?? ''))
      return undefined
    const asked = text.slice(start, number.end)
    const outcome = isOpaque && !isKnown(title) ? 'unplaced' : 'unknown_work'
    return { start, end: number.end, asked, outcome }
  }
  return undefined
}

/** Whether words are initials rather than a title; undefined if they are neither. */
function kindOf(text: string, numbered: Numbered): boolean | undefined {
  const isHebrew = numbered.title.every(({ text: word }) => /^[א-ת]/.test(word))
  if (isHebrew ? areHebrewInitials(numbered) : areInitials(text, numbered)) return true
  return (isHebrew ? isHebrewTitle(numbered) : isLatinTitle(numbered)) ? false : undefined
}

/** The first word of the title: words such as `see` or `quoted in` do not belong to it. */
function titleFrom(words: ReadText['words'], from: number, to: number): number {
  let start = from
  while (start < to - 1 && isLeading(words[start])) start += 1
  return start
}

function isLeading(word: ReadText['words'][number] | undefined): boolean {
  if (word === undefined) return false
  return sentenceWords.has(word.key) || cites.has(word.key) || /^\p{Ll}/u.test(word.text)
}

/** Whether the address from a word to the end of the bracket has a unit; undefined if there is none. */
function unitEndingAt(
  { text, words }: Pick<ReadText, 'text' | 'words'>,
  at: number,
  to: number,
): boolean | undefined {
  const run = addressAt(text, words, at)
  if (run?.ends[0] === to) return run.hasUnit || run.hasPart
  if (at === to - 1 && /^ח"[א-ת]{1,2}$/.test(bare(words[at]))) return true
  if (at === to - 1 && /^[IVXLC]{2,}$/.test(words[at]?.text ?? '') && romanAddressAt(text, words, at))
    return false
  // `gate` and `שער` are also words of titles, so that they are no units elsewhere.
  const isUnitThere =
    at === to - 2 && isUnit(words[at]?.key ?? '') && /^[.]?\s/.test(gapBefore(text, words, to - 1))
  return isUnitThere && addressAt(text, words, to - 1)?.ends[0] === to ? true : undefined
}

/** Whether the vocabulary has the title, or its first words. */
function isKnown(title: ReadText['words']): boolean {
  return title.some((_, i) => {
    const key = headingKey(
      title
        .slice(0, i + 1)
        .map(({ text }) => text)
        .join(' '),
    )
    return namesOfKnownWork(key) !== undefined || otherTitleKeys(key).length > 0
  })
}

/** Whether capitalised words and a number are a title with its place. */
function isLatinTitle({ title, number, hasUnit, gap }: Numbered): boolean {
  const isWritten = title.every(({ key, text }) => /^[\p{Lu}\d]/u.test(text) || linking.has(key))
  const names = title.filter(
    ({ key, text }) => /^\p{Lu}/u.test(text) && !noTitle.has(key) && !counted.has(key),
  )
  if (!isWritten || names.length === 0) return false
  if (hasUnit) return true
  if (!/^[*_]{0,3} $/.test(gap) || noTitle.has(title.at(-1)?.key ?? '')) return false
  const hasHead = title.length > 1 && headStrength(title[0]?.key ?? '') !== undefined
  return hasHead || (names.length > 1 && /^\d{1,3}[a-d]?$/.test(number.text))
}

/** Whether Hebrew words and a number are a title with its place. */
function isHebrewTitle({ title, number, hasUnit }: Numbered): boolean {
  if (title.length > maxHebrewWords || title.some(({ key }) => verbs.has(key) || cites.has(key))) return false
  if (hasUnit) return true
  return title.length > 1 && headStrength(title[0]?.key ?? '') !== undefined && !mayEndClause(bare(number))
}

/** Whether words are initials, as `XYZ 12`. Longer words may count other things: `Session 3`. */
function areInitials(text: string, { title, number, hasUnit }: Numbered): boolean {
  return (
    title.length <= maxInitials &&
    (hasUnit || /^\d{1,3}[a-d]?$/.test(number.text)) &&
    title.every(({ key, text: word }) => /^\p{Lu}/u.test(word) && !isUnit(key)) &&
    (title.some(({ text: word }) => /^\p{Lu}{1,5}$/u.test(word)) || areAbbreviated(text, title))
  )
}

/** Whether words are Hebrew abbreviations, as `ז"ח קנב`. */
function areHebrewInitials({ title, number, hasUnit }: Numbered): boolean {
  const isNumber = isMarked(bare(number)) || !mayEndClause(bare(number))
  return title.length <= maxInitials && (hasUnit || isNumber) && title.some((word) => isMarked(bare(word)))
}

/** Several abbreviated words: `Lik. Am.` */
function areAbbreviated(text: string, title: ReadText['words']): boolean {
  return title.length > 1 && title.every(({ end }) => text.charAt(end) === '.')
}
