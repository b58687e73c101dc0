import type { Executor } from '../../../db/client.ts'
import type { DocumentRanges } from '../../index/document-ranges.ts'
import { loadRange } from '../../library/load-passages.ts'
import type { PassageRow } from '../../library/passage-row.ts'
import { type ScripturePlace, scripturePlace, scriptureQuery } from '../../refs/grammar/scripture-places.ts'
import type { PassageRange } from '../../refs/ref-lookup.ts'
import { inRanges } from '../scoring/bm25.ts'
import type { FusedHit } from '../scoring/fusion.ts'
import { noSignals } from '../scoring/signals.ts'
import type { Question } from './question.ts'

/** Passages at the places that a query names, each in one version: that in the script of the query. */
export type NamedPassages = {
  /** In reading order, followed by passages that cite a place of the Bible or the Talmud. */
  readonly rows: readonly PassageRow[]
  /** The same passages in all versions. */
  readonly texts: readonly PassageRow[]
  /** Refs of the citing passages. */
  readonly citing: ReadonlySet<string>
  /** Whether the query consists only of a ref. */
  readonly isRef: boolean
}

/** Maximum number of refs per question, and of their passages. */
const maxRefs = 3
const maxRows = 200

/** Finds passages for the refs in a query: the query is a ref, or contains one (`Tanya 32: love of Israel`). */
export async function findNamedPassages(
  executor: Executor,
  question: Question,
  ranges: DocumentRanges | undefined,
): Promise<NamedPassages> {
  const { text } = question
  const place = await question.place()
  const asked = scriptureQuery(text)
  const { places, scripture } = place
    ? { places: [place], scripture: asked ? [asked] : [] }
    : asked
      ? { places: [], scripture: [asked] }
      : await placesWithin(question)
  const hebrew = /[א-ת]/.test(text)
  const byRef = new Map<string, PassageRow>()
  const texts: PassageRow[] = []
  const add = (row: PassageRow, isWhole: boolean): boolean => {
    if (ranges && !inRanges(row.doc_id, ranges)) return false
    const better = !byRef.has(row.ref) || (row.language === 'he') === hebrew
    texts.push(row)
    if (better && (isWhole || byRef.size < maxRows)) byRef.set(row.ref, row)
    return true
  }
  for (const one of places) for (const row of await loadRange(executor, one)) add(row, place !== undefined)
  const citing = new Set<string>()
  for (const one of scripture)
    for (const row of await question.citing(one)) if (add(row, false)) citing.add(row.ref)
  return { rows: [...byRef.values()], texts, citing, isRef: place !== undefined || asked !== undefined }
}

type Within = { readonly places: readonly PassageRange[]; readonly scripture: readonly ScripturePlace[] }

async function placesWithin(question: Question): Promise<Within> {
  if (!question.isShort) return { places: [], scripture: [] }
  const refs = await question.refs()
  return {
    places: refs.flatMap(({ place }) => place ?? []).slice(0, maxRefs),
    scripture: refs.flatMap(({ asked }) => scripturePlace(asked) ?? []).slice(0, maxRefs),
  }
}

/**
 * Puts named passages before hits by words. A query that is a ref has only them, in reading order. In a question, those also
 * found by words come first.
 */
export function addNamedPassages(
  { rows, isRef }: Pick<NamedPassages, 'rows' | 'isRef'>,
  found: readonly FusedHit[],
): readonly FusedHit[] {
  if (rows.length === 0) return found
  const refs = new Set(rows.map((row) => row.ref))
  const rank = new Map(found.map(({ row }, i) => [row.ref, i]))
  const last = found.length
  const inOrder = isRef
    ? rows
    : rows.toSorted((a, b) => (rank.get(a.ref) ?? last) - (rank.get(b.ref) ?? last))
  const named = inOrder.map((row, i): FusedHit => {
    const { signals = noSignals } = found[rank.get(row.ref) ?? last] ?? {}
    return { row, score: 1 + 1 / (i + 1), signals: { ...signals, named: true } }
  })
  return isRef ? named : [...named, ...found.filter(({ row }) => !refs.has(row.ref))]
}
