import type { Executor } from '../../db/client.ts'
import { entriesInText } from '../refs/in-text/entries-in-text.ts'
import { findRefs } from '../refs/in-text/find-refs.ts'
import { partsInText } from '../refs/in-text/parts-in-text.ts'
import { TitledText } from '../refs/in-text/titled-text.ts'
import { worksInText } from '../refs/in-text/works-in-text.ts'
import { nearestRefs, nearestUnderTitle } from '../refs/nearest-refs.ts'
import { placesNamed } from '../refs/ref-lookup.ts'
import type { NamedRef, VerifyLookups } from './attribution/named-refs.ts'
import { candidateStretches } from './candidates.ts'
import { readTogether, stretchesAt, type WantedRef } from './library-stretches.ts'

/** Creates the queries that verification sends to this library. */
export function verifyLookups(executor: Executor): VerifyLookups {
  let last = { whole: '', titled: new TitledText(executor, '') }
  const titledText = (whole: string): TitledText => {
    if (last.whole !== whole) last = { whole, titled: new TitledText(executor, whole) }
    return last.titled
  }
  const stretches = readTogether((wanted: readonly WantedRef[]) => stretchesAt(executor, wanted))
  const placeNamed = readTogether((refs: readonly string[]) => placesNamed(executor, refs))
  return {
    async resolveRef(ref, similarTitles) {
      if (await placeNamed(ref)) return { exists: true, nearest: [] }
      const nearest = similarTitles ? nearestRefs : nearestUnderTitle
      return { exists: false, nearest: await nearest(executor, ref) }
    },
    refsIn: (text, options) => namedIn(executor, titledText(text), options),
    worksIn: (text) => worksInText(executor, titledText(text)),
    candidates: (words) => candidateStretches(executor, words),
    stretches: (ref, place) => stretches({ ref, place }),
    isTitle: async (words) => (await placeNamed(words)) !== undefined,
  }
}

async function namedIn(
  executor: Executor,
  text: TitledText,
  options?: { readonly numbersOnly: boolean },
): Promise<readonly NamedRef[]> {
  const found = await findRefs(executor, text, options)
  const held = found.filter(({ outcome }) => outcome !== 'unknown_work')
  const parts = (await partsInText(executor, text, held, options)).filter(
    (part) => !found.some((ref) => ref.start <= part.start && part.start < ref.end),
  )
  // `Work, Kuzari 1` names a part of the stored work, and not the Kuzari.
  const whole = found.filter((ref) => !parts.some(({ start, end }) => start <= ref.start && ref.start < end))
  const entries = await entriesInText(executor, text.text, [...found, ...parts])
  const apart = whole.filter((ref) => !entries.some(({ start, end }) => start < ref.end && ref.start < end))
  return [...apart, ...parts, ...entries].toSorted((a, b) => a.start - b.start)
}
