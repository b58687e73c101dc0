import { withDigits } from './grammar/number-words.ts'
import { isPageRef, namesYear } from './grammar/pages.ts'
import { refReadings } from './grammar/refs.ts'

/** Whether a missing ref counts pages, leaves or years, and the refs nearest to it do not. */
export function isUnplaced(asked: string, nearest: readonly string[]): boolean {
  const text = withDigits(asked)
  if (isPageRef(text) || (namesYear(text) && !nearest.some(namesYear))) return true
  const readings = refReadings(asked)
  const hasSide = readings.some(
    ({ heading, address, isLeaf }) =>
      isLeaf ||
      // `כג, ג` may be leaf 23 with a side, but also a chapter and a verse; then it is a place of any work.
      (address.some((part) => /[a-d]$/.test(part)) &&
        !readings.some((other) => other.heading === heading && other.address.length > address.length)),
  )
  return hasSide && !nearest.some((ref) => /\d[a-d](?![\p{L}\d])/u.test(ref))
}
