import { expect, it } from 'vitest'
import { noSignals } from '../../../src/sources/search/scoring/signals.ts'
import { fuseSemantic } from '../../../src/sources/search/semantic/fuse-rankings.ts'
import { passageRow } from '../../support/passage-row.ts'

const passages = [...'ABC'].map((ref, i) => passageRow(i + 1, ref))
const rows = new Map(
  [...passages, passageRow(4, 'C', 'he'), passageRow(5, 'D')].map((row) => [row.doc_id, row] as const),
)
const byWords = (...found: readonly (readonly [doc: number, score: number])[]) =>
  found.flatMap(([doc, score]) => {
    const row = rows.get(doc)
    return row ? [{ row, score, signals: noSignals }] : []
  })
const refs = (fused: ReturnType<typeof fuseSemantic>) => fused.map((found) => found.row.ref)

it('what words and meaning both find comes before what one of them finds', () => {
  const fused = fuseSemantic(byWords([1, 4], [2, 3.8]), [5, 2], rows, () => true)
  expect(refs(fused)).toEqual(['B', 'A', 'D'])
  expect(fused.map(({ score }) => score)).toEqual([0.95 + (0.2 * 5) / 6, 1, 0.2])
})

it('meaning does not overturn a clear order of relevant words', () => {
  expect(refs(fuseSemantic(byWords([1, 4], [2, 2]), [5, 2], rows, () => true))).toEqual(['A', 'B', 'D'])
})

it('meaning decides where words find nothing relevant', () => {
  expect(refs(fuseSemantic(byWords([1, 4], [2, 2]), [5, 2], rows, () => false))).toEqual(['B', 'A', 'D'])
})

it('equal scores are sorted by ref, whichever ranking they come from', () => {
  expect(refs(fuseSemantic(byWords([5, 4]), [1], rows, () => false))).toEqual(['A', 'D'])
  expect(refs(fuseSemantic(byWords([1, 4]), [5], rows, () => false))).toEqual(['A', 'D'])
})

it('versions of one passage count once, by the nearest, and take no places from others', () => {
  const fused = fuseSemantic([], [4, 3, 5], rows, () => false)
  expect(fused.map((f) => [f.row.doc_id, f.score])).toEqual([
    [4, 1],
    [5, 5 / 6],
  ])
})

it('the version that words found is the one shown', () => {
  expect(fuseSemantic(byWords([3, 1]), [4], rows, () => true)[0]?.row.doc_id).toBe(3)
})

it('a document that was removed meanwhile is ignored', () => {
  expect(refs(fuseSemantic(byWords([1, 1]), [99, 5], rows, () => true))).toEqual(['A', 'D'])
})
