import type { Span } from './spans.ts'

/** State of the search for one closing mark. */
type Search = { readonly text: string; readonly from: number; readonly to: number }

/** A raised digit behind a quotation is the number of a footnote, and no letter of it. */
const letter = /[\p{L}\p{Nd}]/u
/** Vowel points, and invisible characters such as those of text direction. */
const mark = /[\p{M}\p{Cf}]/u
const hebrewLetter = /[א-ת]/
const prefixes = /(?:^|[^\p{L}\p{M}])[ושהבכלמד]{1,3}$/u
const openers = new Set(['“', '„', '«', '”', '‘', '"', '״', "'", '‹', '‚', '׳'])

/**
 * Finds the outermost quotations in a part of a text, in order. It reads “…”, „…” and „…“, ”…“, «…», ‹…›, ‘…’, ‚…‘,
 * '…', "…" and ״…״, and nested quotations. It distinguishes gershayim (הקב"ה) from quotation marks. A straight mark
 * that is never closed is ignored; an unclosed “, „ or « reaches to the end of the part, as in printed quotations of
 * many paragraphs.
 */
export function quoteSpans(text: string, from: number, to: number): readonly Span[] {
  const spans: Span[] = []
  // A mark without a closing one in the rest is not searched again; that would take quadratic time.
  const unclosed = new Set<string>()
  for (let at = from; at < to; at += 1) {
    const character = text.charAt(at)
    if (!openers.has(character) || unclosed.has(character)) continue
    if (!opens(text, at, from, to)) continue
    const end = closingOf(character, { text, from: at + 1, to })
    if (end === undefined) {
      if (!isSingle(character)) unclosed.add(character)
      continue
    }
    if (isSingle(character) && !isWhole(text, at + 1, end)) continue
    spans.push({ start: at + 1, end })
    at = end
  }
  return spans
}

function opens(text: string, at: number, from: number, to: number): boolean {
  const character = text.charAt(at)
  if (character === '„') return true
  if (character === '“' || character === '«' || character === '‹') return !endsWord(text, at, from, to)
  return ['opening', 'alone'].includes(placeOf(text, at, from, to))
}

/** Whether a mark stands directly after a word and before none. It closes something that nothing opened. */
function endsWord(text: string, at: number, from: number, to: number): boolean {
  return (
    at > from &&
    /[\p{L}\p{M}\p{N}]/u.test(text.charAt(at - 1)) &&
    (at + 1 >= to || /[\s.,;:!?)]/.test(text.charAt(at + 1)))
  )
}

function closingOf(opener: string, search: Search): number | undefined {
  switch (opener) {
    case '“':
      return nestedEnd(search, '“', '”') ?? search.to
    case '«':
      return nestedEnd(search, '«', '»') ?? search.to
    case '„':
      return lowOpenedEnd(search) ?? search.to
    case '”':
      return firstOf(search, '“”')
    case '‹':
      return nestedEnd(search, '‹', '›')
    case '‘':
      return singleEnd(search, '’')
    case '‚':
      return singleEnd(search, '‘’')
    case "'":
    case '׳':
      return singleEnd(search, opener)
    default:
      return straightEnd(search, opener)
  }
}

/**
 * Finds the end of a pair that may contain pairs of its kind. If closing marks are missing, it takes the last one.
 */
function nestedEnd({ text, from, to }: Search, open: string, close: string): number | undefined {
  let depth = 1
  let last: number | undefined
  for (let at = from; at < to; at += 1) {
    const character = text.charAt(at)
    if (character === open) depth += 1
    if (character !== close) continue
    depth -= 1
    last = at
    if (depth === 0) return at
  }
  return last
}

/** „ closes with ” (Hebrew) or “ (German). A “ before a word opens a nested quotation. */
function lowOpenedEnd({ text, from, to }: Search): number | undefined {
  let depth = 1
  let last: number | undefined
  for (let at = from; at < to; at += 1) {
    const character = text.charAt(at)
    const high = character === '“' || character === '”'
    if (character === '„' || (character === '“' && placeOf(text, at, from, to) === 'opening')) depth += 1
    else if (high) {
      depth -= 1
      last = at
      if (depth === 0) return at
    }
  }
  return last
}

function straightEnd({ text, from, to }: Search, character: string): number | undefined {
  let depth = 1
  let last: number | undefined
  for (let at = text.indexOf(character, from); at >= 0 && at < to; at = text.indexOf(character, at + 1)) {
    const place = placeOf(text, at, from, to)
    if (place === 'opening') depth += 1
    if (place !== 'closing' && place !== 'alone') continue
    depth -= 1
    last = at
    if (depth === 0) return at
  }
  return last
}

const isSingle = (character: string): boolean => "'‚‘׳".includes(character)

/** Limits of a quotation in single marks: its length, and how many marks in it, which may be apostrophes, are tried. */
const longestInSingle = 1_500
const maxSingles = 20

/** Gershayim as two apostrophes: `א''ס`. */
const doubled = /(?<=[א-ת]\p{M}{0,3})(?:''|׳׳|’’)(?=[א-ת])/gu

