import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'
import { isDistinctTitle, standsForBook } from '../../vocabulary/titles/everyday-titles.ts'
import { isInitials, needsRef } from '../../vocabulary/titles/initials.ts'
import { namesOfKnownWork } from '../../vocabulary/titles/known-works.ts'
import { isParasha } from '../../vocabulary/titles/parashot.ts'
import { isAuthorKey, otherTitleKeys } from '../../vocabulary/titles/title-groups.ts'
import type { AddressRun } from '../grammar/addresses.ts'
import { chapterIn, isMarked, mayEndClause } from '../grammar/hebrew-refs.ts'
import { scriptureBook } from '../grammar/scripture.ts'
import { bare, gapBefore, keysOfRole, type TextWord } from '../grammar/text-words.ts'
import { hasUnitRole } from '../grammar/units.ts'
import { endsClause, goesOnAfter, isAmount, type WrittenAddress, writtenAddress } from './number-context.ts'
import type { Candidate, ReadText } from './titled-text.ts'
import { firstTitleFrom, type TitleInText } from './titles-in-text.ts'

/**
 * The ref that a title and a number make even if the library does not have the work: `Kuzari 1:25`, `אבות ב, טז`,
 * `Rambam, Laws of Kings, ch. 3`. Undefined when the number may have another sense: `Tanya 2 hours a day`.
 */
export function unheldRef(read: ReadText, title: TitleInText, run: AddressRun): Candidate | undefined {
  const name = read.text.slice(title.start, title.end)
  if (!title.isExact && !isOtherSpelling(title, name)) return undefined
  const address = writtenAddress(read.text, read.words, run)
  const named = { read, title, run, address, name, key: headingKey(name) }
  const isRef = title.to === run.from ? isBeside(named) : isBehindPart(named)
  return isRef ? candidateOf(named) : undefined
}

function isOtherSpelling({ from, to }: TitleInText, name: string): boolean {
  const names = namesOfKnownWork(headingKey(name)) ?? namesOfKnownWork(looseHeadingKey(name))
  return needsRef(name) || (to - from > 1 && /^[\p{Lu}א-ת]/u.test(name) && names !== undefined)
}

function candidateOf({ read: { text, words }, title, run, address, name }: NamedNumber): Candidate {
  const from = words[title.to]?.start ?? title.end
  const end = address.end + leafMark(text, name, address).length
  const isPlain = /^[\s,.:;_–—-]*$/.test(text.slice(title.end, from))
  const asked = isPlain ? text.slice(title.start, end) : `${name} ${text.slice(from, end)}`
  return { start: title.start, end, asked, title: name, mustExist: run.ends[0] !== address.to }
}

/** `.` and `:` after the number of a leaf, as in `(ברכות ה.)`, mean its two sides. */
function leafMark(text: string, name: string, { end, hasSide }: WrittenAddress): string {
  if (hasSide || scriptureBook(name)?.division !== 'leaf') return ''
  return /^[.:](?=\s?[)\]},;?])/.exec(text.slice(end, end + 3))?.[0] ?? ''
}

function isBeside(named: NamedNumber): boolean {
  const { read, title, run, address, name, key } = named
  if (isAuthorKey(key)) return run.hasUnit
  const isLeaf = scriptureBook(name)?.division === 'leaf'
  if (!isDistinctTitle(key) || isLeaf) return isSurePlace(named)
  if (run.hasUnit || run.hasPart || address.levels > 1 || address.hasSide) return true
  if (isAmount(read.words, run)) return false
  if (isBracketed(named)) return true
  const endsThere = endsClause(read.text, address.end)
  if (run.isWord) return endsThere && !mayEndClause(bare(read.words[run.from]))
  if (title.to - title.from > 1) return true
  const goesOn = goesOnAfter(read.text, read.words, address.to, address.end)
  return goesOn && (!gapOf(named).includes(',') || isCited(named))
}

