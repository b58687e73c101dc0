import { type AddressRun, addressAt, gapBefore } from './addresses.ts'
import type { Candidate, Placed, ReadText } from './sites.ts'
import { standsApart } from './standing.ts'
import type { TitleInText } from './titles.ts'
import { isBreak } from './words.ts'

/** Words that may stand between a number and the title after it: `chapter 32 of the Tanya`. */
const links = new Set('of in from the to holy sefer book its שבספר בספר מספר של ספר'.split(' '))
const maxLinks = 3

/** In the form of keys, with medial letters. */
const sameWords = new Set(['ibid', 'שמ'])

const maxTitles = 3

/**
 * Refs whose title stands elsewhere: after the number, earlier in the text, or later in the sentence; and `ibid.` or `שם`.
 *
 * @param before sites with a title of their own, in order.
 * @param context a title that was named before the text.
 */
export function sitesInContext(
  read: ReadText,
  before: readonly Placed[],
  context: string | undefined,
): readonly Placed[] {
  const placed: Placed[] = []
  const ownAt = Map.groupBy(before, ({ from }) => from)
  let last: Placed | undefined
  for (let at = 0; at < read.words.length; at += 1) {
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
  read: ReadText,
  at: number,
  last: Placed | undefined,
  context: string | undefined,
): Placed | undefined {
  const run = addressAt(read.text, read.words, at)
  if (!run?.hasUnit) return undefined
  const behind = titlesBehind(read, run)
  if (behind.length > 0)
    return siteOf(
      read,
      run,
      behind.map((title) => titleText(read, title)),
      behind,
    )
  if (!standsApart(read, at)) return undefined
  const names = titlesAround(read, at, last, context)
  return names.length === 0 ? undefined : siteOf(read, run, names, [])
}

function titleText({ text }: ReadText, { start, end }: TitleInText): string {
  return text.slice(start, end)
}

/** `chapter 32 of the Tanya`, `פרק לב בתניא`: the titles that begin there, the longest first. */
function titlesBehind(read: ReadText, run: AddressRun): readonly TitleInText[] {
  const end = run.ends.at(-1) ?? run.from
  for (let at = end; at <= end + maxLinks && at < read.words.length; at += 1) {
    const gap = gapBefore(read.text, read.words, at)
    if (isBreak(gap) || !/^[\s,“„"'‘«*_]*$/.test(gap)) return []
    const titles = titlesFrom(read, at)
    if (titles.length > 0) return titles.slice(0, maxTitles)
    if (!links.has(read.words[at]?.key ?? '')) return []
  }
  return []
}

function titlesFrom({ titles }: ReadText, from: number): readonly TitleInText[] {
  const found: TitleInText[] = []
  for (let i = firstTitleFrom(titles, from); titles[i]?.from === from; i += 1)
    found.push(titles[i] as TitleInText)
  return found
}

/** The index of the first title that begins at the word or after it; titles are in order of their first words. */
function firstTitleFrom(titles: readonly TitleInText[], word: number): number {
  let low = 0
  let high = titles.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((titles[middle]?.from ?? 0) < word) low = middle + 1
    else high = middle
  }
  return low
}

/** Titles that a number without one may belong to: those of its sentence, the nearest first, or else the last ones. */
function titlesAround(
  read: ReadText,
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
  for (const title of read.titles) {
    if (title.from <= at) continue
    if (!isOneSentence(read.text, position, title.start)) break
    if (title.isExact && !title.isWord) add(titleText(read, title))
  }
  add(context)
  return names
}

/** A few exact titles before a word, the nearest first, one for each place. */
function exactTitlesBefore({ titles }: ReadText, at: number): readonly TitleInText[] {
  const found: TitleInText[] = []
  for (let i = firstTitleFrom(titles, at) - 1; i >= 0 && found.length < maxTitles; i -= 1) {
    const title = titles[i]
    if (!title?.isExact || title.isWord || title.to > at) continue
    // Of several that begin at one word the longest is meant, which comes first.
    if (titles[i - 1]?.from === title.from && (titles[i - 1]?.to ?? 0) <= at) continue
    found.push(title)
  }
  return found
}

const longestSentence = 1000

function isOneSentence(text: string, from: number, to: number): boolean {
  return (
    to - from <= longestSentence &&
    !/[?!]\s|[^\s.]{3}\.\s+[\p{Lu}\u05d0-\u05ea]|\n\s*\n/u.test(text.slice(from, to))
  )
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
  return { site: { candidates, isSure: true }, from: run.from, to }
}

/** `ibid.`, `(שם)`, and either with a number of its own: `ibid., ch. 33`, `(שם, פרק לג)`. */
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
