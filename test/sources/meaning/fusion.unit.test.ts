import { expect, it } from 'vitest'
import { fuseByMeaning } from '../../../src/sources/search/meaning/fuse-by-meaning.ts'
import { passageRow } from '../../support/passage-row.ts'

const rows = new Map(
  [
    passageRow(1, 'A'),
    passageRow(2, 'B'),
    passageRow(3, 'C'),
    passageRow(4, 'C', 'he'),
    passageRow(5, 'D'),
  ].map((r) => [r.doc_id, r]),
)
const byWords = (...found: readonly (readonly [number, number])[]) =>
  found.flatMap(([doc, place]) => {
    const found = rows.get(doc)
    return found ? [{ row: found, score: 1 / (60 + place) }] : []
  })
const refs = (fused: ReturnType<typeof fuseByMeaning>) => fused.map((found) => found.row.ref)

it('what words and meaning both find stands before what one of them finds', () => {
  const fused = fuseByMeaning(byWords([1, 1], [2, 2]), [5, 2], rows)
  expect(refs(fused)).toEqual(['B', 'A', 'D'])
  expect(fused[0]?.score).toBeCloseTo(1 / 62 + 1 / 62, 12)
})

it('equal scores stand in order of refs, whichever ranking they come from', () => {
  expect(refs(fuseByMeaning(byWords([5, 1]), [1], rows))).toEqual(['A', 'D'])
  expect(refs(fuseByMeaning(byWords([1, 1]), [5], rows))).toEqual(['A', 'D'])
})

it('versions of one passage count once, by the nearest, and take no places from others', () => {
  const fused = fuseByMeaning([], [4, 3, 5], rows)
  expect(fused.map((f) => [f.row.doc_id, f.score])).toEqual([
    [4, 1 / 61],
    [5, 1 / 62],
  ])
})

it('the version that words found is the one shown', () => {
  expect(fuseByMeaning(byWords([3, 1]), [4], rows)[0]?.row.doc_id).toBe(3)
})

it('a document that was removed meanwhile is passed over', () => {
  expect(refs(fuseByMeaning(byWords([1, 1]), [99, 5], rows))).toEqual(['A', 'D'])
})

it('without neighbours the ranking by words stays as it is', () => {
  const words = byWords([1, 1], [2, 2])
  expect(fuseByMeaning(words, [], rows)).toEqual(words)
})
