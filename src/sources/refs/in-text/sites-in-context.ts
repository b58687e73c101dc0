import { type AddressRun, addressAt, innerUnitOf } from '../grammar/addresses.ts'
import { gapBefore, keysOfRole, type TextWord } from '../grammar/text-words.ts'
import { isUnit } from '../grammar/units.ts'
import { endsOf, isQuotedApart, standsApart } from './number-context.ts'
import { besideLast, runAfterSame, type ShortRef, sameWords, shortRefAt } from './short-refs.ts'
import type { Candidate, Placed, ReadText } from './titled-text.ts'
import {
  exactTitles,
  hasOtherTitle,
  links,
  maxTitles,
  type Read,
  titlesAround,
  titlesBehind,
  titleText,
} from './titles-around.ts'
import { firstTitleFrom, type TitleInText } from './titles-in-text.ts'

const maxTitleWords = 5

/** The refs of a text that stand apart from their titles. */
export type InContext = { readonly placed: readonly Placed[]; readonly short: readonly ShortRef[] }

/**
 * Finds refs whose title is not directly before the number: after the number, earlier in the text, or later in the
 * sentence. It also finds `ibid.` and `שם`, and short refs. The generator yields at points where the caller may pause
 * it.
 * @param before refs that have their own title, in order.
 * @param context a title from before the text.
 */
export function* sitesInContext(
  text: ReadText,
  before: readonly Placed[],
  context: string | undefined,
): Generator<undefined, InContext> {
  const ownAt = Map.groupBy(before, ({ from }) => from)
  const named = text.titles.filter((title) => title.isExact && !(title.isWord && isHebrew(text, title)))
  const read = { ...text, exact: exactTitles(text.titles), named, ownAt }
  const placed: Placed[] = []
  const short: ShortRef[] = []
  const seen: Placed[] = []
  for (let at = 0; at < read.words.length; at += 1) {
    yield
    const last = lastSeen(read, seen, at)
    const { found, within } = namedAt(read, at, last, context)
    if (within) short.push(within.ref)
    if (found && !ownAt.has(at)) placed.push(found)
    if (found) seen.push(found)
    at = Math.max(at + 1, (found ?? within)?.to ?? 0) - 1
  }
  return { placed, short }
}

const maxSeen = 10

/** The last ref before a word. A ref at the end of quoted words is one of the quotation, and not meant by `(ibid.)`. */
function lastSeen(read: Read, seen: readonly Placed[], at: number): Placed | undefined {
  const position = read.words[at]?.start ?? 0
  return seen.slice(-maxSeen).findLast(({ site: { candidates } }) => {
    const [first] = candidates
    return first !== undefined && !isQuotedApart(read.text, first, position)
  })
}

function isHebrew({ text }: ReadText, { start }: TitleInText): boolean {
  return /[א-ת]/.test(text.charAt(start))
}

/** What a text names at a word: a ref, a short ref, or a ref of which the number may also be a short one. */
function namedAt(
  read: Read,
  at: number,
  last: Placed | undefined,
  context: string | undefined,
): { readonly found?: Placed | undefined; readonly within?: ReturnType<typeof shortRefAt> } {
  const own = read.ownAt.get(at)?.[0]
  if (own) return { found: own, within: own.short && shortRefAt(read, own.short.from, own.short, last) }
  const isSame = sameWords.has(read.words[at]?.key ?? '')
  const run = isSame ? runAfterSame(read, at) : addressAt(read.text, read.words, at)
  const within = run && shortRefAt(read, at, run, last)
  if (within) return { within }
  const beside = isSame && run && last && !isThereInBook(read, at) ? besideLast(read, at, run) : undefined
  const same = samePlace(read, at, last) ?? sameAs(read, at, run, last)
  return { found: same ?? (run && numberAt(read, run, last, context)), within: beside }
}

function numberAt(
  read: Read,
  run: AddressRun,
  last: Placed | undefined,
  context: string | undefined,
): Placed | undefined {
  const { from: at } = run
  if (!run.hasUnit) return undefined
  const part = partBehind(read, run)
  const behind = titlesBehind(read, part?.end ?? run.ends.at(-1) ?? run.from)
  if (behind.length > 0)
    return siteOf(
      read,
      run,
      behind.map((title) => `${titleText(read, title)}${part?.name ?? ''}`),
      behind,
    )
  if (!standsApart(read, at)) return undefined
  const isInner = innerUnitOf(read, run) !== undefined
  if (isInner && last && !hasOtherTitle(read, read.exact, last, at)) return undefined
  const names = titlesAround(read, at, last, context)
  if (names.length === 0) return undefined
  const found = siteOf(read, run, names, [])
  // A paragraph or verse is counted within a chapter, so a title alone does not say that it is missing.
  return isInner ? { ...found, site: { ...found.site, isSure: false } } : found
}

/** A part between a number and the title, `of part two`, and the index of the next word. */
function partBehind(
  { text, words }: ReadText,
  run: AddressRun,
): { readonly name: string; readonly end: number } | undefined {
  const end = run.ends.at(-1) ?? run.from
  const at = links.has(words[end]?.key ?? '') ? end + 1 : end
  const number = words[at + 1]
  if (!number || !/^(?:part|volume|[בהש]{0,2}חלק)$/.test(words[at]?.key ?? '')) return undefined
  if (gapBefore(text, words, at + 1) !== ' ') return undefined
  return { name: ` ${text.slice(words[at]?.start, number.end)}`, end: at + 2 }
}

