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

/** Indices of words, the last one excluded. */
type Range = { readonly from: number; readonly to: number }
type Word = { readonly text: string; readonly start: number; readonly end: number }

/**
 * The part of a passage to quote. A passage within `limit` is quoted whole; otherwise at most 60 words around the
 * matching ones, in whole sentences or else clauses if there are any, with `…` at each cut. The quoted text is
 * unchanged, on one line.
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
  const words = [...text.matchAll(/\S+/g)].map(({ index, 0: word }) => ({
    text: word,
    start: index,
    end: index + word.length,
  }))
  if (words.length <= limit.words && text.length <= limit.length) return text
  const focus = partIn(text, words, bestPart) ?? densest(words, isAsked)
  const { from, to } = bestRange(words, focus)
  const [start, end] = [words[from]?.start ?? 0, words[to - 1]?.end ?? 0]
  // A word that is longer than an excerpt is cut.
  const quoted = text.slice(start, Math.min(end, start + maxLength)).toWellFormed()
  return `${start > 0 ? '… ' : ''}${quoted}${start + quoted.length < text.length ? ' …' : ''}`
}

function partIn(text: string, words: readonly Word[], bestPart: string | undefined): Range | undefined {
  const part = (bestPart ?? '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/^…\s*|\s*…$/g, '')
    .trim()
  const start = part === '' ? -1 : text.indexOf(part)
  if (start < 0) return undefined
  const from = words.findIndex(({ end }) => end > start)
  return { from, to: words.findLastIndex((word) => word.start < start + part.length) + 1 }
}

/** The range of half an excerpt with the most different words of the question. If several are equal, the first. */
function densest(words: readonly Word[], isAsked: (word: string) => boolean): Range {
  const asked = words.map(({ text }) => (isAsked(text) ? text.toLowerCase() : undefined))
  let best = { from: 0, to: 1, count: 0 }
  asked.forEach((word, from) => {
    if (word === undefined) return
    const run = asked.slice(from, from + maxWords / 2)
    const count = new Set(run.filter((one) => one !== undefined)).size
    if (count > best.count)
      best = { from, to: from + run.findLastIndex((one) => one !== undefined) + 1, count }
  })
  return best
}

/**
 * The range of at most an excerpt's length around the middle half of the focus that is cut best: at the ends of sentences
 * rather than of clauses. Among equals the one with the most words of the focus, then the longest, then the one with the focus in its
 * middle.
 */
function bestRange(words: readonly Word[], focus: Range): Range {
  const cuts = cutsOf(words)
  // Above every figure that is compared, so that an earlier one outweighs all later ones.
  const size = maxWords + 1
  const margin = Math.max(
    Math.ceil((focus.to - focus.from) / 4),
    Math.ceil((focus.to - focus.from - maxWords) / 2),
  )
  const core = { from: focus.from + margin, to: Math.max(focus.to - margin, focus.from + margin + 1) }
  let best = { from: core.from, to: core.to, score: Number.NEGATIVE_INFINITY }
  for (let from = Math.max(0, core.to - maxWords); from <= core.from; from += 1) {
    for (let to = core.to; to <= Math.min(words.length, from + maxWords); to += 1) {
      if ((words[to - 1]?.end ?? 0) - (words[from]?.start ?? 0) > maxLength) break
      const focused = Math.min(to, focus.to) - Math.max(from, focus.from)
      const cut = (cuts[from] ?? 0) + (cuts[to] ?? 0)
      const aside = Math.abs(core.from - from - (to - core.to))
      const score = ((cut * size + focused) * size + (to - from)) * size - aside
      if (score > best.score) best = { from, to, score }
    }
  }
  return best
}

/** If a text has fewer full stops than one per this many words, its sentences end with colons, as in old prints. */
const wordsOfLongSentence = 40
const sentenceEnd = /[.?!׃]["”’)\]]{0,3}$/
const colon = /:["”’)\]]{0,3}$/
const clauseEnd = /[,;:)\]—–]$/

/** Words that begin a clause in rabbinic Hebrew. */
const clauseStart =
  /^ו?(?:הנה|אך|אבל|לכן|עוד|גם|היינו|דהיינו|לפי|אלא|הטעם|הענין|פירוש|פי|זהו|אף|אמנם|כמו|שהרי|כאשר|ככה|כך|נמצא|לזאת)[״׳"',:]?$/

/** Without it, the words beside it could say the opposite. */
const negation =
  /^[ושד]{0,2}(?:לא|לאו|אין|אינו|אינה|אינם|אינן|בל|בלי|בלתי|אם)$|^(?:not|no|never|nor|neither|without|cannot|if|unless)$/i

/** How good a cut before each word is, and at the end: 3 beside a sentence, 2 beside a clause, 1 elsewhere, 0 beside a negation. */
function cutsOf(words: readonly Word[]): readonly number[] {
  const stops = words.filter(({ text }) => sentenceEnd.test(text)).length
  const hasColons = stops * wordsOfLongSentence < words.length
  const cut = (before: string | undefined, after: string | undefined) => {
    if (before === undefined || after === undefined || sentenceEnd.test(before)) return 3
    if (hasColons && colon.test(before)) return 3
    if (negation.test(before) || negation.test(after)) return 0
    return clauseEnd.test(before) || clauseStart.test(after) ? 2 : 1
  }
  return Array.from({ length: words.length + 1 }, (_, at) => cut(words[at - 1]?.text, words[at]?.text))
}
