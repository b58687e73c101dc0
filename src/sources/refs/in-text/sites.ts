import { headingKey } from '../../text/heading-keys.ts'
import { hebrewNumber } from '../../text/hebrew-numbers.ts'
import { needsRef } from '../../vocabulary/titles/initials.ts'
import { isAuthorKey } from '../../vocabulary/titles/title-groups.ts'
import {
  type AddressRun,
  addressAt,
  innerUnitOf,
  isListNumber,
  romanAddressAt,
} from '../grammar/addresses.ts'
import { isCommonWordAt } from '../grammar/hebrew-refs.ts'
import { bare, gapBefore, isBreak, type TextWord } from '../grammar/text-words.ts'
import { endsClause, endsOf, goesOnAfter, isAmount, isQuotedApart, standsApart } from './number-context.ts'
import type { Candidate, Placed, ReadText } from './titled-text.ts'
import type { TitleInText } from './titles-in-text.ts'
import { unheldRef } from './unheld-works.ts'

/** Maximum number of words between the title of a work and the number. They name a part of the work. */
const maxRest = 5
/** Maximum number of readings per site that are looked up. */
const maxCandidates = 12

/** Finds refs with a title before their numbers. The generator yields at points where the caller may pause it. */
export function* sitesWithTitle(read: ReadText): Generator<undefined, readonly Placed[]> {
  const byRun = new Map<number, { readonly run: AddressRun; readonly titles: TitleInText[] }>()
  const partEnds = new Set(read.titles.map(({ from, to }) => `${from} ${to}`))
  for (const title of read.titles) {
    const roman = partEnds.has(`${title.from} ${title.to + 1}`) ? undefined : romanRunAfter(read, title)
    for (const run of roman ? [roman] : runsAfter(read, title)) {
      const known = byRun.get(run.from)
      if (known) known.titles.push(title)
      else byRun.set(run.from, { run, titles: [title] })
    }
    yield
  }
  const placed: Placed[] = []
  for (const { run, titles } of byRun.values()) {
    const site = siteBefore(read, run, titles)
    if (site) placed.push(site, ...furtherSites(read, run, titles[0]))
    yield
  }
  return placed
}

function siteBefore(read: ReadText, run: AddressRun, titles: readonly TitleInText[]): Placed | undefined {
  if (run.isWord && isCommonWordAt(read.text, read.words, run.from)) return undefined
  const [first, ...more] = titles
    .filter((title) => isTitleOf(read, title, run))
    .toSorted((a, b) => a.from - b.from || b.to - a.to)
  if (!first) return undefined
  const sorted = [first, ...more]
  const candidates = [
    ...sorted.flatMap((title) => readingsOf(read, title, run)),
    ...sorted.flatMap((title) => readingsApart(read, title, run)),
  ].slice(0, maxCandidates)
  const beside = sorted.find((title) => title.to === run.from) ?? first
  const [unheld] = sorted.flatMap((title) => unheldRef(read, title, run) ?? [])
  const site = { candidates, isSure: isSure(read, beside, run), unheld }
  const short = isShortRef(read, run, beside) ? { short: run } : {}
  return { site, from: first.from, to: run.ends[0] ?? run.from, ...short }
}

/** Whether a title may have this number. `LA` has only one that can be nothing but a ref: `LA 31:2`, `(LA 31)`. */
function isTitleOf({ text, words }: ReadText, title: TitleInText, run: AddressRun): boolean {
  const sure = run.ends.at(-1) ?? run.from
  return (
    !needsRef(text.slice(title.start, title.end)) ||
    run.hasUnit ||
    sure > run.from + 1 ||
    endsClause(text, words[sure - 1]?.end ?? 0)
  )
}

/** The places that "and" or a comma adds to one: `Tanya 26 and 32`. They count only if the library has them. */
function furtherSites(
  { text, words }: ReadText,
  run: AddressRun,
  title: TitleInText | undefined,
): readonly Placed[] {
  const last = words[(run.numberEnds[0] ?? 0) - 1]
  if (!title || !last) return []
  const name = text.slice(title.start, title.end)
  return furtherNumbers(text, words, run).map(({ written, start, end, to }) => {
    const asked = `${text.slice(title.start, last.start)}${written}`
    const candidate = { start, end, asked, title: name, mustExist: true }
    return { site: { candidates: [candidate], isSure: false }, from: to - 1, to }
  })
}

/** Whether a number apart from its title names a place below a chapter: `The Tanya says in paragraph 3`. */
function isShortRef(read: ReadText, run: AddressRun, title: TitleInText): boolean {
  return title.to < run.from && standsApart(read, run.from) && innerUnitOf(read, run) !== undefined
}

