import type { Executor } from '../db/client.ts'
import type { FindVerbatim } from './citations/check.ts'
import type { VerifyLookups } from './citations/verify.ts'
import { fold } from './fold.ts'
import { nearestRefs, nearestUnderTitle } from './nearest-refs.ts'
import { readPassage } from './passages.ts'
import { resolveRef } from './ref-lookup.ts'
import { searchSources } from './search.ts'

/** The beginning of a wording is enough to find its passage; the whole of it is compared. */
const searchedLength = 240
const mostCandidates = 20

/** Looks up the passage of the library that has a folded wording as a contiguous run. */
function findVerbatimIn(executor: Executor): FindVerbatim {
  return async (folded) => {
    const hits = await searchSources(executor, {
      text: folded.slice(0, searchedLength),
      limit: mostCandidates,
    })
    const found = hits.find((hit) => fold(hit.text).folded.includes(folded))
    return found && { ref: found.ref, text: found.text }
  }
}

/** What checking a text asks of this library. */
export function verifyLookups(executor: Executor): VerifyLookups {
  return {
    findVerbatim: findVerbatimIn(executor),
    async resolveRef(ref, similarTitles) {
      if (await resolveRef(executor, ref)) return { exists: true, nearest: [] }
      const nearest = similarTitles ? nearestRefs : nearestUnderTitle
      return { exists: false, nearest: await nearest(executor, ref) }
    },
    async passages(ref) {
      const read = await readPassage(executor, ref, {})
      return 'passages' in read
        ? read.passages.map(({ ref: at, heRef, title, work, text }) => ({
            ref: at,
            heRef,
            title,
            work,
            text,
          }))
        : []
    },
  }
}
