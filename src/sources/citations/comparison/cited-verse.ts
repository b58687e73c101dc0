import {
  citationsIn,
  nearness,
  type ScripturePlace,
  scripturePlace,
} from '../../refs/grammar/scripture-places.ts'
import type { NearestMatch } from './nearest-match.ts'

/** Returns the places of the Bible and the Talmud that a text names for a quotation and that the library does not hold. */
export function unheldVerses(
  named: readonly { readonly ref: string; readonly stretches: readonly unknown[] }[],
): readonly ScripturePlace[] {
  return named.flatMap(({ ref, stretches }) => (stretches.length === 0 ? (scripturePlace(ref) ?? []) : []))
}

/** A citation in brackets directly behind the words: `“Serve God with gladness” (Psalms 100:2)`. */
const bracketBehind = /^["”“'’»׳״.,;:…\s]{0,4}[([]([^()[\]]{2,60})[)\]]/u
/** The last citation before the words in their sentence: `it is written (Psalms 100:2), “Serve God …”`. */
const bracketBefore = /[([]([^()[\]]{2,60})[)\]](?![^()[\]]{0,160}[.?!׃][”"]?\s)[^()[\]]{0,160}$/u
const looked = 240

/**
 * Whether a passage quotes the words from one of these places: it cites the same verses or leaf directly behind the
 * words, or before them in their sentence.
 */
export function isCitedFrom(places: readonly ScripturePlace[], { place, check }: NearestMatch): boolean {
  const { text } = place.first
  if (place.first !== place.last) return false
  const [start, end] = [check.start ?? 0, check.end ?? 0]
  const behind = bracketBehind.exec(text.slice(end, end + looked))?.[0]
  const before = bracketBefore.exec(text.slice(Math.max(0, start - looked), start))
  const written = behind ?? (before ? `(${before[1]})` : '')
  return places.some((asked) =>
    citationsIn(written, asked.book).some((cited) => [0, 1].includes(nearness(cited, asked) ?? 2)),
  )
}
