import { headingKey } from '../../text/heading-keys.ts'
import type { NearestMatch } from './nearest-match.ts'
import type { ClaimedWork, ComparedPassage, Stretch } from './stretch.ts'

/** Whether passages of a stretch belong to the work, or to the part of it that is named. */
export function isOfWork({ passages }: Stretch, claimed: ClaimedWork): boolean {
  return passages.some((passage) => belongs(passage, claimed))
}

function belongs({ work, ref }: ComparedPassage, { held, parts }: ClaimedWork): boolean {
  if (parts.length === 0) return held.includes(work ?? '')
  return parts.some((part) => ref === part || (ref.startsWith(part) && /^[ ,]/.test(ref.slice(part.length))))
}

/**
 * Whether a work has the quotation: a passage of it does, or, if the library does not hold the work, a passage whose
 * sentence names it. That one may quote the work.
 */
export function standsInWork({ place, check }: NearestMatch, claimed: ClaimedWork): boolean {
  const { held, names } = claimed
  if (held.length > 0) return belongs(place.first, claimed)
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
