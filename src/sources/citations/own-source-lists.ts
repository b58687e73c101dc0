import { cuesOf } from './quotations/cues.ts'

/**
 * Recognises source lists and numbers in brackets that a model writes itself. The service makes the source list from the marks; a list by the
 * model was compared with nothing.
 */

const headings = new Set(cuesOf('list_heading'))

/** Whether a whole line is the heading of a source list. "Sources of joy" is not. */
export function isListHeading(line: string): boolean {
  return headings.has(named(line).replace(/ ?[:：]$/, ''))
}

/** Whether an incomplete line may become such a heading, or a heading with a list in the same line. */
export function mayBecomeListHeading(line: string): boolean {
  if (line.length > longestLine) return false
  const start = named(line)
  const beforeColon = /^([^:：]{2,30}?) ?[:：]/.exec(start)?.[1]
  if (beforeColon !== undefined) return headings.has(beforeColon)
  return [...headings].some((heading) => heading.startsWith(start.trimEnd()))
}

function named(line: string): string {
  return bare(line).toLowerCase()
}

/** Longer lines are treated as prose. */
export const longestLine = 300

const mark = /[[【(]\^?[Ss]\d{1,4}[\]】)]/
const numberInBrackets = /^[[【][1-9]\d{0,2}(?:†[^\]】\n]{0,30})?[\]】]/
const url = /https?:\/\/|www\./i
const address = /(?:https?:\/\/|www\.)\S+/gi
const hebrewPlace =
  /(?<![א-ת])(?:פרק|פרקים|סימן|סי[׳']|דף|תורה|הלכה|משנה|פסוק|אות|חלק|ח["״][א-ת]|פ["״]?[א-ת]{1,2}|[א-ת]{1,3}["״׳'][א-ת]?)(?![א-ת])/u
const place = /\d/

/** Whether a text contains a ref in any form. */
function namesPlace(text: string): boolean {
  return place.test(text) || mark.test(text) || url.test(text) || hebrewPlace.test(text)
}

/** Lower-case words that occur in refs. */
const small = new Set(cuesOf('ref_word'))
const maxProseWords = 3
const maxHebrewWords = 9

