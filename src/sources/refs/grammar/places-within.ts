import { formatRef, headingOf, parseRef, sectionOf } from './refs.ts'
import { innerUnit, isUnitOf } from './units.ts'

/**
 * The refs that a short one can mean, most likely first: a place below the outer ref, or beside it. After `Genesis
 * 1:3`, `verse 5` is beside it.
 * @param short the number with its unit; see `innerUnit`.
 * @param ref the outer ref in the library's spelling.
 * @param isSame whether the last number of the outer ref has the same unit: then the places are beside each other.
 */
export function refsWithin(
  short: { readonly written: string; readonly unit: string },
  ref: string,
  isSame: boolean,
): readonly string[] {
  const { address, until } = parseRef(`x ${short.written}`)
  if (address.length === 0) return []
  const numbers = formatRef({ heading: '', address, ...(until && { until }) }).trim()
  const first = ref.replace(range, '')
  const place = (above: string): string =>
    short.unit === 'piece'
      ? `${above} §${numbers}`
      : `${above}${headingOf(above) === above ? ' ' : ':'}${numbers}`
  if (isSame) return [place(sectionOf(first))]
  const beside = levelsAbove(first).map(place)
  const below = first === ref ? [place(ref)] : []
  return [...below, ...(isUnitOf(short.unit, 'coarse') ? beside.toReversed() : beside)]
}

/** Matches the end of a range in a stored ref. */
const range = /-[\d:.a-d]+$/

/** The refs above a place that have a number, deepest first. */
function levelsAbove(ref: string): readonly string[] {
  const above = sectionOf(ref)
  return above === ref || headingOf(above) === above ? [] : [above, ...levelsAbove(above)]
}

/** The unit of the last number of a ref, if it is one below a chapter and stands before the number. */
export function lastUnit(written: string): string | undefined {
  const [number = '', unit = ''] = written
    .trim()
    .split(/[\s.,:;()]+/)
    .filter((word) => word !== '')
    .toReversed()
  return /^[§#¶]/.test(number) ? innerUnit(number.charAt(0)) : innerUnit(unit.toLowerCase())
}
