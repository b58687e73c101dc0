import { refReadings } from '../../refs/grammar/refs.ts'
import { scripturePlace } from '../../refs/grammar/scripture-places.ts'
import { headingKey } from '../../text/heading-keys.ts'
import { namesOfKnownWork } from '../../vocabulary/titles/known-works.ts'
import { otherTitleKeys } from '../../vocabulary/titles/title-groups.ts'
import type { Bracket, PreparedText } from '../quotations/prepare.ts'
import type { Edit, Wording } from './wording.ts'

/**
 * The edits that change the quoted words. What an edition adds to a text in brackets is not among its words: a citation
 * of a known work, a gloss in the other script, a sign, or the other reading of a word.
 */
export function changesIn({ edits }: Wording, passage: PreparedText): readonly Edit[] {
  const brackets = edits.flatMap((edit) => (edit.kind === 'bracket' ? [edit] : []))
  const leftOut = new Set(brackets.map(({ at }) => at.start))
  return edits.filter((edit) => edit.kind !== 'bracket' || !isApparatus(edit.at, passage, leftOut))
}

const hebrew = /[א-ת]/
const latin = /\p{Script=Latin}/u

function isApparatus(bracket: Bracket, passage: PreparedText, leftOut: ReadonlySet<number>): boolean {
  const { padded, offsets, text } = passage
  const folded = padded.slice(bracket.start + 1, bracket.end + 1)
  if (bracket.opener === '{' || /^(?:\p{L}|\d{1,3})$/u.test(folded)) return true
  const before = padded.slice(Math.max(0, bracket.start - 12), bracket.start)
  const isGloss = hebrew.test(folded) ? !latin.test(folded) && latin.test(before) : hebrew.test(before)
  if (isGloss && !(hebrew.test(before) && latin.test(before))) return true
  const written = text.slice(offsets[bracket.start] ?? 0, offsets[bracket.end] ?? 0)
  return isCitation(written.trim()) || isOtherReading(bracket, passage, leftOut)
}

/** Whether words are a place of a work that the vocabulary has: `Psalms 100:2`, `Zohar I, 15a`, `עץ חיים ה, ב`. */
function isCitation(written: string): boolean {
  if (scripturePlace(written) !== undefined) return true
  return refReadings(written).some(({ heading, address }) => {
    const keys = [heading, heading.replace(volume, '')].map(headingKey)
    return address.length > 0 && keys.some((key) => namesOfKnownWork(key) ?? otherTitleKeys(key)[0])
  })
}

/** The volume at the end of a heading. */
const volume = /,? (?:[IVX]{1,4}|ח["״]?[א-ד])$/

/** Whether a bracket of the other kind beside it is quoted: `(…)` is the written form and `[…]` the read form of a word. */
function isOtherReading(bracket: Bracket, { brackets }: PreparedText, leftOut: ReadonlySet<number>): boolean {
  const all = [...brackets.values()].toSorted((a, b) => a.start - b.start)
  const at = all.findIndex(({ start }) => start === bracket.start)
  return [1, -1].some((side) => {
    for (let i = at; ; i += side) {
      const [one, next] = [all[i], all[i + side]]
      if (one === undefined || next === undefined) return false
      const [earlier, later] = side === 1 ? [one, next] : [next, one]
      if (earlier.end + 1 !== later.start) return false
      if (next.opener !== bracket.opener) return !leftOut.has(next.start)
    }
  })
}