/** Whether a text is prose, and not only a list of refs. */
function isProse(text: string): boolean {
  const named = text.replace(address, '')
  const words = named.match(/[\p{L}\p{M}'’׳״"-]+/gu) ?? []
  const latin = words.filter((word) => /^\p{Ll}{2,}$/u.test(word) && !small.has(word)).length
  const longest = Math.max(
    0,
    ...named
      .split(/[;,.:()–—-]/)
      .map((part) => part.match(/[\u05d0-\u05ea][\p{L}\p{M}'’׳״"]*/gu)?.length ?? 0),
  )
  return latin > maxProseWords || longest > maxHebrewWords
}

/** Whether a line is an item of a source list: a ref with a number, a mark or a bullet, or only a ref. */
export function isSourceItem(line: string): boolean {
  if (line.length > longestLine) return false
  const text = bare(line)
  if (numberInBrackets.test(text)) return !isProse(withoutNumber(text))
  return namesPlace(text) && !isProse(text)
}

/** Whether a line looks like an item of the service's own list: a number in square brackets and a ref. */
export function isNumberedItem(line: string): boolean {
  return numberInBrackets.test(bare(line)) && isSourceItem(line)
}

function withoutNumber(text: string): string {
  return text.replace(numberInBrackets, '')
}

const longestPart = 80

/**
 * Whether a line continues a list.
 * @param afterGap whether a blank line precedes it. Then only another item continues the list.
 */
export function continuesList(line: string, afterGap: boolean): boolean {
  if (line.trim() === '' || /^\s*(?:[-=_*] ?){3,}\s*$/.test(line)) return true
  if (line.length > longestLine) return false
  if (isSourceItem(line)) return !afterGap || !/[!?]$/.test(line.trim())
  // A short line without an end of its own belongs to the item above, like those of the service's own list.
  const isPart = line.length <= longestPart && !/[.!?׃]$/.test(line.trim())
  return !afterGap && (isPart || !isProse(bare(line)))
}

/** The refs of a list in one line, `Sources: Tanya 32:1; Likutei Moharan 282`; undefined for other lines. */
export function listInOneLine(line: string): string | undefined {
  const [, heading = '', rest = ''] = /^([^:：]{2,30}?) ?[:：] ?(.+)$/u.exec(bare(line)) ?? []
  const isPlural = headings.has(heading.toLowerCase()) && !/^(?:source|מקור)$/i.test(heading)
  return isPlural && rest.length <= longestLine && namesPlace(rest) && !isProse(rest) ? rest : undefined
}

/** Length of the spaces and underlines after a heading. */
export function underHeading(text: string): number {
  return /^\s*(?:[-=]{3,}\s+)?/.exec(text)?.[0].length ?? 0
}

/** Whether the last characters before a list lead to it, so that the list is what the answer says. */
export function leadsToList(tail: string): boolean {
  return /[:：][*_"”)]{0,3}$/.test(tail)
}

/** Whether every beginning may become something, so that the decision does not depend on the deltas. */
export function everyBeginning(text: string, mayBecome: (beginning: string) => boolean): boolean {
  for (let end = 1; end < text.length; end += 1) if (!mayBecome(text.slice(0, end))) return false
  return true
}

const isolates = /[\u2066-\u2069\u200e\u200f]/g
const decorations = /^(?:[\s>#*_•·|-]|\d{1,3}[.)](?=\s))+|[\s*_|]+$/g

/** Returns a line without Markdown characters and directional marks. */
function bare(line: string): string {
  return line
    .replace(isolates, '')
    .replace(decorations, '')
    .replace(/\*{1,3}|_{2,3}/g, '')
    .replace(/[\u00a0\s]+/g, ' ')
}

/** `[` with an optional bullet before it, and the beginning of a number. */
const numberedStart =
  /^(?:[>*_\-•\s]|\d{1,3}[.)] )*(?:\d{0,3}[.)]?$|[[【](?:\d{1,3}(?:†[^\]】\n]{0,30})?(?:[\]】]|$)|$))/

/** Whether a possibly incomplete line may begin with a number in brackets. */
export function mayBeNumbered(line: string): boolean {
  return numberedStart.test(line)
}

const numbers =
  /^(?:[[【] ?[1-9]\d{0,2}(?: ?[,;–-] ?[1-9]\d{0,2}){0,20} ?(?:†[^】\]\n]{0,30})?[\]】]|\((?:\[[1-9]\d{0,2}\](?:[,;] ?)?){1,8}\))/

/** Returns the numbers in brackets at the start of a text: `[1]`, `[1, 2]`, `【3†source】`, `([1], [2])`. */
export function numberGroup(text: string): string | undefined {
  return numbers.exec(text)?.[0]
}

/** Whether a group contains a number that the client sent. */
export function namesGiven(text: string, given: ReadonlySet<number>): boolean {
  if (given.size === 0) return false
  return [...text.slice(0, 100).matchAll(/\d{1,3}/g)].some(([number]) => given.has(Number(number)))
}

/** Whether brackets after these characters are an index, as in `a[1]` or `row_2[1]`. Words of prose are longer. */
export function isIndexed(before: string): boolean {
  return /(?:^|[^\p{L}\p{M}])[A-Za-z]$|[\d_\])]$/u.test(before)
}

/** Longer inline code is not recognised. */
export const longestCode = 300

/** Finds the end of inline code that begins with this number of backticks, if it closes in the same line. */
export function closingRun(line: string, length: number): number | undefined {
  const looked = line.slice(0, longestCode)
  for (const match of looked.slice(length).matchAll(/`+/g)) {
    const end = length + match.index + match[0].length
    // A run at the end of the window may continue after it.
    if (match[0].length === length && (end < looked.length || looked === line)) return end
  }
  return undefined
}