function siteOf(
  read: ReadText,
  run: AddressRun,
  names: readonly string[],
  behind: readonly TitleInText[],
): Placed {
  const { text, words } = read
  const start = words[run.from]?.start ?? 0
  const shortest = { to: run.ends.at(-1) ?? run.from + 1, mustExist: false }
  const ends = behind.length > 0 ? [shortest] : endsOf(read, run)
  const candidates: Candidate[] = names.flatMap((title, i) =>
    ends.map(({ to, mustExist }) => {
      const end = words[to - 1]?.end ?? start
      return {
        start,
        end: behind[i]?.end ?? end,
        asked: `${title} ${text.slice(start, end)}`,
        title,
        mustExist,
      }
    }),
  )
  const to = Math.max(ends[0]?.to ?? run.from + 1, ...behind.map((title) => title.to))
  const unheld = behind[0]?.isExact ? candidates.at(-1) : undefined
  return { site: { candidates, isSure: true, unheld }, from: run.from, to }
}

/** Whether a title with a prefix stands before `שם`: `ובתניא (שם)` repeats a place of that book, which is not known. */
function isThereInBook(read: ReadText, at: number): boolean {
  const before = read.titles.slice(
    firstTitleFrom(read.titles, at - maxTitleWords),
    firstTitleFrom(read.titles, at),
  )
  const position = read.words[at]?.start ?? 0
  return before.some(
    (title) =>
      title.to === at &&
      title.start > (read.words[title.from]?.start ?? 0) &&
      !isQuotedApart(read.text, title, position),
  )
}

/** Characters from a ref to the words that mean it. */
const farthestSame = 500

/** Parses other words for the ref before them, see `endOfSamePlace`. A verse is not its chapter, so it is not meant. */
function samePlace(read: ReadText, at: number, last: Placed | undefined): Placed | undefined {
  const to = last && endOfSamePlace(read, at)
  const [word, end] = [read.words[at], to && read.words[to - 1]?.end]
  if (!last || !word || !to || !end || isThereInBook(read, at)) return undefined
  const isFar = word.start - (last.site.candidates[0]?.end ?? 0) > farthestSame
  if (isFar || last.site.candidates.some(({ asked }) => /\d[:.]\d/.test(asked))) return undefined
  const candidates = last.site.candidates.map((one) => ({ ...one, start: word.start, end }))
  return { site: { ...last.site, candidates }, from: at, to }
}

/** Parses `ibid.` and `(שם)`, alone or with a number: `ibid., ch. 33`, `(שם, פרק לג)`. */
function sameAs(
  read: ReadText,
  at: number,
  run: AddressRun | undefined,
  last: Placed | undefined,
): Placed | undefined {
  const { text, words } = read
  const word = words[at]
  if (!word || !last || !sameWords.has(word.key) || isThereInBook(read, at)) return undefined
  const inBrackets = /[([]\s?$/.test(text.slice(Math.max(0, word.start - 2), word.start))
  const isAlone = /^\.?\s?[)\],;.]/.test(text.slice(word.end, word.end + 3))
  if (word.key !== 'ibid' && !(inBrackets && (run || isAlone)) && !run?.hasUnit) return undefined
  if (!run) {
    const candidates = last.site.candidates.map((one) => ({ ...one, start: word.start, end: word.end }))
    return { site: { ...last.site, candidates }, from: at, to: at + 1 }
  }
  const titles = [...new Set(last.site.candidates.map(({ title }) => title))].slice(0, maxTitles)
  const { site, to } = siteOf(read, run, titles, [])
  const candidates = site.candidates.map((one) => ({ ...one, start: word.start }))
  return { site: { candidates, isSure: !run.isWord }, from: at, to }
}

const otherPlaces = keysOfRole('place')

function isPlaceWord(key = ''): boolean {
  return isUnit(key) || otherPlaces.has(key)
}

/** Words that lead from `there` to a quotation: `It says there: “…”`, `ושם נאמר: "…"`. */
const leadsOn =
  /^(?: (?:נאמר|כתוב|כתב|מבואר|מובא|איתא|אומר|הוא))?(?: (?:that|ש))?\s*[:,]\s*[*_]{0,2}["“”„«‘'״]/u

/**
 * The end of words that mean the ref before them, from a word: `loc. cit.`, `the same chapter`, `באותו פרק`, and `there`
 * or `שם` before a quotation. Undefined for other words.
 */
export function endOfSamePlace(
  { text, words }: { readonly text: string; readonly words: readonly TextWord[] },
  at: number,
): number | undefined {
  const [word, next] = [words[at], words[at + 1]]
  if (!word) return undefined
  const isBracketed = /[([]\s?$/.test(text.slice(Math.max(0, word.start - 2), word.start))
  if (/^(?:op|loc)$/.test(word.key) && next?.key === 'cit') return at + 2
  if (word.key === 'idem') return isBracketed ? at + 1 : undefined
  if (/^[ומש]?באות[וה]$/.test(word.key) || (word.key === 'same' && words[at - 1]?.key === 'the'))
    return gapBefore(text, words, at + 1) === ' ' && isPlaceWord(next?.key) ? at + 2 : undefined
  if (/^(?:there|ו?שמ)$/.test(word.key))
    return leadsOn.test(text.slice(word.end, word.end + 40)) ? at + 1 : undefined
  return undefined
}
