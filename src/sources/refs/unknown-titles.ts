import { gapBefore } from './addresses.ts'
import type { ReadText } from './sites.ts'

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

/**
 * What has the form of a ref whatever its title is: words with capitals, then numbers with a colon or a leaf, as in `Sefer
 * X 3:4` and `Berakhot 5a`. Yields where the work may be interrupted.
 */
export function* unknownTitles({ text, words }: ReadText): Generator<undefined, readonly UnknownTitle[]> {
  const found: UnknownTitle[] = []
  for (const [at, word] of words.entries()) {
    if (at % wordsPerStep === 0) yield
    const end = certainEnd(text, word.start, word.text)
    if (end === undefined) continue
    const from = titleStart(text, words, at)
    const start = words[from]?.start ?? word.start
    if (from < at && (found.at(-1)?.end ?? 0) <= start)
      found.push({ start, end, asked: text.slice(start, end) })
  }
  return found
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