/** Finds the numbers after a title, with up to a few words between that may name a part of the work. */
function* runsAfter({ text, words }: ReadText, title: TitleInText): Generator<AddressRun> {
  for (let rest = 0; rest <= maxRest; rest += 1) {
    const at = title.to + rest
    if (at >= words.length || !isWithinRef(gapAfter(text, words, title, at), rest)) return
    if (isQuotedApart(text, title, words[at]?.start ?? 0)) return
    const run = addressAt(text, words, at)
    if (!run) continue
    const isListed = rest > 0 && isListNumber(text, words, { end: at + 1, hasUnit: run.hasUnit })
    if (isListed || isCount(words, run, rest) || isOnNextLine(text, words, title, run)) return
    yield run
    // A bare Hebrew word may be the name of a part: `קדושת לוי נח א`.
    if (!run.isWord) return
  }
}

/** Whether a bare number is on another line than its title. There it is that of a list item. */
function isOnNextLine(
  text: string,
  words: ReadText['words'],
  title: TitleInText,
  { from, hasUnit }: AddressRun,
): boolean {
  return !hasUnit && text.slice(title.end, words[from]?.start).includes('\n')
}

/** A Roman number directly after a title: `(Tanya XXVI)`. In small letters it needs the brackets: `(Tanya xxvi)`. */
function romanRunAfter({ text, words }: ReadText, title: TitleInText): AddressRun | undefined {
  const hasDigits = addressAt(text, words, title.to) ?? addressAt(text, words, title.to + 1)
  const run = hasDigits ? undefined : romanAddressAt(text, words, title.to)
  const number = words[title.to]
  if (!run || !number || !/^[ ,]{1,2}["'*_]?$/.test(gapAfter(text, words, title, title.to))) return undefined
  const end = words[(run.ends[0] ?? 0) - 1]?.end ?? number.end
  const isEnclosed = /^[.:]?\s?[)\]]/.test(text.slice(end, end + 3))
  return /^\p{Lu}/u.test(number.text) || isEnclosed ? run : undefined
}

/** Whether a bare number after `in` counts something: `The Gate of Unity, in 12 chapters`. */
function isCount(words: ReadText['words'], run: AddressRun, rest: number): boolean {
  return rest > 0 && words[run.from - 1]?.key === 'in' && !run.hasUnit && run.ends.length === 1
}

/** The text before a word. The dot of an abbreviated title is not part of it: `Ps. 119`. */
function gapAfter(text: string, words: readonly TextWord[], title: TitleInText, at: number): string {
  const gap = gapBefore(text, words, at)
  return at === title.to && title.end > (words[at - 1]?.end ?? 0) ? gap.slice(1) : gap
}

