import { hebrewNumber } from '../../text/hebrew-numbers.ts'
import { isPageRef } from '../grammar/pages.ts'
import { type AddressPart, trimHeading } from '../grammar/ref-parts.ts'
import { normalisedRef } from '../grammar/refs.ts'
import { type NamedParts, namedParts } from './numbered-headings.ts'

/** A ref cut into the title of a work and the parts behind it. */
export type TitleSplit = {
  readonly title: string
  /** The readings of the parts, likeliest first. */
  readonly named: readonly NamedParts[]
  /** The last number of a range. */
  readonly until: AddressPart | undefined
}

/** Maximum number of words that are tried as the title of a work, so that hostile input stays cheap. */
const maxTitleWords = 14

/** Matches the end of a range: `1:2-3`, `א-ג`. */
const range = /(?<=[\d'"א-ת])\s?[-–—]\s?(\d{1,4}[a-d]?|[א-ת]{1,3}["']?[א-ת]?'?)$/u

/** Matches the characters of titles and numbers. Other characters show that a text is no ref. */
const refCharacters = /^[\p{L}\p{N}\p{M}\s.,:;'"`´׳״‘’“”„()[\]§#¶&–—־-]*$/u

/** All ways to cut a ref before its first part, longest title first. Empty for a ref without a number or portion. */
export function titleSplits(ref: string): readonly TitleSplit[] {
  const text = normalisedRef(ref)
  if (!refCharacters.test(text) || isPageRef(text)) return []
  const found = range.exec(text)
  const until = found?.[1] === undefined ? undefined : numberIn(found[1])
  const written = found && until !== undefined ? text.slice(0, found.index) : text
  return [...written.matchAll(/\S+/gu)]
    .slice(0, maxTitleWords)
    .map(({ index, 0: word }) => {
      const end = index + word.length
      return { title: trimHeading(written.slice(0, end)), named: namedParts(written.slice(end)), until }
    })
    .filter(({ title, named }) => title !== '' && named.length > 0)
    .reverse()
}

function numberIn(written: string): AddressPart | undefined {
  return /^\d/.test(written) ? written : hebrewNumber(written)?.toString()
}
