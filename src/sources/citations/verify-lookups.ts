import type { Executor } from '../../db/client.ts'
import { findRefs } from '../refs/in-text/find-refs.ts'
import { partsInText } from '../refs/in-text/parts-in-text.ts'
import { nearestRefs, nearestUnderTitle } from '../refs/nearest-refs.ts'
import { resolveRef } from '../refs/ref-lookup.ts'
import type { VerifyLookups } from './attribution/named-refs.ts'
import { candidateStretches } from './candidates.ts'
import { stretchesAt } from './library-stretches.ts'

/** Creates the queries that verification sends to this library. */
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
