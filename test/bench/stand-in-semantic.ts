import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Executor } from '../../src/db/client.ts'
import type { SemanticSearch } from '../../src/sources/search/semantic/semantic-search.ts'
import { randomFrom } from '../support/random.ts'

/**
 * A semantic search that is made up, to tune the fusion with the search by words for models of any quality: no model
 * is at hand where the tests run. It knows the wanted refs of a question. With probability `recall` it puts one of their
 * passages among the nearest: first in half of these cases, second in a quarter, and so on to the tenth place. All other places have passages drawn from the library.
 * A question without a wanted ref gets drawn passages only. Everything is drawn from a hash of the question.
 */
export type StandInSemantic = {
  knowing(wanted: readonly string[]): SemanticSearch
}

const nearestCount = 50
const lastPlace = 9

export async function standInSemantic(executor: Executor, recall: number): Promise<StandInSemantic> {
  const { rows } = await executor.execute<{ doc_id: number; ref: string }>(sql`
    select t.doc_id, p.ref from passage_texts t join passages p on p.id = t.passage_id order by t.doc_id`)
  return {
    knowing: (wanted) => ({
      async nearest(text) {
        const random = randomFrom(createHash('sha256').update(text).digest().readInt32LE())
        const drawn = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)]
        const good = rows.filter(({ ref }) => wanted.some((one) => isWithin(ref, one)))
        const nearest = Array.from({ length: nearestCount }, () => drawn(rows)?.doc_id ?? 0)
        const place = Math.min(lastPlace, Math.floor(-Math.log2(1 - random())))
        const found = drawn(good)
        if (found && random() < recall) nearest[place] = found.doc_id
        return [...new Set(nearest)]
      },
    }),
  }
}

/** Whether a ref is another or a part of it. */
export function isWithin(ref: string, wanted: string): boolean {
  return ref === wanted || (ref.startsWith(wanted) && /^[:. ]/.test(ref.slice(wanted.length)))
}
