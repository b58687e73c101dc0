import type { Executor } from '../db/client.ts'
import { candidateStretches } from './citations/candidates.ts'
import { stretchesAt } from './citations/library-stretches.ts'
import type { VerifyLookups } from './citations/named-refs.ts'
import { nearestRefs, nearestUnderTitle } from './nearest-refs.ts'
import { resolveRef } from './ref-lookup.ts'
import { findRefs } from './refs/find-refs.ts'
import { partsInText } from './refs/parts-in-text.ts'

/** What checking a text asks of this library. */
export function verifyLookups(executor: Executor): VerifyLookups {
  const ask: VerifyLookups['resolveRef'] = async (ref, similarTitles) => {
    if (await resolveRef(executor, ref)) return { exists: true, nearest: [] }
    const nearest = similarTitles ? nearestRefs : nearestUnderTitle
    return { exists: false, nearest: await nearest(executor, ref) }
  }
  return {
    resolveRef: ask,
    async refsIn(text, options) {
      const found = await findRefs(executor, text, options)
      if (options?.numbersOnly) return found
      const parts = await partsInText(executor, text, found)
      return [...found, ...parts].toSorted((a, b) => a.start - b.start)
    },
    candidates: (words) => candidateStretches(executor, words),
    stretches: (ref) => stretchesAt(executor, ref),
    isTitle: async (words) => (await resolveRef(executor, words)) !== undefined,
  }
}
