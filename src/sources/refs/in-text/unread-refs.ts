import { isUnit } from '../grammar/units.ts'
import { addressAt, bare, isMarked } from '../text-numbers/addresses.ts'
import type { ReadText } from './site.ts'
import type { UnknownTitle } from './unknown-titles.ts'

/** Matches brackets directly behind a quotation, or a dash and the rest of the line; group 1 is what they contain. */
const behindQuotation =
  /["”»״'’*_][.,;:]?\s?(?:[([]([^()[\]\n]{2,60})[)\]]|[—–]\s?([^()[\]\n"“„«]{2,60}?)(?:\.?\s*$))/gmu

const maxTitleWords = 4

/**
 * Finds what stands as a ref behind a quotation and that nothing reads: a few capitalised words or initials, then a
 * number: `“…” (XYZ 12)`. The service reports them, because otherwise the check of the quotation would hide the claim.
 */
export function* unreadRefs({ text, words }: ReadText): Generator<undefined, readonly UnknownTitle[]> {
  const found: UnknownTitle[] = []
  let from = 0
  for (const match of text.matchAll(behindQuotation)) {
    yield
    const inner = match[1] ?? match[2] ?? ''
    const start = match.index + match[0].indexOf(inner)
    while (from < words.length && (words[from]?.start ?? 0) < start) from += 1
    const to = words.findIndex((word, i) => i >= from && word.start >= start + inner.trimEnd().length)
    const one = unreadIn({ text, words }, from, to < 0 ? words.length : to)
    if (one) found.push(one)
  }
  return found
}

function unreadIn(
  { text, words }: Pick<ReadText, 'text' | 'words'>,
  from: number,
  to: number,
): UnknownTitle | undefined {
  for (let at = from + 1; at < Math.min(to, from + 1 + maxTitleWords); at += 1) {
    const run = addressAt(text, words, at)
    if (run?.ends[0] !== to) continue
    const title = words.slice(from, at)
    const number = words[to - 1]
    const isHebrew = title.every(({ text: word }) => /^[א-ת]/.test(word))
    const isSure =
      run.hasUnit || (isHebrew ? isMarked(bare(number)) : /^\d{1,3}[a-d]?$/.test(number?.text ?? ''))
    const isTitle = isHebrew
      ? title.some((word) => isMarked(bare(word)))
      : title.every(({ key, text: word }) => /^\p{Lu}/u.test(word) && !isUnit(key)) &&
        title.some(isInitialism)
    const [first] = title
    if (!isSure || !isTitle || !first || !number) return undefined
    return { start: first.start, end: number.end, asked: text.slice(first.start, number.end) }
  }
  return undefined
}

/** Initials or an abbreviation: `XYZ`, `L`. Longer words may count other things: `Session 3`. */
function isInitialism({ text }: ReadText['words'][number]): boolean {
  return /^\p{Lu}{1,5}$/u.test(text)
}
