import { type AddressRun, addressAt, gapBefore } from './addresses.ts'
import type { ReadText } from './sites.ts'
import { firstTitleFrom } from './titles.ts'

/** A ref under a title that nobody knows; UTF-16 places, `end` exclusive. */
export type UnknownTitle = { readonly start: number; readonly end: number; readonly asked: string }

/** Words with a capital before a number that make no title by themselves. */
const noTitle = wordSet(
  'chapter chapters part section page pages verse verses volume vol book letter year step point note line paragraph ' +
    'number no rabbi january february march april may june july august september october november december monday ' +
    'tuesday wednesday thursday friday saturday sunday shabbat nissan iyar sivan tammuz av elul tishrei cheshvan ' +
    'kislev tevet adar',
)
/** Words that begin sentences. */
const sentenceWords = wordSet(
  'in on at by to of as so if it is i he she we they the a an and or but for from see cf compare about since until ' +
    'around this that thus also',
)
/** Small words within a title. */
const linking = wordSet('of the on and al ha de le be va')
const maxWords = 12
/** Words that are looked at between two looks at the clock. */
const wordsPerStep = 50

/** Words with which a question begins: alone before a number they are no title. */
const openings = wordSet(
  'explain summarize summarise describe discuss tell teach show give quote compare find translate according what which ' +
    'does do did why how see read also after before then now please open study learn whose who where when can could i',
)
/** Units after which any title may stand before its number. Verses, letters and sections are counted in other senses. */
const chapterUnits = wordSet('chapter chap ch perek siman daf')

/**
 * What has the form of a ref whatever its title is: words with capitals, then numbers with a colon or a leaf, as in `Sefer
 * X 3:4` and `Berakhot 5a`; or with a chapter, as in `X Y chapter 3` and `chapter 3 of X Y`; and `X הY פרק ז` in Hebrew. Yields
 * where the work may be interrupted.
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
    else if (chapterUnits.has(word.key) || chapters.test(word.key)) {
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

/** The title of a chapter, before it or, behind `of` or `in`, after it. */
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

/** The last word of a run of words with capitals, and small ones between them. */
function lastCapital({ text, words }: ReadText, first: number): number | undefined {
  let last: number | undefined
  for (const [i, word] of words.slice(first, first + maxWords).entries()) {
    if (i > 0 && gapBefore(text, words, first + i) !== ' ') break
    if (/^\p{Lu}/u.test(word.text)) last = first + i
    else if (!linking.has(word.key)) break
  }
  return last
}

/** In the form of keys: medial letters. */
const chapters = /^[בשומהל]{0,2}(?:פרק|סימנ|דפ)$/
/** Up to four words, one of them definite, at the beginning of a text or of what it asks for: `מעייני הדעת פרק ז`. */
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
  // Titles are looked for a little before the words: a longer one may run into them.
  for (let i = firstTitleFrom(titles, at - maxWords); (titles[i]?.from ?? at) < at; i += 1)
    if ((titles[i]?.end ?? 0) > start) return undefined
  return { start, end, asked: `${title} ${text.slice(unit, end)}` }
}

const certain =
  /^(?:\d{1,4}(?:[a-d]|:\d{1,4}[a-d]?)(?:[:.]\d{1,4}[a-d]?)*)(?:[–-]\d{1,4}[a-d]?(?:[:.]\d{1,4}[a-d]?)*)?(?![\p{L}\p{N}])/u

/** Where a number ends that only a ref has. */
function certainEnd(text: string, start: number, word: string): number | undefined {
  if (!/^\d{1,4}[a-d]?$/.test(word) || /[\p{L}\p{N}:.]$/u.test(text.slice(Math.max(0, start - 1), start)))
    return undefined
  const match = certain.exec(text.slice(start, start + 40))
  return match ? start + match[0].length : undefined
}

/** The first word of the title before a number: words with capitals, and small ones between them. */
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

function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}
