/** Maximum words of an excerpt. */
const maxWords = 60
/** Maximum UTF-16 units, for texts with very long words or without spaces. */
const maxLength = 900

/** Up to this length a passage is quoted whole. */
export type WholeLimit = { readonly words: number; readonly length: number }

/** For most passages: only slightly longer than an excerpt. */
export const wholePassage: WholeLimit = { words: 75, length: maxLength }
/** For the passage that answers best: an article of an encyclopedia. */
export const wholeArticle: WholeLimit = { words: 160, length: 2 * maxLength }

type Span = { readonly start: number; readonly end: number }

/**
 * The part of a passage to quote. A passage within `limit` is quoted whole; otherwise whole sentences around the
 * matching words, at most 60 words, with `…` at each cut. The quoted text is unchanged, on one line.
 * @param bestPart the best matching part according to a search; may begin and end with `…`.
 * @param isAsked whether a word occurs in the question, for a passage without `bestPart`.
 */
export function excerptOf(
  passage: string,
  bestPart: string | undefined,
  isAsked: (word: string) => boolean,
  limit: WholeLimit = wholePassage,
): string {
  const text = passage.trim().replaceAll(/\s*\n\s*/g, ' ')
  const words = wordsOf(text)
  if (words.length <= limit.words && text.length <= limit.length) return text
  const focus = partIn(text, bestPart) ?? densest(text, words, isAsked)
  const span =
    wholeSentences(sentencesOf(text, words.length), words, focus) ?? clausesAround(text, words, focus)
  const { start, end } = withinSense(text, words, span)
  // A word that is longer than an excerpt is cut.
  const quoted = end > start ? text.slice(start, end) : text.slice(0, maxLength).toWellFormed()
  return `${start > 0 ? '… ' : ''}${quoted}${start + quoted.length < text.length ? ' …' : ''}`
}

function wordsOf(text: string): readonly Span[] {
  return [...text.matchAll(/\S+/g)].map(({ index, 0: word }) => ({ start: index, end: index + word.length }))
}

/**
 * If a text has fewer full stops than one per this many words, its sentences end with colons, as in old prints.
 */
const wordsOfLongSentence = 40

/**
 * Splits after `.`, `?`, `!` and the Hebrew `׃`, with closing signs. It splits after `:` only in texts with few
 * other stops, because elsewhere a colon announces what follows.
 */
