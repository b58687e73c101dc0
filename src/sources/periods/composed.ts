/** The years in which a work was written: the first and the last one, negative before the common era. */
export type Years = { readonly from: number; readonly to: number }

/** Bounds of a year. A later one is a slip, or counts from the creation of the world. */
export const yearBounds = { min: -4_000, max: 2_999 }

/** What a field with years must hold. */
export const yearsRule =
  'must be a year such as 1796, or the first and last year such as 1790-1812, in the common era; -500 is 500 BCE'

/** Parses `1796`, `1790-1812`, `-500` or `-500--450`; undefined for anything else. */
export function parseYears(written: string): Years | undefined {
  const [, first, last = first] = /^(-?\d{1,4})(?:\s*[-–]\s*(-?\d{1,4}))?$/.exec(written.trim()) ?? []
  return first === undefined ? undefined : yearsBetween(Number(first), Number(last))
}

/** Undefined if a year is out of bounds, or the first one is after the last one. There is no year 0. */
export function yearsBetween(from: number, to: number): Years | undefined {
  return isYear(from) && isYear(to) && from <= to ? { from, to } : undefined
}

function isYear(year: number): boolean {
  return Number.isInteger(year) && year !== 0 && year >= yearBounds.min && year <= yearBounds.max
}

/** The century of a year: 18 for 1701 to 1800, -5 for 500 to 401 before the common era. */
export function centuryOf(year: number): number {
  return Math.sign(year) * Math.ceil(Math.abs(year) / 100)
}

/** The centuries in which a work was written, in order. */
export function centuriesOf({ from, to }: Years): readonly number[] {
  const [first, last] = [centuryOf(from), centuryOf(to)]
  return Array.from({ length: last - first + 1 }, (_, i) => first + i).filter((century) => century !== 0)
}

export function yearsOfCentury(century: number): Years {
  return century > 0
    ? { from: century * 100 - 99, to: century * 100 }
    : { from: century * 100, to: century * 100 + 99 }
}
