import type { Executor } from '../../db/client.ts'
import { withDigits } from './grammar/number-words.ts'
import { isPageRef, namesYear, withoutPage } from './grammar/pages.ts'
import { refReadings } from './grammar/refs.ts'
import { type FoundPlace, resolveRefs } from './ref-lookup.ts'

/** What is known of a ref that cannot be placed. If its page is in a chapter that can be, that is the nearest ref. */
export type UnplacedRef = {
  readonly outcome: 'unplaced'
  readonly place?: FoundPlace['place']
  readonly nearest?: readonly string[]
}

/**
 * Returns a missing ref that the library cannot place, because it counts what the library does not. Undefined for others.
 * @throws database errors.
 */
export async function unplacedRef(
  executor: Executor,
  asked: string,
  nearest: readonly string[],
): Promise<UnplacedRef | undefined> {
  if (!isUnplaced(asked, nearest)) return undefined
  const chapter = withoutPage(asked)
  const [within] = chapter === undefined ? [] : await resolveRefs(executor, [chapter])
  const found = within?.found
  return { outcome: 'unplaced', ...(found && { place: found.place, nearest: [found.ref] }) }
}

/** Whether a missing ref counts pages, leaves or years, and the refs nearest to it do not. */
function isUnplaced(asked: string, nearest: readonly string[]): boolean {
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
