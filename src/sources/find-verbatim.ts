import type { Executor } from '../db/client.ts'
import type { FindVerbatim } from './citations/check.ts'
import { fold } from './fold.ts'
import { searchSources } from './search.ts'

/** The beginning of a wording is enough to find its passage; the whole of it is compared. */
const searchedLength = 240
const mostCandidates = 20

/** Looks up the passage of the library that has a folded wording as a contiguous run. */
export function findVerbatimIn(executor: Executor): FindVerbatim {
  return async (folded) => {
    const hits = await searchSources(executor, {
      text: folded.slice(0, searchedLength),
      limit: mostCandidates,
    })
    const found = hits.find((hit) => fold(hit.text).folded.includes(folded))
    return found && { ref: found.ref, text: found.text }
  }
}
