import type { NamedParts } from './grammar/numbered-headings.ts'
import type { NumberedPart } from './grammar/numbered-parts.ts'
import { isUnitOf, mayBeOtherUnit } from './grammar/units.ts'
import type { HeadingWithParts } from './numbered-works.ts'

/** Headings that the first parts of a ref name. */
export type HeadingMatch = {
  readonly headings: readonly HeadingWithParts[]
  /** Number of parts that name the heading. The others are numbers below it. */
  readonly taken: number
  /** Whether the ref names the unit of the heading. A weekly portion has none. */
  readonly isSure: boolean
}

/** The units of the numbered parts of a work. */
export function unitsOf(headings: readonly HeadingWithParts[]): ReadonlySet<string> {
  return new Set(headings.flatMap(({ parts }) => parts.flatMap(({ unit }) => unit ?? [])))
}

/**
 * Finds the headings that a ref names by as many of its parts as possible. Units must be equal. If no heading has such
 * a part, the ref may have another unit: `ch. 3` for letter 3.
 */
export function matchHeadings(
  { parts, words }: NamedParts,
  all: readonly HeadingWithParts[],
  units: ReadonlySet<string>,
): HeadingMatch | undefined {
  const headings = all.filter((heading) => words.every((word) => heading.words.has(word)))
  const unit = parts[0]?.unit
  for (const isStrict of [true, false]) {
    const fitsHere = (part: NumberedPart, own: NumberedPart) => fits(part, own, units, isStrict)
    for (let taken = parts.length; taken > 0; taken -= 1) {
      const found = nearestHeadings(headings, parts.slice(0, taken), fitsHere)
      const isGuess = parts.length === 1 && unit === undefined && isLarge(found)
      if (found.length === 0 || isGuess) continue
      return { headings: found, taken, isSure: isStrict && unit !== undefined && unit !== 'portion' }
    }
  }
  return undefined
}

/** Whether headings are whole parts. A single number without a unit names none: `Zohar 1`. */
function isLarge([heading]: readonly HeadingWithParts[]): boolean {
  return isUnitOf(heading?.parts[0]?.unit ?? '', 'large')
}

function fits(part: NumberedPart, own: NumberedPart, units: ReadonlySet<string>, isStrict: boolean): boolean {
  if (part.name !== own.name) return false
  if (part.unit === undefined || part.unit === own.unit) return true
  return (
    !isStrict && (isUnitOf(part.unit, 'counting') || (mayBeOtherUnit(part.unit) && !units.has(part.unit)))
  )
}

type IsSame = (part: NumberedPart, own: NumberedPart) => boolean

/**
 * The headings that have all the parts in their order, with the fewest others before the last one. A heading that ends
 * there precedes those below it.
 */
function nearestHeadings(
  headings: readonly HeadingWithParts[],
  wanted: readonly NumberedPart[],
  isSame: IsSame,
): readonly HeadingWithParts[] {
  const ends = headings.flatMap((heading) => {
    const end = endOfParts(heading.parts, wanted, isSame)
    return end === undefined ? [] : [{ heading, end }]
  })
  const nearest = ends.reduce((least, { end }) => Math.min(least, end), Number.POSITIVE_INFINITY)
  const best = ends.filter(({ end }) => end === nearest)
  const whole = best.filter(({ heading, end }) => heading.parts.length === end)
  return (whole.length > 0 ? whole : best).map(({ heading }) => heading)
}

/** Index after the last of the wanted parts; undefined if one is missing. */
function endOfParts(
  own: readonly NumberedPart[],
  wanted: readonly NumberedPart[],
  isSame: IsSame,
): number | undefined {
  let at = 0
  for (const part of wanted) {
    while (at < own.length && !isSame(part, own[at] as NumberedPart)) at += 1
    if (at === own.length) return undefined
    at += 1
  }
  return at
}

/** Whether a ref numbers the parts of a work, so that a part which they do not have does not exist. */
export function numbersHeadings(
  { parts, words }: NamedParts,
  headings: readonly HeadingWithParts[],
  units: ReadonlySet<string>,
): boolean {
  const unit = parts[0]?.unit
  const isClear = parts.every(
    (part) => part.unit === undefined || isUnitOf(part.unit, 'heads') || units.has(part.unit),
  )
  if (words.length > 0 || !isClear || unit === 'portion') return false
  if (unit !== undefined && units.has(unit)) return true
  if (unit !== undefined && !isUnitOf(unit, 'counting') && !mayBeOtherUnit(unit)) return false
  const numbered = headings
    .flatMap((heading) => heading.parts.slice(0, 1))
    .filter((own) => own.unit !== 'portion')
  return new Set(numbered.map(({ name }) => name)).size > 1
}
