import { fold } from '../../text/fold.ts'
import { areReversing } from '../turning-words/reversals.ts'
import { hideMarkup, withoutBreaks, withoutStruck } from './markup.ts'
import { foldNames, foldNamesFreely } from './names-of-god.ts'
import { countLetters, foldedWords, type PreparedText, prepared } from './prepare.ts'

/** Minimum letters of a quotation. Shorter ones occur in many texts and prove nothing. */
export const minLetters = 12

/** Words in brackets that a reading leaves out. */
export type Insertion = {
  /** Offset in the folded part at which they stood. */
  readonly at: number
  /** The words, folded. */
  readonly folded: string
  /** In square brackets, which say that the words are not from the passage. Others must stand in the passage. */
  readonly isAdded: boolean
}

/** Folded words between two ellipses. */
export type QuotePart = { readonly folded: string; readonly insertions: readonly Insertion[] }

/** One reading of a quotation. */
export type QuoteReading = {
  readonly folded: string
  /** The whole text if there is no ellipsis. */
  readonly parts: readonly QuotePart[]
}

/** A quotation prepared for comparison. */
export type PreparedQuote = QuoteReading & {
  readonly letters: number
  readonly words: number
  /** The quotation as written. Differences are reported in its words. */
  readonly written: PreparedText
  /** Other readings. The quotation is verbatim if one of them is. */
  readonly others: readonly QuoteReading[]
}

const dots = '(?:…|\\.{2,}|⋯|\\. \\. \\.)'
/** Not behind the unit of a place: `בפרק כו` is chapter 26. */
const noUnit = "(?<!(?:פרק|סימן|סי|סעיף|אות|דף|עמוד|תורה|שיחה|מזמור|פסוק|איגרת|אגרת|הלכה|משנה|שנת|פ)['׳]? )"
const ellipsis = new RegExp(
  `[[(]\\s?${dots}\\s?[\\])]|${dots}|(?<![א-ת])(?:ו|${noUnit})(?:כו|גו)(?:['׳’]|(?!["״]?[א-ת]))|(?<![א-ת])ו(?:כולי|גומר)(?![א-ת])`,
  'u',
)
/** Enough characters beside brackets to see two words. */
const longestBeside = 40
const insertion = /\[([^[\]]{0,200})\]|\(([^()]{0,200})\)/g

type Fold = (text: string) => string

/**
 * Prepares a quotation. It yields at points where the caller may pause it, because a quotation can be as long as an
 * answer.
 */
export function* prepareQuote(quote: string): Generator<undefined, PreparedQuote> {
  const cleaned = cleanedOf(quote)
  yield
  const written = prepared(quote, cleaned)
  const folded = written.padded.slice(1, -1)
  yield
  const parts = yield* partsOf(cleaned, whole(foldedWords))
  const others: QuoteReading[] = []
  const free = foldFreely(cleaned)
  if (free !== folded) others.push({ folded: free, parts: yield* partsOf(cleaned, whole(foldFreely)) })
  const unbroken = cleanedOf(withoutBreaks(quote))
  if (unbroken !== cleaned)
    others.push({ folded: foldedWords(unbroken), parts: yield* partsOf(unbroken, whole(foldedWords)) })
  // Most quotations have no brackets, and need not be folded again.
  const bare = /[[(]/.test(cleaned) ? yield* partsOf(cleaned, withoutInsertions) : []
  if (bare.some(({ insertions }) => insertions.length > 0)) others.push({ folded: joined(bare), parts: bare })
  return { folded, parts, written, others, letters: countLetters(folded), words: folded.split(' ').length }
}

/** Notes of the writer within a quotation. They are not quoted. */
const writersNote =
  /[([](?:(?:the )?(?:emphasis|emphases|italics|bold|translation)(?: is| are)? (?:added|mine|my own|ours)|my (?:emphasis|italics|translation)|emphasis in (?:the )?original|(?:ההדגשה|ההדגשות|התרגום) (?:שלי|אינה במקור|אינן במקור|נוספה))\.?[)\]]/giu

/** A quotation without markup, struck words and notes of the writer. The length stays the same. */
function cleanedOf(quote: string): string {
  const plain = quote.replace(writersNote, (note) => ' '.repeat(note.length))
  return hideMarkup(withoutStruck(plain)).replaceAll('*', '\u2060')
}

function* partsOf(
  cleaned: string,
  read: (part: string) => QuotePart,
): Generator<undefined, readonly QuotePart[]> {
  const parts: QuotePart[] = []
  for (const part of cleaned.split(ellipsis)) {
    yield
    const made = read(part)
    if (made.folded !== '') parts.push(made)
  }
  return parts.length === 0 ? [read(cleaned)] : parts
}

const whole =
  (foldPart: Fold) =>
  (part: string): QuotePart => ({ folded: foldPart(part), insertions: [] })

/** Leaves out words in brackets, unless they would turn the meaning round: `[do not]`. */
function withoutInsertions(part: string): QuotePart {
  let folded = ''
  let from = 0
  const insertions: Insertion[] = []
  const add = (text: string): void => {
    folded = [folded, foldedWords(text)].filter((words) => words !== '').join(' ')
  }
  for (const match of part.matchAll(insertion)) {
    const words = foldedWords(match[0])
    const isAdded = match[1] !== undefined
    const behind = match.index + match[0].length
    if (isAdded && areReversing(words, wordsBeside(part, match.index, behind))) continue
    add(part.slice(from, match.index))
    from = behind
    insertions.push({ at: folded.length, folded: words, isAdded })
  }
  add(part.slice(from))
  return { folded, insertions }
}

function wordsBeside(part: string, start: number, end: number): { before: string; behind: string } {
  const from = Math.max(0, start - longestBeside)
  return {
    before: foldedWords(from === 0 ? part.slice(0, start) : part.slice(from, start).replace(/^\S+/, '')),
    behind: foldedWords(part.slice(end, end + longestBeside)),
  }
}

function joined(parts: readonly QuotePart[]): string {
  return parts.map(({ folded }) => folded).join(' ')
}

function foldFreely(text: string): string {
  return foldNamesFreely(foldNames(fold(text), text), text).folded
}
