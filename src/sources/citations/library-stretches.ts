import type { Executor } from '../../db/client.ts'
import { loadPassages, loadRange } from '../library/load-passages.ts'
import type { PassageRow } from '../library/passage-row.ts'
import { headingOf } from '../refs/grammar/refs.ts'
import { resolveRef } from '../refs/ref-lookup.ts'
import type { ComparedPassage, Stretch } from './comparison/stretch.ts'

/**
 * Returns each document between its neighbours of the same version. Documents of a version are numbered in reading
 * order.
 */
export async function neighboursOf(executor: Executor, docs: readonly number[]): Promise<readonly Stretch[]> {
  const rows = await loadPassages(executor, [...new Set(docs.flatMap((doc) => [doc - 1, doc, doc + 1]))])
  return docs.flatMap((doc) => {
    const own = rows.get(doc)
    if (own === undefined) return []
    const around = [rows.get(doc - 1), own, rows.get(doc + 1)]
    const passages = around.filter((row) => row !== undefined && isSameVersion(row, own))
    return [{ passages: passages.flatMap((row) => (row === undefined ? [] : [passageOf(row)])) }]
  })
}

/** Reads the passages at a ref: one stretch per version, with one more passage on either side. */
export async function stretchesAt(executor: Executor, ref: string): Promise<readonly Stretch[]> {
  const place = await resolveRef(executor, ref)
  if (place === undefined) return []
  const meant = await loadRange(executor, place)
  const versions = [...Map.groupBy(meant, versionOf).values()]
  const edges = versions.flatMap((rows) => [firstDoc(rows) - 1, lastDoc(rows) + 1])
  const neighbours = await loadPassages(executor, edges)
  return versions.map((rows) => {
    const [one] = rows
    const beside = (doc: number): readonly PassageRow[] => {
      const row = neighbours.get(doc)
      return row !== undefined && one !== undefined && isSameVersion(row, one) ? [row] : []
    }
    const before = beside(firstDoc(rows) - 1)
    const passages = [...before, ...rows, ...beside(lastDoc(rows) + 1)].map(passageOf)
    return { passages, own: { first: before.length, last: before.length + rows.length - 1 } }
  })
}

function firstDoc(rows: readonly PassageRow[]): number {
  return Math.min(...rows.map(({ doc_id }) => doc_id))
}

function lastDoc(rows: readonly PassageRow[]): number {
  return Math.max(...rows.map(({ doc_id }) => doc_id))
}

function versionOf({ work_id, language, version }: PassageRow): string {
  return JSON.stringify([work_id, language, version])
}

function isSameVersion(a: PassageRow, b: PassageRow): boolean {
  return versionOf(a) === versionOf(b)
}

function passageOf({ ref, he_ref, work, language, version, text }: PassageRow): ComparedPassage {
  return { ref, heRef: he_ref, title: headingOf(ref), work, language, version, text }
}
