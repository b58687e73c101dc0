/**
 * Splits a text into words by looking at each character once. An import reads hundreds of millions of characters, and
 * an equivalent regular expression takes three times as long. `text-words` reads the words that consist of letters only.
 */

/** What a character can do in a word: nothing, begin and continue it, only continue it, or join two parts of it. */
export const other = 0
export const letter = 1
const mark = 2
const quote = 3
const unknown = 255

/** Kinds by UTF-16 unit, filled on first use. Surrogates stay unknown, because they are read in pairs. */
export const kinds = new Uint8Array(65_536).fill(unknown)

/** Gershayim, geresh, apostrophes and quotation marks, which occur inside abbreviations and contractions. */
const quotes = '"\'`׳״‘’“”„'

/** Whether a unit is an apostrophe. One apostrophe may end a word: `הנז'`. */
const isApostrophe = (unit: number): boolean => unit === 0x27 || unit === 0x5f3 || unit === 0x2019

/** Matches a hyphen or maqaf, with points around it. The bounds keep a long run of marks cheap. */
const joint = '\\p{M}{0,4}[-–‐‑־]?\\p{M}{0,4}'

/** Builds a pattern for the letters of a divine name, with an optional hyphen between any two. */
const jointed = (letters: string): string => letters.split(' ').join(joint)

/** Matches Hebrew divine names with prefixes. With a hyphen they are one word: `א-להים`, `י-ה-ו-ה`. */
const hebrewName = new RegExp(
  `(?:[והבכלמשד]{0,2}?(?:${[
    `${jointed('א ל')}(?:${joint}ו)?${joint}[הק]${joint}(?:${jointed('י [םמ]')}|ו${joint}ת|י?(?:נו|ך|כ[םמ]|ה[םמ]|ו|ת)?)`,
    jointed('א ל'),
    jointed('א ד נ י'),
    jointed('א ד נ ו ת'),
    jointed('ש ד י'),
    jointed('צ ב [אק] ו ת'),
    jointed('י ה ו ה'),
    jointed('י ק ו ק'),
    jointed('ה ו י ה'),
    jointed('א [הק] י ה'),
  ].join('|')})|${jointed('י ה')})\\p{M}{0,4}(?![\\p{L}\\p{N}\\p{M}])`,
  'uy',
)

const isHyphen = (unit: number): boolean =>
  unit === 0x2d || unit === 0x5be || (unit >= 0x2010 && unit <= 0x2013)

const isHebrewLetter = (unit: number): boolean => unit >= 0x5d0 && unit <= 0x5ea

/** Longer words before a hyphen do not begin a divine name. */
const longestBeforeHyphen = 12

/** Matches divine names with a hyphen, which are one word. In all other cases a hyphen or maqaf separates words. */
const divineName = /(?:G[-–—‐‑]d|L[-–—‐‑]rd)(?![\p{L}\p{N}])/uy

function kindOf(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  const known = kinds[unit] ?? other
  if (known !== unknown) return known
  const isPair = unit >= 0xd800 && unit <= 0xdfff
  const character = isPair ? String.fromCodePoint(text.codePointAt(at) ?? 0) : String.fromCharCode(unit)
  const kind = /[\p{L}\p{N}]/u.test(character)
    ? letter
    : /\p{M}/u.test(character)
      ? mark
      : quotes.includes(character)
        ? quote
        : other
  if (!isPair) kinds[unit] = kind
  return kind
}

/** Index after the character at `at`. */
export function after(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdbff && (text.codePointAt(at) ?? 0) > 0xffff ? at + 2 : at + 1
}

/** The end of the word that begins at `at`; undefined if none begins there. */
export function endOfWord(text: string, at: number): number | undefined {
  if (kindOf(text, at) !== letter) return undefined
  return divineNameEnd(text, at) ?? withHyphens(text, at, wordEnd(text, at))
}

/** Whether a unit may join the parts of a divine name. */
export const isDash = (unit: number): boolean => isHyphen(unit) || unit === 0x2014

function divineNameEnd(text: string, at: number): number | undefined {
  const unit = text.charCodeAt(at)
  if (unit !== 0x47 && unit !== 0x4c) return undefined
  divineName.lastIndex = at
  return divineName.test(text) ? divineName.lastIndex : undefined
}

/** End of the Hebrew divine name that begins at `start` and has a hyphen at `end`; `end` if there is none. */
function withHyphens(text: string, start: number, end: number): number {
  if (end >= text.length || !isHyphen(text.charCodeAt(end)) || end - start > longestBeforeHyphen) return end
  if (!isHebrewLetter(text.charCodeAt(start))) return end
  hebrewName.lastIndex = start
  return hebrewName.test(text) ? Math.max(end, hebrewName.lastIndex) : end
}

function wordEnd(text: string, start: number): number {
  let end = partEnd(text, start)
  for (;;) {
    let next = end
    while (next < text.length && kindOf(text, next) === quote) next += 1
    if (next === end || next >= text.length || kindOf(text, next) !== letter) break
    end = partEnd(text, next)
  }
  return end < text.length && isApostrophe(text.charCodeAt(end)) ? end + 1 : end
}

/** End of the letters, digits and marks that begin at `start`. */
function partEnd(text: string, start: number): number {
  let end = start
  while (end < text.length) {
    const kind = kindOf(text, end)
    if (kind !== letter && kind !== mark) break
    end = after(text, end)
  }
  return end
}
