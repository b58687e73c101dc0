import { isPageRef, isYear } from './pages.ts'
import { joinedIn, numberIn } from './ref-items.ts'
import { formatRef, normalisedRef, refReadings } from './refs.ts'
import { bareText } from './text-words.ts'
import { unitOf } from './units.ts'

/** One token of a ref as it was read. Offsets in UTF-16 units of the normalised ref; `end` is exclusive. */
export type RefToken = {
  readonly start: number
  readonly end: number
  readonly text: string
  /** `name`: a word of a title or a part, unless a reading takes it as a number. */
  readonly kind: 'name' | 'unit' | 'number' | 'side' | 'year'
  /** The unit that the token is or has, as the first column of `units.tsv`. */
  readonly unit?: string
  /** The number that it stands for: `32`, `19b`. */
  readonly value?: string
}

/** How a ref was read: its tokens, and the titles and numbers that were looked up, in this order. */
export type RefTrace = {
  readonly written: string
  /** The ref without a web address, with digits for numbers in words. */
  readonly normalised: string
  readonly tokens: readonly RefToken[]
  /** Empty addresses are whole titles. A page is not looked up. */
  readonly readings: readonly { readonly title: string; readonly address: string; readonly ref: string }[]
  readonly isPage: boolean
}

const token = /[\p{L}\p{N}\p{M}]+(?:["'`׳״’][\p{L}\p{N}\p{M}]+)*['׳]?|[§#¶]/gu

/** Explains how a ref is read, without a look into the library. */
export function explainRef(written: string): RefTrace {
  const normalised = normalisedRef(written)
  const tokens = [...normalised.matchAll(token)].map(({ index, 0: text }) => ({
    start: index,
    end: index + text.length,
    text,
    ...read(text),
  }))
  const readings = refReadings(written).map((reading) => ({
    title: reading.heading,
    address: [reading.address, reading.until ?? []]
      .map((of) => of.join(':'))
      .join('-')
      .replace(/-$/, ''),
    ref: formatRef(reading),
  }))
  return { written, normalised, tokens, readings, isPage: isPageRef(normalised) }
}

function read(text: string): Pick<RefToken, 'kind' | 'unit' | 'value'> {
  const written = bareText(text)
  if (/^ע"[אב]$/.test(written)) return { kind: 'side', value: written.endsWith('א') ? 'a' : 'b' }
  if (isYear(written)) return { kind: 'year', value: written }
  const [joined, joinedValue] = joinedIn(written)
  const unit = joined === 'chapter' ? undefined : unitOf(written.toLowerCase())
  if (unit !== undefined) return { kind: 'unit', unit }
  const value = joined === 'chapter' ? undefined : numberIn(written, true)
  if (value !== undefined) return { kind: 'number', value }
  if (joined === undefined || joinedValue === undefined) return { kind: 'name' }
  return { kind: 'number', unit: joined, value: joinedValue }
}
