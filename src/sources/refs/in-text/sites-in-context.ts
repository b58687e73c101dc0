import { type AddressRun, addressAt, gapBefore } from './addresses.ts'
import type { Candidate, Placed, ReadText } from './sites.ts'
import { standsApart } from './stands-apart.ts'
import { isBreak } from './text-words.ts'
import { firstTitleFrom, type TitleInText } from './titles-in-text.ts'

/** Words that may stand between a number and the title after it: `chapter 32 of the Tanya`. */
const links = new Set('of in from the to holy sefer book its שבספר בספר מספר של ספר'.split(' '))
const maxLinks = 3

/** A text with its exact titles. A number may belong to one of them without standing next to it. */
type Read = ReadText & { readonly exact: readonly ExactTitle[] }

type ExactTitle = TitleInText & {
  /** End of the next longer title that begins at the same word. The longest title is the intended one. */
  readonly longer: number | undefined
}

function exactTitles(titles: readonly TitleInText[]): readonly ExactTitle[] {
  return titles.flatMap((title, i) => {
    if (!title.isExact || title.isWord) return []
    const before = titles[i - 1]
    return [{ ...title, longer: before?.from === title.from ? before.to : undefined }]
  })
}

/** Maximum number of titles that are tried per number, so that time stays linear in the text. */
const maxLooked = 100

/** In the form of heading keys, with medial letters. */
const sameWords = new Set(['ibid', 'שמ'])

const maxTitles = 3

/**
 * Finds refs whose title is not directly before the number: after the number, earlier in the text, or later in the
 * sentence. It also finds `ibid.` and `שם`. The generator yields at points where the caller may pause it.
 * @param before refs that have their own title, in order.
 * @param context a title from before the text.
 */
export function* sitesInContext(
  text: ReadText,
  before: readonly Placed[],
  context: string | undefined,
): Generator<undefined, readonly Placed[]> {
  const read = { ...text, exact: exactTitles(text.titles) }
  const placed: Placed[] = []
  const ownAt = Map.groupBy(before, ({ from }) => from)
  let last: Placed | undefined
  for (let at = 0; at < read.words.length; at += 1) {
    yield
    const own = ownAt.get(at)?.[0]
    const found = own ?? sameAs(read, at, last) ?? numberAt(read, at, last, context)
    if (!found) continue
    if (!own) placed.push(found)
    last = found
    at = Math.max(at, found.to - 1)
  }
  return placed
}

function numberAt(
  read: Read,
  at: number,
  last: Placed | undefined,
  context: string | undefined,
): Placed | undefined {
  const run = addressAt(read.text, read.words, at)
  if (!run?.hasUnit) return undefined
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
  const names = titlesAround(read, at, last, context)
  return names.length === 0 ? undefined : siteOf(read, run, names, [])
}

function titleText({ text }: Pick<ReadText, 'text'>, { start, end }: TitleInText): string {
  return text.slice(start, end)
}

/** The titles after a number, longest first: `chapter 32 of the Tanya`, `פרק לב בתניא`. */
function titlesBehind(read: ReadText, end: number): readonly TitleInText[] {
  for (let at = end; at <= end + maxLinks && at < read.words.length; at += 1) {
    const gap = gapBefore(read.text, read.words, at)
    if (isBreak(gap) || !/^[\s,“„"'‘«*_]*$/.test(gap)) return []
    const titles = titlesFrom(read, at)
    if (titles.length > 0) return titles.slice(0, maxTitles)
    if (!links.has(read.words[at]?.key ?? '')) return []
  }
  return []
}

/**
 * Parses a part between a number and the title: `of part two`. Returns the part with a space before it, and the index
 * of the next word.
 */
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

function titlesFrom({ titles }: ReadText, from: number): readonly TitleInText[] {
  const found: TitleInText[] = []
  for (let i = firstTitleFrom(titles, from); titles[i]?.from === from; i += 1)
    found.push(titles[i] as TitleInText)
  return found
}

/**
 * Titles that a number without a title may belong to: those before it in its sentence, nearest first. If there are
 * none: the last ref's, earlier titles, and later titles of the sentence.
 */
function titlesAround(
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
  const exact = exactTitlesBefore(read, at)
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

function siteOf(
  read: ReadText,
  run: AddressRun,
  names: readonly string[],
  behind: readonly TitleInText[],
): Placed {
  const { text, words } = read
  const start = words[run.from]?.start ?? 0
  const shortest = run.ends.at(-1)
  const ends = behind.length > 0 ? [shortest ?? run.from + 1] : run.ends
  const candidates: Candidate[] = names.flatMap((title, i) =>
    ends.map((to) => {
      const end = words[to - 1]?.end ?? start
      return {
        start,
        end: behind[i]?.end ?? end,
        asked: `${title} ${text.slice(start, end)}`,
        title,
        mustExist: to !== shortest,
      }
    }),
  )
  const to = Math.max(ends[0] ?? run.from + 1, ...behind.map((title) => title.to))
  const namesWork = behind[0]?.isExact ?? false
  return { site: { candidates, isSure: true, namesWork }, from: run.from, to }
}

/** Parses `ibid.` and `(שם)`, alone or with a number: `ibid., ch. 33`, `(שם, פרק לג)`. */
function sameAs(read: ReadText, at: number, last: Placed | undefined): Placed | undefined {
  const { text, words } = read
  const word = words[at]
  if (!word || !last || !sameWords.has(word.key)) return undefined
  const gap = gapBefore(text, words, at + 1)
  const run = /^[.,;:\s]{1,4}$/.test(gap) ? addressAt(text, words, at + 1) : undefined
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
