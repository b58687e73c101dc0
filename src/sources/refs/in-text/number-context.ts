import { headingKey } from '../../text/heading-keys.ts'
import type { AddressRun } from '../grammar/addresses.ts'
import { chapterIn, isMarked, mayEndClause } from '../grammar/hebrew-refs.ts'
import { bare, gapBefore, keysOfRole, type TextWord } from '../grammar/text-words.ts'
import { hasUnitRole } from '../grammar/units.ts'

/** Words that begin sentences. Any other capitalised word before a number may be a title. */
const sentenceWords = keysOfRole('begins-sentence')
/** Hebrew words after which a number belongs to a work named earlier. */
const hebrewCues = keysOfRole('cites')

/** Whether a number does not follow a word that may be an unknown title, as in `Psalms, chapter 3`. */
export function standsApart(
  { text, words }: { readonly text: string; readonly words: readonly TextWord[] },
  at: number,
): boolean {
  const word = words[at]
  const previous = words[at - 1]
  if (!word || !previous) return true
  const gap = gapBefore(text, words, at)
  if (/[.?!()[\]:;\n–—"“”«»]/.test(gap)) return true
  if (/^[א-ת]/.test(word.key)) {
    return (
      /,/.test(gap) ||
      hebrewCues.has(previous.key) ||
      /^(?:ש[בלמ]|ו[בלמש]|[ובלמהש])(?:פרק|סימן|סעיף|אות|פ)/.test(word.key)
    )
  }
  return !/^\p{Lu}/u.test(previous.text) || sentenceWords.has(previous.key)
}

const closers = /[”»]/
const openers = /[“„«]/
const anyMark = /["״“”„«»]/g

/** Words that may stand between the opening mark and a title that is quoted alone: `"ספר התניא"`, `ב"תניא"`. */
const opensBefore = /["“„״«'‘*_][ובהלמשכ]{0,3}(?:ספר |מסכת |the |sefer |book of )?$/i

/** Maximum distance of a title and a number, so that time stays linear in the text. */
const longestLooked = 1_000

/**
 * Whether a quotation that ends with a title, or soon after it, closes before a later position. A title at the end of
 * quoted words does not belong to a number behind them; a title that is quoted alone does: `"תניא" (פרק לב)`.
 */
export function isQuotedApart(
  text: string,
  title: { readonly start: number; readonly end: number },
  position: number,
): boolean {
  if (position - title.end > longestLooked || !closesIn(text, title.end, position)) return false
  return !opensBefore.test(text.slice(Math.max(0, title.start - 14), title.start))
}

/** Whether a quotation that began before `from` closes between the offsets. */
function closesIn(text: string, from: number, to: number): boolean {
  let open = 0
  for (const { index } of text.slice(from, to).matchAll(anyMark)) {
    const kind = kindOf(text, from + index)
    if (kind === 'closes' && open === 0) return true
    if (kind === 'opens') open += 1
    if (kind === 'closes') open -= 1
  }
  return false
}

function kindOf(text: string, at: number): 'opens' | 'closes' | undefined {
  const mark = text.charAt(at)
  if (closers.test(mark)) return 'closes'
  if (openers.test(mark)) return 'opens'
  if (mark !== '"' && mark !== '״') return undefined
  const [before, after] = [text.charAt(at - 1), text.charAt(at + 1)]
  // Between letters it is gershayim.
  if (/[\p{L}\p{M}]/u.test(after)) return /[\p{L}\p{M}]/u.test(before) ? undefined : 'opens'
  return /[\s([{]/.test(before) ? 'opens' : 'closes'
}

/** Things that a number counts, in the form of heading keys. */
const counted = keysOfRole('counted')

/** Matches a year that is no number of a place. */
const year = /^1[5-9]\d\d$|^20\d\d$|^5\d{3}$/

/** Whether a number without a unit is a year or counts what follows. */
export function isAmount(words: readonly TextWord[], run: AddressRun, to = run.from + 1): boolean {
  const digits = words[run.from]?.text ?? ''
  return year.test(digits) || counted.has(words[to]?.key ?? '')
}

/** Whether the number that ends at an offset counts the word after it: `30 years`. */
export function countsNext(text: string, end: number): boolean {
  const next = /^ ([\p{L}\p{M}]{1,20})/u.exec(text.slice(end, end + 22))?.[1]
  return next !== undefined && counted.has(headingKey(next))
}

/** Words with which a sentence goes on after a ref, in the form of heading keys. */
const goesOn = keysOfRole('goes-on')

/** Whether the words after an address show that its number is not part of them: the clause ends, or a verb follows. */
export function goesOnAfter(text: string, words: readonly TextWord[], to: number, end: number): boolean {
  return endsClause(text, end) || goesOn.has(words[to]?.key ?? '')
}

/** The address after a title as its writer meant it, where no library tells which of its numbers belong to it. */
export type WrittenAddress = {
  /** Index after its last word. */
  readonly to: number
  /** UTF-16 offset of its end. */
  readonly end: number
  /** Number of its numbers, a range counted once. The side of a leaf counts. */
  readonly levels: number
  /** Whether it names a leaf with its side: `5a`, `ה ע"א`. */
  readonly hasSide: boolean
}

/** Characters after which a clause continues elsewhere. */
const closing =
  /^(?:\s*$|\.?["”״»*_]{0,2}\s?[)\]},;:?!׃]|\.?["”»](?:\s|$)|\.(?:\s|$)|\s?[–—]|\s*\n|\s\d{1,3}\)(?!\d))/u

/** Whether a clause ends at an offset. */
export function endsClause(text: string, at: number): boolean {
  return closing.test(text.slice(at, at + 6))
}

const side = /^ע"[אב]$/

/**
 * Reads the address of a run. Of numbers that only a space or comma separates (`ב, טז`), a second one belongs to it if
 * the clause ends there and no third one follows.
 */
export function writtenAddress(text: string, words: readonly TextWord[], run: AddressRun): WrittenAddress {
  const { numberEnds } = run
  const sure = run.ends.at(-1) ?? run.from + 1
  const [first, ...more] = numberEnds.filter((end) => end > sure)
  // A range counts as one number: `כג, ג-ד`.
  const isRange = first !== undefined && more.length > 0 && /[-–—־]/.test(gapBefore(text, words, first))
  const [next, ...others] = isRange ? more : [first, ...more].filter((end) => end !== undefined)
  const isAlone = first === sure + 1
  const second = next !== undefined && belongs(text, words, next, others, isAlone) ? next : sure
  const to = second === run.from + 1 && hasMishnah(text, words, second) ? second + 1 : second
  const end = words[to - 1]?.end ?? 0
  const inside = [...numberEnds.filter((one) => one <= second), ...(to > second ? [to] : [])]
  const ranges = inside.slice(0, -1).filter((one) => /[-–—־]/.test(gapBefore(text, words, one)))
  const last = bare(words[to - 1])
  return {
    to,
    end,
    levels: inside.length - ranges.length,
    hasSide: side.test(last) || /^\d{1,4}[a-d]$/i.test(last) || isSideOfLeaf(words, to),
  }
}

/**
 * The ends of an address that are tried, longest first. What is written is not left out, so the address ends before its
 * last written number in none of them.
 */
export function endsOf(
  { text, words }: { readonly text: string; readonly words: readonly TextWord[] },
  run: AddressRun,
): readonly { readonly to: number; readonly mustExist: boolean }[] {
  const written = writtenAddress(text, words, run).to
  const sure = run.ends.includes(written) ? written : (run.ends.at(-1) ?? run.from + 1)
  return run.ends.filter((to) => to >= sure).map((to) => ({ to, mustExist: to !== sure }))
}

/** @param isAlone whether the number has no unit. */
function belongs(
  text: string,
  words: readonly TextWord[],
  next: number,
  others: readonly number[],
  isAlone: boolean,
): boolean {
  const written = bare(words[next - 1])
  if (side.test(written)) return true
  if (others.length > 0) return false
  if (/^\d/.test(written))
    return isAlone && !year.test(written) && endsClause(text, words[next - 1]?.end ?? 0)
  if (!/^[א-ת]/.test(written)) return false
  return isMarked(written) || (endsClause(text, words[next - 1]?.end ?? 0) && !mayEndClause(written))
}

/** Matches a mishnah that is joined to its unit in one word, as after `פ"ב`: `מט"ז`, `מ"ג`. */
const gluedMishnah = /^מ(?:[א-ת]{0,2}"[א-ת]|[א-ת]')$/

function hasMishnah(text: string, words: readonly TextWord[], at: number): boolean {
  return (
    chapterIn(bare(words[at - 1])) !== undefined &&
    gluedMishnah.test(bare(words[at])) &&
    /^,? $/.test(gapBefore(text, words, at))
  )
}

/** `עמוד א` after a number. */
function isSideOfLeaf(words: readonly TextWord[], to: number): boolean {
  return hasUnitRole(bare(words[to - 2]), 'page') && /^[אב]'?$/.test(bare(words[to - 1]))
}
