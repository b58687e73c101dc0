import { fold } from '../../text/fold.ts'
import { apartLetters, hideMarkup, withoutBreaks, withoutStruck } from './markup.ts'
import { foldNames, foldNamesFreely } from './names-of-god.ts'
import { countLetters, foldedWords, type PreparedText, prepared } from './prepare.ts'

/** Minimum letters of a quotation. Shorter ones occur in many texts and prove nothing. */
export const minLetters = 12

/** Consecutive words of a quotation. */
export type QuoteWords = {
  /** Folded. */
  readonly words: readonly string[]
  readonly written: string
  /** In square brackets, which say that the words may not be those of the passage. */
  readonly isInserted: boolean
}

/** The words between two ellipses. */
export type QuotePart = { readonly folded: string; readonly runs: readonly QuoteWords[] }

/** One reading of a quotation. */
export type QuoteReading = {
  /** All words, those that may stand for an ellipsis (`וכו'`) too. */
  readonly whole: QuotePart
  /** Only the whole if there is no ellipsis. */
  readonly parts: readonly QuotePart[]
}

/** A quotation prepared for comparison. */
export type PreparedQuote = QuoteReading & {
  readonly folded: string
  readonly letters: number
  readonly words: number
  /** The quotation as written. Differences are reported in its words. */
  readonly written: PreparedText
  /** Other readings. */
  readonly others: readonly QuoteReading[]
}

const dots = '(?:…|\\.{2,}|⋯|\\. \\. \\.)'
/** Not behind the unit of a place: `בפרק כו` is chapter 26. */
const noUnit = "(?<!(?:פרק|סימן|סי|סעיף|אות|דף|עמוד|תורה|שיחה|מזמור|פסוק|איגרת|אגרת|הלכה|משנה|שנת|פ)['׳]? )"
const ellipsis = new RegExp(
  `[[(]\\s?${dots}\\s?[\\])]|${dots}|(?<![א-ת])(?:ו|${noUnit})(?:כו|גו)(?:['׳’]|(?!["״]?[א-ת]))|(?<![א-ת])ו(?:כולי|גומר)(?![א-ת])`,
  'u',
)
const inserted = /\[([^[\]]{0,200})\]/g

type Fold = (text: string) => string

/** Prepares a quotation. */
export function prepareQuote(quote: string): PreparedQuote {
  const cleaned = cleanedOf(quote)
  const written = prepared(quote, cleaned)
  const folded = written.padded.slice(1, -1)
  const reading = readingOf(cleaned, foldedWords)
  const others: QuoteReading[] = []
  if (foldFreely(cleaned) !== folded) others.push(readingOf(cleaned, foldFreely))
  for (const other of [cleanedOf(withoutBreaks(quote)), cleanedOf(apartLetters(quote))])
    if (other !== cleaned) others.push(readingOf(other, foldedWords))
  const words = folded.split(' ').length
  return { ...reading, folded, written, others, letters: countLetters(folded), words }
}

/** Notes of the writer within a quotation. They are not quoted. */
const writersNote =
  /[([](?:(?:the )?(?:emphasis|emphases|italics|bold|translation)(?: is| are)? (?:added|mine|my own|ours)|my (?:emphasis|italics|translation)|emphasis in (?:the )?original|(?:ההדגשה|ההדגשות|התרגום) (?:שלי|אינה במקור|אינן במקור|נוספה))\.?[)\]]/giu

/** A quotation without markup, words that a reader does not see, struck words and notes of the writer. The length stays the same. */
function cleanedOf(quote: string): string {
  const plain = quote.replace(writersNote, (note) => ' '.repeat(note.length))
  return hideMarkup(withoutStruck(plain)).replaceAll('*', '\u2060')
}

function readingOf(cleaned: string, foldPart: Fold): QuoteReading {
  const whole = partOf(cleaned, foldPart)
  const written = cleaned.split(ellipsis)
  if (written.length === 1) return { whole, parts: [whole] }
  const parts: QuotePart[] = []
  for (const part of written) {
    const made = partOf(part, foldPart)
    if (made.folded !== '') parts.push(made)
  }
  return { whole, parts: parts.length === 0 ? [whole] : parts }
}

function partOf(text: string, foldPart: Fold): QuotePart {
  const runs: QuoteWords[] = []
  const add = (written: string, isInserted: boolean): void => {
    const folded = foldPart(written)
    if (folded !== '') runs.push({ words: folded.split(' '), written: written.trim(), isInserted })
  }
  let from = 0
  for (const { 0: brackets, index } of text.matchAll(inserted)) {
    add(text.slice(from, index), false)
    add(brackets, true)
    from = index + brackets.length
  }
  add(text.slice(from), false)
  return { folded: runs.flatMap(({ words }) => words).join(' '), runs }
}

function foldFreely(text: string): string {
  return foldNamesFreely(foldNames(fold(text), text), text).folded
}
