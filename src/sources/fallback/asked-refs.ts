import { formatRef, type ParsedRef, refReadings } from '../refs/grammar/refs.ts'
import { type ScripturePlace, scripturePlace } from '../refs/grammar/scripture-places.ts'
import { stripControls } from '../text/strip-controls.ts'
import { publisherTitle } from '../vocabulary/titles/publisher-titles.ts'

/** Maximum characters of a ref that is sent to the publisher. */
const longestRef = 150

/**
 * The refs to ask the publisher for, best first, at most two. Empty for a text without a title and a number, because
 * a title alone may be a topic. Of a range, only the beginning is asked for.
 */
export function askedRefs(written: string): readonly string[] {
  const text = stripControls(written).replace(/\s+/g, ' ')
  if (text.length > longestRef) return []
  const scripture = scripturePlace(text)
  const all = refReadings(text)
  if (scripture) return [scriptureRef(scripture, all)]
  const readings = all.filter(({ heading, address }) => address.length > 0 && /\p{L}{2}/u.test(heading))
  const [first] = readings
  if (!first) return []
  const known = readings.flatMap(({ heading, address }) => {
    const title = publisherTitle(heading)
    return title === undefined ? [] : [formatRef({ heading: title, address })]
  })
  // The publisher reads Hebrew numbers itself.
  const own = /[א-ת]/.test(text) ? text : formatRef({ heading: first.heading, address: first.address })
  return [...new Set([...known.slice(0, 1), own])]
}

/** A leaf without a side stands for its first side, because both sides are two sections. */
function scriptureRef(place: ScripturePlace, readings: readonly ParsedRef[]): string {
  const { book, number, side = 'a', verses } = place
  if (book.division === 'chapter') return `${book.english[0]} ${number}${verses ? `:${verses[0]}` : ''}`
  const leaf = `${number}${side}`
  const line = readings.find(({ address }) => address[0] === leaf)?.address[1]
  return `${book.english[0]} ${leaf}${line === undefined ? '' : `:${line}`}`
}
