import { headingKey } from '../../text/heading-keys.ts'
import { isDistinctTitle } from '../../vocabulary/titles/everyday-titles.ts'
import { namesOfKnownWork } from '../../vocabulary/titles/known-works.ts'
import { parashaAt } from '../../vocabulary/titles/parashot.ts'
import { otherTitleKeys } from '../../vocabulary/titles/title-groups.ts'
import { isYear } from '../grammar/pages.ts'
import { bare, gapBefore } from '../grammar/text-words.ts'
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
const portionWord = /^(?:פרשת|פ|para?shas?t?)$/u
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
  const gap = gapBefore(text, words, title.to)
  const keyAt = (at: number): string => words[at]?.key ?? ''
  if (!title.isExact || !/^(?:['’]s)?(?:,? | ?\()$/.test(gap)) return undefined
  const isLinked = portionLinks.has(keyAt(title.to))
  const at = isLinked ? title.to + 1 : title.to
  const isMarked = portionWord.test(keyAt(at))
  const from = isMarked ? at + 1 : at
  const to = endOfPortion(read, from)
  if (to === undefined) return undefined
  const end = words[to - 1]?.end ?? title.end
  const isName = /^\p{Lu}/u.test(words[from]?.text ?? '') && (isLinked || title.to - title.from > 1)
  const isJoined = /[,(]/.test(gap) || isName || isInBrackets(text, title.start, end)
  if (!isMarked && !(isJoined && behindPortion.test(text.slice(end, end + 6)))) return undefined
  const name = text.slice(title.start, title.end)
  const asked = `${name}, ${text.slice(words[from]?.start ?? end, end).replace(/[([]/, '')}`
  return { candidate: { start: title.start, end, asked, title: name, mustExist: true }, to }
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