/** Words that begin with an apostrophe. */
const elided = /^(?:tis|twas|twere|twill|til|till|em|cause|round|bout|n)(?![\p{L}\p{M}])/iu

/**
 * Finds the end of a quotation in single marks: a mark without a letter after it. It may be an apostrophe (`the dogs'
 * tails`) or the geresh of a short word (`ה' אחד`). Then it ends the quotation only if there is no better mark before
 * the next opening one.
 */
function singleEnd({ text, from, to }: Search, closers: string): number | undefined {
  const inside = text.slice(from, Math.min(to, from + longestInSingle)).replace(doubled, '""')
  if (elided.test(inside.slice(0, 8))) return undefined
  let doubtful: number | undefined
  let seen = 0
  for (let at = 0; at < inside.length && seen < maxSingles; at += 1) {
    if (!closers.includes(inside.charAt(at))) continue
    seen += 1
    if (letter.test(text.charAt(from + at + 1))) continue
    if (placeOf(text, from + at, from, to) === 'opening') break
    const kind = kindOfEnd(
      inside.slice(Math.max(0, at - longestLook), at),
      text.slice(from + at + 1, from + at + 3),
    )
    if (kind === 'end') return from + at
    if (kind === 'geresh' && doubtful !== undefined) break
    doubtful = from + at
  }
  return doubtful
}

/** A Hebrew word of up to three letters with a geresh is an abbreviation if another word follows: `ה'`, `וכו'`. */
function kindOfEnd(before: string, after: string): 'end' | 'geresh' | 'possessive' {
  if (!/^\s\p{L}/u.test(after)) return 'end'
  if (/[a-z]s$/i.test(before)) return 'possessive'
  return /(?:^|[^\p{L}])[\u05d0-\u05ea]{1,3}$/u.test(before.replace(/\p{M}/gu, '')) ? 'geresh' : 'end'
}

/** Whether no quotation in double marks begins inside this range and ends outside. */
function isWhole(text: string, from: number, to: number): boolean {
  const inside = text.slice(from, to)
  const count = (marks: RegExp): number => inside.match(marks)?.length ?? 0
  const straight = count(/(?<![\u05d0-\u05ea\p{M}])"|"(?![\u05d0-\u05ea])/gu)
  return count(/[“„]/g) <= count(/[”“]/g) && count(/«/g) === count(/»/g) && straight % 2 === 0
}

function firstOf({ text, from, to }: Search, characters: string): number | undefined {
  for (let at = from; at < to; at += 1) if (characters.includes(text.charAt(at))) return at
  return undefined
}

/**
 * Decides what a symmetric mark does at this position. Between Hebrew letters it is gershayim if one letter of the
 * word follows (רמב"ם), or if more than prefixes precede (חב"דניק). After prefixes only (ש"הבינוני) it opens a
 * quotation.
 */
function placeOf(
  text: string,
  at: number,
  from: number,
  to: number,
): 'opening' | 'closing' | 'alone' | 'neither' {
  const before = lettersBefore(text, at, from)
  const after = lettersAfter(text, at, to)
  const joinsWords = letter.test(before.slice(-1)) && letter.test(after.slice(0, 1))
  if (joinsWords) {
    const isQuote = hebrewLetter.test(after) && after.length > 1 && prefixes.test(before)
    return isQuote ? 'opening' : 'neither'
  }
  const previous = before.slice(-1) || ' '
  const next = visibleAfter(text, at, to)
  const nothingFollows = next === '' || /[\s.,;:!?)\]}]/.test(next)
  if (/\s/.test(previous)) return nothingFollows ? 'alone' : 'opening'
  // A dash, a bracket or emphasis may stand on either side.
  return /[([{—–:־>*_-]/.test(previous) && !nothingFollows ? 'opening' : 'closing'
}

const longestLook = 24

/**
 * The first combining character. Comparing with it is cheaper than the full test, and most characters are below it.
 */
const firstMark = '\u0300'

const isMark = (character: string): boolean => character >= firstMark && mark.test(character)

/** The next character that is seen; empty at the end. */
function visibleAfter(text: string, at: number, to: number): string {
  let next = at + 1
  while (next < to && next < at + longestLook && isMark(text.charAt(next))) next += 1
  return next < to ? text.charAt(next) : ''
}

/** Returns up to six characters before an index, without vowel points. */
function lettersBefore(text: string, at: number, from: number): string {
  const near = [...text.slice(Math.max(from, at - longestLook), at)].filter((character) => !isMark(character))
  return near.slice(-6).join('')
}

/** Returns up to three letters after an index, without vowel points. */
function lettersAfter(text: string, at: number, to: number): string {
  let near = ''
  let letters = 0
  for (const character of text.slice(at + 1, Math.min(to, at + 1 + longestLook))) {
    if (isMark(character)) continue
    if (letters === 3 || !letter.test(character)) break
    near += character
    letters += 1
  }
  return near
}
