/**
 * How models write citation marks, and what a piece of text turns out to be.
 *
 * Taken for marks: `[S1]`, `[s1]`, `[S01]`, `[^S1]`, lenticular `【S1】` with or without a `†…` tail, groups such as
 * `[S1, S2]`, `[S1; S2]`, `[S1 and S2]`, `[S1-S3]`, `[S1, 2]` (the bare number only if it was offered), and, since
 * some models write them, `(S1)` and `(S1, S2)` if the first one was offered. `[S1, chapter 32]` is a mark that keeps
 * its words. A bare `S1` and anything else is text.
 */

/** What the text at an opening bracket is. `rest` is what must be read after it. */
export type Reading =
  /** Not decided by what there is; at the end of a reply, a mark cut in two. */
  | { readonly kind: 'open' }
  | { readonly kind: 'text' }
  /** Marks; `more` when `rest` is the remainder of the same group, made to look like a group of its own. */
  | {
      readonly kind: 'marks'
      readonly marks: readonly string[]
      readonly rest: string
      readonly more: boolean
    }
  /** One mark and then words inside the same brackets; `words` is `rest` without the comma that joins the two. */
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
/** All that may still become one of the three above. */
const undecided =
  /^(?:[ \u00a0]?†[^】\]\n]{0,30}|[ \u00a0]{0,2}[,;&/+–—-]?[ \u00a0]{0,2}(?:a(?:nd?)?|(?:and [ \u00a0]?)?[Ss]?\d{0,4}[ \u00a0]?))$/
const joint = /^[ \u00a0]?[,;:][ \u00a0]?|^[ \u00a0]/
const widestRange = 20

/**
 * Reads the text at an opening `[` or `【`.
 *
 * Whatever is decided holds for every continuation of `input`, so that the way a reply is cut into deltas cannot
 * show. Undecided input is at most 40 characters long.
 *
 * @param offered tells marks that were offered, needed only for bare numbers.
 * @param final no more text follows.
 */
export function readBrackets(input: string, offered: (mark: string) => boolean, final: boolean): Reading {
  const start = opener.exec(input)?.[0]
  if (start === undefined) return text
  const inside = input.slice(start.length)
  if (inside === '') return final ? text : open
  const first = firstMark.exec(inside)
  if (first === null) return /^[Ss]$/.test(inside) ? open : text
  const number = Number(first[1])
  const after = inside.slice(first[0].length)
  // A number that the text ends in may lack digits: it is not attributed to anything.
  if (after === '') return open
  if (letterOrDigit.test(after)) return text
  const end = closing.exec(after)
  if (end !== null)
    return { kind: 'marks', marks: [`S${number}`], rest: after.slice(end[0].length), more: false }
  if (undecided.test(after)) {
    return final ? { kind: 'marks', marks: [`S${number}`], rest: '', more: false } : open
  }
  return readOn(number, after, start, offered)
}

/** What follows a first mark that is not closed at once: another mark, words, or a forgotten bracket. */
function readOn(number: number, after: string, start: string, offered: (mark: string) => boolean): Reading {
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

/** Reads the text at a `(`: marks only if it holds nothing else and the first one was offered. */
export function readParentheses(
  input: string,
  offered: (mark: string) => boolean,
  final: boolean,
): Exclude<Reading, { kind: 'worded' }> {
  if (openParentheses.test(input)) return final ? text : open
  const match = parentheses.exec(input)
  if (match === null) return text
  const marks = [...(match[1] ?? '').matchAll(/\d+/g)].map((digits) => `S${Number(digits[0])}`)
  if (!offered(marks[0] ?? '')) return text
  return { kind: 'marks', marks, rest: input.slice(match[0].length), more: false }
}