/** Whether the text between a title and its number joins them: `Tanya (32)`, `Tanya, ch. 32`, `"תניא", פרק לב`. */
function isWithinRef(gap: string, rest: number): boolean {
  if (isBreak(gap.replace(/^['’]s/, ''))) return false
  return rest === 0 ? !/[)\]}]|[([]\S*[([]/.test(gap) : !/[()[\]{}:]/.test(gap)
}

/** Whether it certainly is a number. A Hebrew word, a year or an amount is one only if the library has the ref. */
function isSure({ text, words }: ReadText, title: TitleInText, run: AddressRun): boolean {
  const next = text.slice(words[run.from]?.end ?? 0, (words[run.from]?.end ?? 0) + 40).trimStart()
  const endsThere = next === '' || /^[)\].,;:?!׃–—-]/.test(next)
  if (run.isWord && !endsThere) return false
  if (!run.hasUnit && run.ends.length === 1 && isAmount(words, run)) return false
  const isAuthor = isAuthorKey(headingKey(text.slice(title.start, title.end)))
  return run.hasUnit || (!isAuthor && (title.isExact || !run.isWord))
}

function readingsOf(read: ReadText, title: TitleInText, run: AddressRun): readonly Candidate[] {
  const { text, words } = read
  const name = text.slice(title.start, title.end)
  const isWhole = words[title.to - 1]?.end === title.end
  return [...endsOf(read, run), ...listed(read, title, run)].flatMap(({ to, ...how }) => {
    const end = words[to - 1]?.end ?? title.end
    const slice = text.slice(title.start, end)
    const rest = text.slice(words[title.to]?.start ?? end, end)
    const base = { start: title.start, end, title: name, ...how }
    const composed = `${name} ${rest}`
    const isPlain = isWhole && /^[^\S\n]*[,.:;_–—-]*[^\S\n]*$/.test(gapBefore(text, words, title.to))
    const asked = isPlain ? [slice] : [composed, slice]
    return [...sideOf(read, base, slice), ...asked.map((one) => ({ ...base, asked: one }))]
  })
}

/** Readings without the words between title and number, which name no part: `Tanya, and then ch. 32`. */
function readingsApart(read: ReadText, title: TitleInText, run: AddressRun): readonly Candidate[] {
  if (title.to === run.from || !run.hasUnit || !title.isExact || !standsApart(read, run.from)) return []
  const name = read.text.slice(title.start, title.end)
  const start = read.words[run.from]?.start ?? title.end
  const isShort = isShortRef(read, run, title)
  return endsOf(read, run).map(({ to, mustExist }) => {
    const end = read.words[to - 1]?.end ?? start
    const asked = `${name} ${read.text.slice(start, end)}`
    return { start, end, asked, title: name, mustExist: isShort || mustExist }
  })
}

/** Reads `ברכות ב.` and `ברכות ב:` as the two sides of a leaf, if the library has it. */
function sideOf({ text }: ReadText, base: Omit<Candidate, 'asked'>, slice: string): readonly Candidate[] {
  const mark = text.charAt(base.end)
  if (!/[.:]/.test(mark) || !/[א-ת]['"׳״]?$/.test(slice)) return []
  return [{ ...base, end: base.end + 1, asked: slice + mark, mustExist: true }]
}

/** The end of the first number, if those after it are numbers of a list: `Tanya 32, 33`. */
function listed(
  { text, words }: ReadText,
  title: TitleInText,
  run: AddressRun,
): readonly { readonly to: number; readonly mustExist: boolean; readonly beside: string }[] {
  const [to, last] = [run.numberEnds[0], words[(run.numberEnds[0] ?? 0) - 1]]
  const further = listedNumbers(text, words, run)
  if (to === undefined || !last || further.length !== run.numberEnds.length - 1) return []
  return further.slice(0, 1).map(({ written }) => ({
    to,
    mustExist: true,
    beside: `${text.slice(title.start, last.start)}${written}`,
  }))
}

/** The numbers behind the first one, after commas or spaces, each larger than the one before. */
function listedNumbers(text: string, words: readonly TextWord[], run: AddressRun): readonly FurtherNumber[] {
  const found: FurtherNumber[] = []
  let last = words[(run.numberEnds[0] ?? 0) - 1]
  for (const to of run.numberEnds.slice(1)) {
    const word = words[to - 1]
    if (!word || !last || !/^,? $/.test(text.slice(last.end, word.start))) break
    if (!(Number(word.text) > Number(last.text))) break
    found.push({ written: word.text, start: word.start, end: word.end, to })
    last = word
  }
  return found
}

/** Finds refs without a number: titles of their own passages. */
export function sitesOfTitles(read: ReadText): readonly Placed[] {
  return read.titles.flatMap((title) => {
    if (!title.isPlace || !title.isExact) return []
    const asked = read.text.slice(title.start, title.end)
    const { start, end, from, to } = title
    const candidate = { start, end, asked, title: asked, mustExist: true }
    return [{ site: { candidates: [candidate], isSure: false }, from, to }]
  })
}

/** A number that another one follows with "and". Offsets in UTF-16 units. */
export type FurtherNumber = {
  readonly written: string
  readonly start: number
  readonly end: number
  /** Index after its word. */
  readonly to: number
}

const maxNumbers = 5

/** Finds the numbers that follow a number: `Tanya 26, 31 and 32`, `(Tanya 26; 27)`, `תניא כ"ו ול"ב`. */
export function furtherNumbers(
  text: string,
  words: readonly TextWord[],
  run: AddressRun,
): readonly FurtherNumber[] {
  const found = [...listedNumbers(text, words, run)]
  const isList = found.length === run.numberEnds.length - 1
  let at = run.ends[0] ?? words.length
  while (isList && found.length < maxNumbers) {
    const next = numberBehindAnd(text, words, at)
    if (!next) break
    found.push(next)
    at = next.to
  }
  return found
}

function numberBehindAnd(text: string, words: readonly TextWord[], at: number): FurtherNumber | undefined {
  const [word, number] = [words[at], words[at + 1]]
  const gap = gapBefore(text, words, at)
  if (word && gap === '; ' && /^\d{1,3}$/.test(word.text) && endsClause(text, word.end))
    return { written: word.text, start: word.start, end: word.end, to: at + 1 }
  if (!word || !/^,? $/.test(gap)) return undefined
  const prefixed = /^ו(.{1,4}["'].?)$/.exec(bare(word))?.[1]
  if (prefixed !== undefined && hebrewNumber(prefixed) !== undefined)
    return { written: prefixed, start: word.start, end: word.end, to: at + 1 }
  if (word.key !== 'and' || !number || !/^\d{1,3}$/.test(number.text)) return undefined
  if (gapBefore(text, words, at + 1) !== ' ' || !goesOnAfter(text, words, at + 2, number.end))
    return undefined
  return { written: number.text, start: number.start, end: number.end, to: at + 2 }
}