/** Whether a number makes a ref with a title that is also a name or a word: `Numbers 3:4`, `ברכות ה ע"א`. */
function isSurePlace(named: NamedNumber): boolean {
  const { read, title, run, address, name, key } = named
  if (!/^(?:,? |\s?\()["'“”*_]{0,2}$/.test(gapOf(named))) return false
  const isHebrew = /^[א-ת]/.test(key)
  const isLeaf = scriptureBook(name)?.division === 'leaf'
  if (run.hasUnit) return title.to - title.from > 1 || isPlaceUnit(read.words[run.from])
  // A book of chapters has no leaves.
  if (address.hasSide) return isLeaf || scriptureBook(name) === undefined
  if (isLeaf && leafMark(read.text, name, address) !== '') return true
  const isColon = read.text.slice(title.end, address.end).includes(':')
  if (address.levels > 1) return isLeaf ? isSideByLetter(named) : isHebrew || isColon
  return isSingleOfBook(named, isHebrew, isLeaf)
}

/** Other units, such as letters and sections, also count things: `Numbers, section 3`. */
function isPlaceUnit(word: TextWord | undefined): boolean {
  return hasUnitRole(word?.key ?? '', 'place') || chapterIn(bare(word)) !== undefined
}

/** Whether a leaf has its side as a letter: `ברכות ה, א`. */
function isSideByLetter({ read: { words }, address }: NamedNumber): boolean {
  return address.levels === 2 && /^[אב]'?$/.test(bare(words[address.to - 1]))
}

/** Whether one number makes a ref with a title that is also a word: alone in brackets, or where something is read. */
function isSingleOfBook(named: NamedNumber, isHebrew: boolean, isLeaf: boolean): boolean {
  const { read, title, run, address, key } = named
  const isEnclosed = isBracketed(named)
  if (gapOf(named).includes(',') || !(isEnclosed || isReadThere(named))) return false
  const word = bare(read.words[run.from])
  if (isHebrew) return isMarked(word) || !mayEndClause(word)
  const isAbbreviated = isInitials(key) || title.end > (read.words[title.to - 1]?.end ?? 0)
  return standsForBook(key) || isAbbreviated || (isLeaf && isEnclosed && address.levels === 1)
}

/** Words that ask what is written in the title after them, or say that something is. */
const reading =
  /(?:\b(?:[Ww]hat (?:does|is in)|written in|sa(?:y|ys|id) in|stated in)|(?:^|[^א-ת])(?:כתוב|נאמר|מבואר|מובא|איתא|שנינו)) ?[בש]?$/u

function isReadThere({ read: { text, words }, title, address }: NamedNumber): boolean {
  return (
    reading.test(text.slice(Math.max(0, title.start - 20), title.start)) &&
    goesOnAfter(text, words, address.to, address.end)
  )
}

function gapOf({ read: { text, words }, title, run }: NamedNumber): string {
  return text.slice(title.end, words[run.from]?.start)
}

/** Whether a bracket contains the ref and nothing else: `(תניא לב)`, `(see Tanya, 32)`. */
function isBracketed({ read: { text }, title, address }: NamedNumber): boolean {
  return isInBrackets(text, title.start, address.end)
}

/** Whether brackets contain the range and nothing else. */
export function isInBrackets(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 20), start)
  return (
    /[([]\s?(?:(?:see|cf\.?|in|from|עיין|ע['׳]|ראה) (?:the )?)?[ובהלמשכ]{0,2}["“]?$/i.test(before) &&
    /^[.:]?\s?[)\]]/.test(text.slice(end, end + 3))
  )
}

/** Whether the words before a title say that something is read there. */
function isCited({ read: { text }, title }: NamedNumber): boolean {
  return /(?:\b(?:see|cf\.|in|from|to|of|and|per|compare|does) (?:the )?|(?:^|[^א-ת])(?:עיין |ראה |[ושה]?[במ]))["“]?$/iu.test(
    text.slice(Math.max(0, title.start - 20), title.start),
  )
}

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

/** Whether another title, which is no ordinary word, begins at one of the words `from` to `to`. */
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
    return isFull && rest.length <= 3 && !rest.some(({ key }) => verbs.has(key) || /^ש[א-ת]{3}/.test(key))
  return (
    (isFull || title.to - title.from > 1) &&
    /^,? /.test(gapBefore(text, words, title.to)) &&
    rest.every(({ text: word, key }) => /^\p{Lu}/u.test(word) || inParts.has(key) || /^\d+$/.test(word))
  )
}

const inParts = keysOfRole('within-part')
/** Words with which a sentence goes on behind a title. */
const verbs = keysOfRole('verb')
