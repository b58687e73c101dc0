import { headingKey } from '../../text/heading-keys.ts'
import type { NearestMatch } from './nearest-match.ts'
import type { Stretch } from './stretch.ts'

/** A work that the text names for a quotation, without a place in it. */
export type ClaimedWork = {
  readonly written: string
  /** Titles of the works of the library that it means. Empty if the library does not hold the work. */
  readonly held: readonly string[]
  /** All its names, see `headingKey`. */
  readonly names: readonly string[]
}

/** Whether the passages of a stretch belong to the work. */
export function isOfWork({ passages }: Stretch, { held }: ClaimedWork): boolean {
  return held.includes(passages[0]?.work ?? '')
}

/**
 * Whether a work has the quotation: a passage of it does, or, if the library does not hold the work, a passage whose
 * sentence names it. That one may quote the work.
 */
export function standsInWork({ place, check }: NearestMatch, { held, names }: ClaimedWork): boolean {
  if (held.length > 0) return held.includes(place.first.work ?? '')
  const sentence = headingKey(sentenceOf(place.first.text, check.start ?? 0, check.end ?? 0))
  return names.some((name) => mentions(` ${sentence} `, name))
}

/** Hebrew prefixes of a title in a sentence. */
const prefixed = /(?<= )[ובהלמשכד]{1,3}$/

function mentions(padded: string, name: string): boolean {
  for (let at = padded.indexOf(`${name} `); at >= 0; at = padded.indexOf(`${name} `, at + 1)) {
    const before = padded.slice(Math.max(0, at - 4), at)
    if (before.endsWith(' ') || (/^[א-ת]/.test(name) && prefixed.test(before))) return true
  }
  return false
}

const sentenceEnd = /[.?!׃]["”’)]*\s/gu
const longestSentence = 600

/** The sentences that a range of a text touches. */
function sentenceOf(text: string, start: number, end: number): string {
  const from = Math.max(0, start - longestSentence)
  const ends = [...text.slice(from, start).matchAll(sentenceEnd)].at(-1)
  const behind = text.slice(end, end + longestSentence)
  const next = behind.search(sentenceEnd)
  return text.slice(
    from + (ends ? ends.index + ends[0].length : 0),
    next < 0 ? end + longestSentence : end + next,
  )
}
