import { type AddressRun, addressAt } from '../grammar/addresses.ts'
import { gapBefore, keysOfRole } from '../grammar/text-words.ts'
import { hasUnitRole } from '../grammar/units.ts'
import type { ReadText } from './titled-text.ts'
import { firstTitleFrom } from './titles-in-text.ts'

/** A ref under an unknown title. Range in UTF-16 units; `end` is exclusive. */
export type UnknownTitle = { readonly start: number; readonly end: number; readonly asked: string }

/** Capitalised words that are not a title when they stand alone before a number. */
const noTitle = keysOfRole('no-title')
/** Words that begin sentences. */
const sentenceWords = keysOfRole('before-title')
/** Small words within a title. */
const linking = keysOfRole('within-title')
const maxWords = 12
/** Words processed between two checks of the clock. */
const wordsPerStep = 50

/** Words that begin questions. Alone before a number they are not a title. */
const openings = keysOfRole('opens-question')

/**
 * Finds texts that look like a ref, with any title: capitalised words with numbers and a colon, or with a leaf, as in
 * `Sefer X 3:4` and `Berakhot 5a`; with a chapter, as in `X Y chapter 3` and `chapter 3 of X Y`; in Hebrew `X הY פרק
 * ז`. The generator yields at points where the caller may pause it.
 */
export function* unknownTitles(read: ReadText): Generator<undefined, readonly UnknownTitle[]> {
  const { text, words } = read
  const found: UnknownTitle[] = []
  const add = (one: UnknownTitle | undefined): void => {
    if (one && (found.at(-1)?.end ?? 0) <= one.start) found.push(one)
  }
  for (const [at, word] of words.entries()) {
    if (at % wordsPerStep === 0) yield
    const end = certainEnd(text, word.start, word.text)
    if (end !== undefined) add(titledBefore(read, at, end))
    else if (hasUnitRole(word.key, 'title')) {
      const run = addressAt(text, words, at)
      if (run?.hasUnit) add(titledAround(read, run))
    }
  }
  return found
}

function titledBefore({ text, words }: ReadText, at: number, end: number): UnknownTitle | undefined {
  const from = titleStart(text, words, at)
  const start = words[from]?.start ?? 0
  // The end of a longer name: `Sha'ar ha-Yihud veha-Emunah 2`.
  const isRest = text[start - 1] === '-'
  return from < at && !isRest ? { start, end, asked: text.slice(start, end) } : undefined
}

/** Finds the title of a chapter: before it, or after it with `of` or `in` between. */
function titledAround(read: ReadText, run: AddressRun): UnknownTitle | undefined {
  const { text, words } = read
  const to = run.ends[0] ?? run.from + 1
  const end = words[to - 1]?.end ?? 0
  if (/^[א-ת]/.test(words[run.from]?.key ?? '')) return hebrewTitleBefore(read, run.from, end)
  const from = titleStart(text, words, run.from)
  if (from < run.from && !(run.from - from === 1 && openings.has(words[from]?.key ?? '')))
    return titledBefore(read, run.from, end)
  const behind = titleBehind(read, to)
  const start = words[run.from]?.start ?? 0
  return behind && { start, end: behind.end, asked: `${behind.title} ${text.slice(start, end)}` }
}

function titleBehind(
  read: ReadText,
  to: number,
): { readonly title: string; readonly end: number } | undefined {
  const { text, words } = read
  if (!/^(?:of|in|from)$/.test(words[to]?.key ?? '')) return undefined
  const first = words[to + 1]?.key === 'the' ? to + 2 : to + 1
  const last = lastCapital(read, first)
  if (last === undefined || noTitle.has(words[first]?.key ?? '')) return undefined
  const end = words[last]?.end ?? 0
  return { title: text.slice(words[first]?.start ?? 0, end).replace(/['’]s$/, ''), end }
}

/** Index of the last capitalised word of a title, with small words allowed between. */
function lastCapital({ text, words }: ReadText, first: number): number | undefined {
  let last: number | undefined
  for (const [i, word] of words.slice(first, first + maxWords).entries()) {
    if (i > 0 && gapBefore(text, words, first + i) !== ' ') break
    if (/^\p{Lu}/u.test(word.text)) last = first + i
    else if (!linking.has(word.key)) break
  }
  return last
}

/** Up to four Hebrew words, one with an article, at the beginning of a text or question: `מעייני הדעת פרק ז`. */
const hebrewTitle =
  /(?:^|(?<![א-ת])(?:(?:לפי|את|מתוך|אומר|אומרת|מלמד|מסביר) |(?:כתוב|נאמר|מבואר|מופיע) ב))((?!(?:מה|מי|איך|למה|לפי|כתוב|מהו|מהי|תסביר|האם|על|של)(?![א-ת]))[א-ת]{3,}(?: [א-ת]{2,}){0,2} ה[א-ת]{2,})(?: של(?: [א-ת"'׳״]{2,}){1,3})?,? $/

function hebrewTitleBefore(
  { text, words, titles }: ReadText,
  at: number,
  end: number,
): UnknownTitle | undefined {
  const unit = words[at]?.start ?? 0
  const match = hebrewTitle.exec(text.slice(Math.max(0, unit - 120), unit))
  const title = match?.[1]
  if (match === null || title === undefined) return undefined
  const start = unit - match[0].length + match[0].indexOf(title)
  // The search begins some words earlier, because a longer title may overlap these words.
  for (let i = firstTitleFrom(titles, at - maxWords); (titles[i]?.from ?? at) < at; i += 1)
    if ((titles[i]?.end ?? 0) > start) return undefined
  return { start, end, asked: `${title} ${text.slice(unit, end)}` }
}

const certain =
  /^(?:\d{1,4}(?:[a-d]|:\d{1,4}[a-d]?)(?:[:.]\d{1,4}[a-d]?)*)(?:[–-]\d{1,4}[a-d]?(?:[:.]\d{1,4}[a-d]?)*)?(?![\p{L}\p{N}])/u

/** End of a number that only a ref can have; undefined for other numbers. */
function certainEnd(text: string, start: number, word: string): number | undefined {
  if (!/^\d{1,4}[a-d]?$/.test(word) || /[\p{L}\p{N}:.]$/u.test(text.slice(Math.max(0, start - 1), start)))
    return undefined
  const match = certain.exec(text.slice(start, start + 40))
  return match ? start + match[0].length : undefined
}

/** Index of the first word of the title before a number: capitalised words, with small words between. */
function titleStart(text: string, words: ReadText['words'], at: number): number {
  let start = at
  for (let i = at - 1; i >= Math.max(0, at - maxWords); i -= 1) {
    const gap = gapBefore(text, words, i + 1)
    const word = words[i]
    if (!word || !/^[,;]? $/.test(gap)) break
    if (/^\p{Lu}/u.test(word.text)) start = i
    else if (!linking.has(word.key)) break
  }
  while (start < at && sentenceWords.has(words[start]?.key ?? '')) start += 1
  const names = words
    .slice(start, at)
    .filter(({ key, text: written }) => !noTitle.has(key) && /^\p{Lu}/u.test(written))
  return names.length > 0 ? start : at
}
