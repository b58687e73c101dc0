/**
 * Parses citation marks in a model's text.
 * Marks are: `[S1]`, `[s1]`, `[S01]`, `[^S1]`, lenticular `【S1】` with or without a `†…` tail; groups such as `[S1,
 * S2]`, `[S1; S2]`, `[S1 and S2]`, `[S1-S3]`, and `[S1, 2]` if mark 2 exists; and `(S1)` and `(S1, S2)` if the first
 * mark exists. `[S1, chapter 32]` is a mark with words. A bare `S1` and anything else is text.
 */

/** The kind of text at an opening bracket. `rest` is the text to read after it. */
export type BracketReading =
  /** Undecided: more text is needed. At the end of a reply it is an incomplete mark. */
  | { readonly kind: 'open' }
  | { readonly kind: 'text' }
  /** Marks. With `more`, `rest` is the remainder of the group, rewritten as a group of its own. */
  | {
      readonly kind: 'marks'
      readonly marks: readonly string[]
      readonly rest: string
      readonly more: boolean
    }
  /** One mark, followed by words in the same brackets. `words` is `rest` without the comma between them. */
  | { readonly kind: 'worded'; readonly mark: string; readonly rest: string; readonly words: string }

const open = { kind: 'open' } as const
const text = { kind: 'text' } as const

const opener = /^[[【]\^?[ \u00a0]?/
const firstMark = /^[Ss](\d{1,4})/
const letterOrDigit = /^[\p{L}\p{N}_]/u
const closing = /^[ \u00a0]?(?:†[^】\]\n]{0,30})?[\]】]/
const nextMark =
  /^[ \u00a0]{0,2}([,;&/+–—-])?[ \u00a0]{0,2}(?:and [ \u00a0]?)?[Ss](?=\d{1,4}(?![\p{L}\p{N}_]))/u
const nextNumber = /^[ \u00a0]{0,2}([,;&/+–—-])[ \u00a0]{0,2}(?=(\d{1,4})[ \u00a0]?[,;\]】])/
/** Text that may still become one of the three forms above. */
const undecided =
  /^(?:[ \u00a0]?†[^】\]\n]{0,30}|[ \u00a0]{0,2}[,;&/+–—-]?[ \u00a0]{0,2}(?:a(?:nd?)?|(?:and [ \u00a0]?)?[Ss]?\d{0,4}[ \u00a0]?))$/
const joint = /^[ \u00a0]?[,;:][ \u00a0]?|^[ \u00a0]/
const widestRange = 20

/**
 * Parses the text at an opening `[` or `【`.
 * A decision holds for every continuation of `input`, so the result does not depend on how a reply is cut into
 * deltas. Undecided input has at most 40 characters.
 * @param offered whether a mark exists; needed only for bare numbers.
 * @param final whether the text ends here.
 */
export function readBrackets(
  input: string,
  offered: (mark: string) => boolean,
  final: boolean,
): BracketReading {
  const start = opener.exec(input)?.[0]
  if (start === undefined) return text
  const inside = input.slice(start.length)
  if (inside === '') return final ? text : open
  const first = firstMark.exec(inside)
  if (first === null) return /^[Ss]$/.test(inside) ? open : text
  const number = Number(first[1])
  const after = inside.slice(first[0].length)
  // A number at the end of the text may be incomplete, so it is attributed to nothing.
  if (after === '') return open
  if (letterOrDigit.test(after)) return text
  const end = closing.exec(after)
  if (end !== null)
    return { kind: 'marks', marks: [`S${number}`], rest: after.slice(end[0].length), more: false }
  if (undecided.test(after)) {
    return final ? { kind: 'marks', marks: [`S${number}`], rest: '', more: false } : open
  }
  return readContinuation(number, after, start, offered)
}

/** Parses what follows a first mark that is not closed at once: another mark, words, or a missing bracket. */
function readContinuation(
  number: number,
  after: string,
  start: string,
  offered: (mark: string) => boolean,
): BracketReading {
  const next = nextMark.exec(after) ?? offeredNumber(after, offered)
  if (next !== null) {
    const remainder = after.slice(next[0].length)
    const until = Number(/^\d+/.exec(remainder)?.[0])
    const spans = /[–—-]/.test(next[1] ?? '') && until > number && until - number <= widestRange
    const marks = Array.from({ length: spans ? until - number : 1 }, (_, i) => `S${number + i}`)
    return { kind: 'marks', marks, rest: `${start}S${remainder}`, more: true }
  }
  const joined = joint.exec(after)?.[0]
  if (joined === undefined || /^\s*[\r\n]/.test(after)) {
    return { kind: 'marks', marks: [`S${number}`], rest: after, more: false }
  }
  return { kind: 'worded', mark: `S${number}`, rest: after, words: after.slice(joined.length) }
}

function offeredNumber(after: string, offered: (mark: string) => boolean): RegExpExecArray | null {
  const match = nextNumber.exec(after)
  return match !== null && offered(`S${Number(match[2])}`) ? match : null
}

const parentheses = /^\(([Ss]\d{1,4}(?:[,;] ?[Ss]\d{1,4}){0,5})\)/
const openParentheses = /^\((?:[Ss]\d{1,4}[,;] ?){0,5}(?:[Ss]\d{0,4})?$/

/** Parses the text at a `(`. It contains marks only if it contains nothing else and the first mark exists. */
export function readParentheses(
  input: string,
  offered: (mark: string) => boolean,
  final: boolean,
): Exclude<BracketReading, { kind: 'worded' }> {
  if (openParentheses.test(input)) return final ? text : open
  const match = parentheses.exec(input)
  if (match === null) return text
  const marks = [...(match[1] ?? '').matchAll(/\d+/g)].map((digits) => `S${Number(digits[0])}`)
  if (!offered(marks[0] ?? '')) return text
  return { kind: 'marks', marks, rest: input.slice(match[0].length), more: false }
}
