import type { Executor } from '../../db/client.ts'
import { loadPassages, loadRanges, maxRangePassages } from '../library/load-passages.ts'
import type { PassageRow } from '../library/passage-row.ts'
import { headingOf } from '../refs/grammar/refs.ts'
import { type PassageRange, resolveRefs } from '../refs/ref-lookup.ts'
import type { ComparedPassage, Stretch } from './comparison/stretch.ts'

/** Each document between its neighbours of the same version, whose documents are numbered in reading order. */
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

/** A ref whose passages are wanted, with its place if that is known. */
export type WantedRef = { readonly ref: string; readonly place?: PassageRange | undefined }

/** Number of refs per statement. Each may have 60 passages in several versions. */
const batch = 50

/** Returns a function for single reads. What is asked for at the same time is read together. */
export function readTogether<T, R>(
  read: (all: readonly T[]) => Promise<readonly R[]>,
): (one: T) => Promise<R> {
  let asked: T[] = []
  let reading: Promise<readonly R[]> | undefined
  return async (one) => {
    const at = asked.push(one) - 1
    reading ??= Promise.resolve().then(() => {
      const all = asked
      asked = []
      reading = undefined
      return read(all)
    })
    return (await reading)[at] as R
  }
}

/** Reads the passages at refs: one stretch per version, with one more passage on either side. It sends two statements. */
export async function stretchesAt(
  executor: Executor,
  wanted: readonly WantedRef[],
): Promise<readonly (readonly Stretch[])[]> {
  const read: (readonly Stretch[])[] = []
  for (let from = 0; from < wanted.length; from += batch)
    read.push(...(await readBatch(executor, wanted.slice(from, from + batch))))
  return read
}

async function readBatch(
  executor: Executor,
  wanted: readonly WantedRef[],
): Promise<readonly (readonly Stretch[])[]> {
  const open = [...new Set(wanted.flatMap(({ ref, place }) => (place ? [] : [ref])))]
  const resolved = open.length === 0 ? [] : await resolveRefs(executor, open)
  const places = wanted.map(({ ref, place }) => place ?? resolved[open.indexOf(ref)]?.found?.place)
  const rows = await loadRanges(
    executor,
    places.filter((place) => place !== undefined),
  )
  const versions = places.map((place) => [
    ...Map.groupBy(
      rows.filter((row) => place !== undefined && isIn(place, row)),
      versionOf,
    ).values(),
  ])
  const edges = versions.flat().flatMap((own) => [firstDoc(own) - 1, lastDoc(own) + 1])
  const neighbours = edges.length === 0 ? new Map() : await loadPassages(executor, [...new Set(edges)])
  return versions.map((of) => of.map((own) => stretchOf(own, neighbours)))
}

function isIn({ workId, first, last }: PassageRange, { work_id, ordinal }: PassageRow): boolean {
  return work_id === workId && ordinal >= first && ordinal <= Math.min(last, first + maxRangePassages - 1)
}

function stretchOf(rows: readonly PassageRow[], neighbours: ReadonlyMap<number, PassageRow>): Stretch {
  const beside = (doc: number): readonly PassageRow[] => {
    const [row, one] = [neighbours.get(doc), rows[0]]
    return row !== undefined && one !== undefined && isSameVersion(row, one) ? [row] : []
  }
  const before = beside(firstDoc(rows) - 1)
  const passages = [...before, ...rows, ...beside(lastDoc(rows) + 1)].map(passageOf)
  return { passages, own: { first: before.length, last: before.length + rows.length - 1 } }
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