function sentencesOf(text: string, words: number): readonly Span[] {
  const stops = text.match(/[.?!׃](?=["”’)\]]{0,3}(?:\s|$))/g)?.length ?? 0
  const sentence = stops * wordsOfLongSentence < words ? withColons : withoutColons
  return [...text.matchAll(sentence)].map(({ index, 0: one }) => ({ start: index, end: index + one.length }))
}

const withColons = /\S(?:[^.?!:׃]|[.?!:׃](?!["”’)\]]{0,3}(?:\s|$)))*[.?!:׃]?["”’)\]]{0,3}/g
const withoutColons = /\S(?:[^.?!׃]|[.?!׃](?!["”’)\]]{0,3}(?:\s|$)))*[.?!׃]?["”’)\]]{0,3}/g

const negation =
  /^[ושד]{0,2}(?:לא|לאו|אין|אינו|אינה|אינם|אינן|בל|בלי|בלתי|אם)$|^(?:not|no|never|nor|neither|without|cannot|if|unless)$/

/** Maximum words that are dropped at an edge. */
const maxGivenUp = 4

/**
 * Shrinks a span if a negation stands directly next to it. Without the negation the edge could say the
 * opposite.
 */
function withinSense(text: string, words: readonly Span[], span: Span): Span {
  const isNegation = (at: number): boolean => {
    const { start, end } = words[at] ?? { start: 0, end: 0 }
    return negation.test(bareWord(text.slice(start, end)))
  }
  let first = Math.max(
    0,
    words.findIndex(({ start }) => start >= span.start),
  )
  const from = words[first]?.start ?? 0
  let last = words.findLastIndex(({ end }) => end <= Math.min(span.end, from + maxLength))
  for (let i = 0; i < maxGivenUp && last - first > maxGivenUp && isNegation(first - 1); i += 1) first += 1
  for (let i = 0; i < maxGivenUp && last - first > maxGivenUp && isNegation(last + 1); i += 1) last -= 1
  const start = words[first]?.start ?? 0
  return { start, end: last < first ? start : (words[last]?.end ?? start) }
}

function partIn(text: string, bestPart: string | undefined): Span | undefined {
  const part = (bestPart ?? '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/^…\s*|\s*…$/g, '')
    .trim()
  const start = part === '' ? -1 : text.indexOf(part)
  return start < 0 ? undefined : { start, end: start + part.length }
}

/** The span of half an excerpt with the most different words of the question. If several are equal, the first. */
function densest(text: string, words: readonly Span[], isAsked: (word: string) => boolean): Span {
  const room = maxWords / 2
  const asked = words.map(({ start, end }) => {
    const word = bareWord(text.slice(start, end))
    return isAsked(word) ? word : undefined
  })
  let best = { at: 0, count: 0, last: 0 }
  asked.forEach((word, at) => {
    if (word === undefined) return
    const run = asked.slice(at, at + room)
    const count = new Set(run.filter((one) => one !== undefined)).size
    if (count > best.count) best = { at, count, last: at + run.findLastIndex((one) => one !== undefined) }
  })
  return { start: words[best.at]?.start ?? 0, end: words[best.last]?.end ?? 0 }
}

/** The letters of a word, in lower case, without vowel points, diacritics and punctuation. */
export function bareWord(word: string): string {
  return (
    word
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  ).join('')
}

/**
 * The sentences that overlap the focus, extended by following and preceding sentences that fit. Undefined if
 * the overlapping sentences are too long.
 */
function wholeSentences(sentences: readonly Span[], words: readonly Span[], focus: Span): Span | undefined {
  const fits = ({ start, end }: Span): boolean =>
    end - start <= maxLength &&
    words.filter((word) => word.start >= start && word.end <= end).length <= maxWords
  const margin = (focus.end - focus.start) / 4
  const core = { start: focus.start + margin, end: focus.end - margin }
  const touched = [focus, core]
    .map((part) => sentences.filter(({ start, end }) => start < part.end && end > part.start))
    .map((some) => ({ first: some[0], last: some.at(-1) }))
    .find(({ first, last }) => first && last && fits({ start: first.start, end: last.end }))
  if (!touched?.first || !touched.last) return undefined
  let span = { start: touched.first.start, end: touched.last.end }
  for (const { end } of sentences.filter(({ start }) => start >= span.end)) {
    if (!fits({ ...span, end })) break
    span = { ...span, end }
  }
  for (const { start } of sentences.filter(({ end }) => end <= span.start).toReversed()) {
    if (!fits({ ...span, start })) break
    span = { ...span, start }
  }
  return span
}

/** Words that begin a clause in rabbinic Hebrew. */
const clauseWords =
  /^(?:והנה|הנה|אך|אבל|ולכן|לכן|ועוד|וגם|והיינו|דהיינו|היינו|ולפי|לפי|אלא|והטעם|והענין|ופירוש|ופי|פי|וזהו|וזה|ואף|אף|ואע|אמנם|וכמ|כמו|ומה|שהרי|משא|מה|ואם|וכאשר|כאשר|ככה|וככה|כך|וכך|ונמצא|נמצא|ולזאת|והוא|והיא|והם)$/

/** Maximum words that are dropped at each end to get a whole clause. */
const maxForClause = 14

/**
 * An excerpt of maximum length around the focus. It starts and ends at a clause boundary if there is one
 * nearby.
 */
function clausesAround(text: string, words: readonly Span[], focus: Span): Span {
  const around = wordsAround(words, focus)
  const at = (position: number): number => words.findIndex(({ end }) => end > position)
  const first = at(around.start)
  const last = words.findLastIndex(({ end }) => end <= around.end)
  const begins = (i: number): boolean =>
    i === 0 || i === words.length || beginsClause(text, words[i - 1], words[i])
  const starts = range(first, Math.min(first + maxForClause, at(focus.start)))
  const from = starts.find((i) => beginsSentence(text, words[i - 1])) ?? starts.find(begins) ?? first
  const inFocus = words.findLastIndex(({ start }) => start < focus.end)
  const ends = range(Math.max(last + 1 - maxForClause, inFocus + 1), last + 1).reverse()
  const to = ends.find((i) => beginsSentence(text, words[i - 1])) ?? ends.find(begins)
  return { start: words[from]?.start ?? around.start, end: words[(to ?? last + 1) - 1]?.end ?? around.end }
}

/** Numbers from the first to the last, both included. */
function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i)
}

/** Whether a sentence ends with the word before. */
function beginsSentence(text: string, before: Span | undefined): boolean {
  return !before || /[.?!׃]["”’)\]]{0,3}$/.test(text.slice(before.start, before.end))
}

function beginsClause(text: string, before: Span | undefined, word: Span | undefined): boolean {
  if (!before || !word) return true
  if (/[,;:.?!)\]—–]$/.test(text.slice(before.start, before.end))) return true
  return clauseWords.test((/^[א-ת]+/.exec(text.slice(word.start, word.end)) ?? [''])[0])
}

/** If an excerpt would begin within this many words of the passage's start, it begins at the start. */
const nearStart = 12

/** An excerpt of maximum length with the focus in its middle. */
function wordsAround(words: readonly Span[], focus: Span): Span {
  const first = Math.max(
    0,
    words.findIndex(({ end }) => end > focus.start),
  )
  const last = Math.max(
    first,
    words.findLastIndex(({ start }) => start < focus.end),
  )
  const middle = Math.max(
    0,
    Math.min(first + Math.ceil((last - first + 1 - maxWords) / 2), words.length - maxWords),
  )
  const from = middle <= nearStart && last < maxWords ? 0 : middle
  const to = Math.min(words.length, from + maxWords) - 1
  return { start: words[from]?.start ?? 0, end: words[to]?.end ?? 0 }
}
