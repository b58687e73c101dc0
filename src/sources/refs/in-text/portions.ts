import { headingKey } from '../../text/heading-keys.ts'
import { isDistinctTitle } from '../../vocabulary/titles/everyday-titles.ts'
import { namesOfKnownWork } from '../../vocabulary/titles/known-works.ts'
import { parashaAt } from '../../vocabulary/titles/parashot.ts'
import { otherTitleKeys } from '../../vocabulary/titles/title-groups.ts'
import { isYear } from '../grammar/pages.ts'
import { bare, gapBefore, keysOfRole } from '../grammar/text-words.ts'
import type { Candidate, Placed, ReadText } from './titled-text.ts'
import type { TitleInText } from './titles-in-text.ts'
import { isInBrackets } from './unheld-works.ts'

/**
 * Finds weekly portions without a number after titles, perhaps with a year: `(Noam Elimelech, Vayeshev)`, `In Sefat Emet,
 * Vayishlach 5631, “…”`. A portion that a known work does not have is named too; of other works the library must have it.
 */
export function* portionsInText(read: ReadText): Generator<undefined, readonly Placed[]> {
  const placed: Placed[] = []
  for (const title of read.titles) {
    const portion = portionBehind(read, title)
    if (portion) {
      const { candidate, to } = portion
      const known = isKnownBook(candidate.title) ? { unheld: candidate } : {}
      const site = { candidates: [candidate], isSure: false, ...known, isPortion: true }
      placed.push({ site, from: title.from, to })
    }
    yield
  }
  return placed
}

/** Matches the word for a weekly portion, in the form of `headingKey`. */
const portionWord = /^(?:[בל]?פרשת|פ|para?shas?t?)$/u
/** The volume before a portion: `Mei HaShiloach I, Lech Lecha`. */
const volume = /^(?:[IVX]{1,4}|ח"[א-ת])$/
/** Words with which a sentence goes on: `As Noam Elimelech, Vayeshev says, “…”`. */
const verbs = keysOfRole('goes-on')
/** Words between a title and its portion. */
const portionLinks = new Set(['on', 'to', 'על'])
/** A portion is named in at most four words, if two are read together. */
const maxPortionWords = 4
/** Matches what follows the end of a ref: the end of the clause, or a quotation. */
const behindPortion = /^["”'’*_]{0,2}(?:\s?[)\]},;:.—–]|\s*\n|\s*$|\s["“„«])/u

function portionBehind(
  read: ReadText,
  title: TitleInText,
): { readonly candidate: Candidate; readonly to: number } | undefined {
  const { text, words } = read
  const begins = title.isExact ? portionStart(read, title) : undefined
  const to = begins && endOfPortion(read, begins.from)
  if (begins === undefined || to === undefined) return undefined
  const { from, isMarked, isJoined } = begins
  const end = words[to - 1]?.end ?? title.end
  const isRef = isJoined || isInBrackets(text, title.start, end)
  const endsThere = behindPortion.test(text.slice(end, end + 6)) || verbs.has(words[to]?.key ?? '')
  if (!isMarked && !(isRef && endsThere)) return undefined
  const name = text.slice(title.start, title.end)
  const asked = `${name}, ${text.slice(words[from]?.start ?? end, end).replace(/[([]/, '')}`
  return { candidate: { start: title.start, end, asked, title: name, mustExist: true }, to }
}

/** The word with which a portion behind a title would begin, and how the two are joined. */
function portionStart({ text, words }: ReadText, { from: first, to }: TitleInText) {
  const behind = to + (volume.test(bare(words[to])) ? 1 : 0)
  const gap = gapBefore(text, words, behind)
  if (!/^(?:['’]s)?(?:,? | ?\()$/.test(gap)) return undefined
  const isLinked = portionLinks.has(words[behind]?.key ?? '')
  const at = isLinked ? behind + 1 : behind
  const isMarked = portionWord.test(words[at]?.key ?? '')
  const from = isMarked ? at + 1 : at
  const isName = /^\p{Lu}/u.test(words[from]?.text ?? '') && (isLinked || to - first > 1)
  return { from, isMarked, isJoined: /[,(]/.test(gap) || isName }
}

/** Index after the longest name of a portion that begins at a word, and after its year. */
function endOfPortion({ text, words }: ReadText, from: number): number | undefined {
  let last = from + 1
  while (last < from + maxPortionWords && /^(?: ?[-–/־] ?| )$/.test(gapBefore(text, words, last))) last += 1
  for (let to = Math.min(words.length, last); to > from; to -= 1)
    if (arePortions(words.slice(from, to).map(({ key }) => key))) {
      const hasYear = isYear(bare(words[to])) && /^,? [([]?$/.test(gapBefore(text, words, to))
      return hasYear ? to + 1 : to
    }
  return undefined
}

/** Whether words are the name of a weekly portion, or of two that are read together. */
function arePortions(keys: readonly string[]): boolean {
  const first = parashaAt(keys)
  return first !== undefined && (first.words === keys.length || arePortions(keys.slice(first.words)))
}

function isKnownBook(name: string): boolean {
  const key = headingKey(name)
  return isDistinctTitle(key) && (namesOfKnownWork(key) !== undefined || otherTitleKeys(key).length > 0)
}
