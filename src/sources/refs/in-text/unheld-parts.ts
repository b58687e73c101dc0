import { looseHeadingKey } from '../../text/heading-keys.ts'
import { isDistinctTitle } from '../../vocabulary/titles/everyday-titles.ts'
import { namesOfKnownWork } from '../../vocabulary/titles/known-works.ts'
import { isParasha } from '../../vocabulary/titles/parashot.ts'
import { isAuthorKey, otherTitleKeys } from '../../vocabulary/titles/title-groups.ts'
import { scriptureBook } from '../scripture/scripture.ts'
import type { AddressRun } from '../text-numbers/addresses.ts'
import { isAmount } from '../text-numbers/number-senses.ts'
import { gapBefore } from '../text-numbers/text-words.ts'
import { endsClause, type WrittenAddress } from '../text-numbers/written-address.ts'
import type { ReadText } from './site.ts'
import { firstTitleFrom, type TitleInText } from './titles-in-text.ts'

/** A title of the vocabulary and a number behind it. */
export type NamedNumber = {
  readonly read: ReadText
  readonly title: TitleInText
  readonly run: AddressRun
  readonly address: WrittenAddress
  /** The title as written, and its key. */
  readonly name: string
  readonly key: string
}

/**
 * Whether the words between a title of the vocabulary and its number name a part of the work: a weekly portion, another
 * title, capitalised words; in Hebrew also up to three words without a verb.
 */
export function isBehindPart(named: NamedNumber): boolean {
  const { read, title, run, address } = named
  const gap = gapBefore(read.text, read.words, title.to)
  const isFull = run.hasUnit || address.levels > 1 || address.hasSide
  if (!isFull && isAmount(read.words, run)) return false
  if (/^,? $/.test(gap) && isKnown(named) && isNamedPart(named))
    return isFull || !run.isWord || endsClause(read.text, address.end)
  return (
    isFamous(named) &&
    (!title.isWord || isDistinctTitle(named.key)) &&
    !hasTitleBetween(read.titles, title.to, run.from) &&
    namesPart(named, isFull)
  )
}

/** Whether the part is a weekly portion or another title: `Kedushat Levi, Bereshit 1`, `שו"ע או"ח רלא`. */
function isNamedPart({ read, title, run, name, key }: NamedNumber): boolean {
  if (isAuthorKey(key) || scriptureBook(name) !== undefined) return false
  const part = read.text.slice(read.words[title.to]?.start, read.words[run.from - 1]?.end)
  for (let i = firstTitleFrom(read.titles, title.to); read.titles[i]?.from === title.to; i += 1)
    if (read.titles[i]?.isExact && read.titles[i]?.to === run.from) return true
  return isParasha(part) && (isDistinctTitle(key) || title.to - title.from > 1)
}

/**
 * Whether another title begins at one of the words `from` to `to`. Titles that may also be ordinary words do not
 * count.
 */
function hasTitleBetween(titles: readonly TitleInText[], from: number, to: number): boolean {
  for (let i = firstTitleFrom(titles, from); (titles[i]?.from ?? Number.POSITIVE_INFINITY) <= to; i += 1)
    if (!titles[i]?.isWord) return true
  return false
}

/** Whether the vocabulary has the title. Parts under other titles count only if the library has them. */
function isFamous({ key }: NamedNumber): boolean {
  return namesOfKnownWork(key) !== undefined || otherTitleKeys(key).length > 0
}

function isKnown(named: NamedNumber): boolean {
  return isFamous(named) || namesOfKnownWork(looseHeadingKey(named.name)) !== undefined
}

function namesPart({ read: { text, words }, title, run }: NamedNumber, isFull: boolean): boolean {
  const rest = words.slice(title.to, run.from)
  if (rest.every(({ key }) => /^[א-ת]/.test(key)))
    return isFull && rest.length <= 3 && !rest.some(({ key }) => sentenceGoesOn.test(key))
  return (
    (isFull || title.to - title.from > 1) &&
    /^,? /.test(gapBefore(text, words, title.to)) &&
    rest.every(({ text: word, key }) => /^\p{Lu}/u.test(word) || inParts.has(key) || /^\d+$/.test(word))
  )
}

const inParts = new Set('of the on in and ha gate part book'.split(' '))
/** In the form of heading keys, with medial letters. */
const sentenceGoesOn =
  /^(?:ש[א-ת]{3,}|מה|מהי|מהו|של|על|את|כי|אומר|אומרת|כותב|כתוב|מבואר|נאמר|מסביר|מלמד|יש|הוא|היא|זה|איכ|למה|לפי|פרק)$/
