import { describe, expect, it } from 'vitest'
import type { ScoredDocument } from '../../../src/sources/search/scoring/bm25.ts'
import { fuse } from '../../../src/sources/search/scoring/fusion.ts'
import { passageRow } from '../../support/passage-row.ts'

const rows = new Map(
  [
    passageRow(1, 'Hebrew only', 'he'),
    passageRow(2, 'English only', 'en'),
    passageRow(3, 'Both', 'he'),
    passageRow(4, 'Both', 'en'),
    passageRow(5, 'Two editions', 'he', 'first'),
    passageRow(6, 'Two editions', 'he', 'second'),
    passageRow(7, 'Another', 'he'),
  ].map((r) => [r.doc_id, r]),
)
const list = (unit: number, ...found: readonly (readonly [doc: number, score: number])[]) => ({
  ranked: found.map(([doc, score]): ScoredDocument => ({ doc, score })),
  unit,
})
const refs = (...lists: readonly ReturnType<typeof list>[]) => fuse(lists, rows).map((found) => found.row.ref)

describe('one ranking out of both scripts', () => {
  it('a better place in one script leads a place that fits less in both', () => {
    expect(refs(list(1, [1, 10], [3, 9.5]), list(1, [4, 9.5]))).toEqual(['Hebrew only', 'Both'])
    expect(refs(list(1, [3, 9.5]), list(1, [2, 10], [4, 9.5]))).toEqual(['English only', 'Both'])
  })

  it('of equal places the one with a second script leads', () => {
    expect(refs(list(1, [7, 10], [3, 10]), list(1, [4, 3]))).toEqual(['Both', 'Another'])
  })

  it('a second edition in one script adds nothing', () => {
    const fused = fuse([list(1, [5, 10], [7, 10], [6, 10])], rows)
    expect(fused.map((found) => [found.row.doc_id, found.score])).toEqual([
      [7, 10 / 11],
      [5, 10 / 11],
    ])
  })

  it('a list of weak hits in one script does not lead by its ranks', () => {
    expect(refs(list(1, [2, 1]), list(1, [1, 10], [3, 9], [7, 8]))[3]).toBe('English only')
  })

  it('scores of a small and a large collection are measured in their own units', () => {
    expect(refs(list(8, [1, 16]), list(4, [2, 12]))).toEqual(['English only', 'Hebrew only'])
  })

  it('the version that fits best is shown, of equal ones that of the first list', () => {
    expect(fuse([list(1, [3, 5]), list(1, [4, 6])], rows)[0]?.row.doc_id).toBe(4)
    expect(fuse([list(1, [4, 5]), list(1, [3, 5])], rows)[0]?.row.doc_id).toBe(4)
  })

  it('a document that was removed meanwhile is passed over', () => {
    expect(refs(list(1, [99, 5], [1, 1]))).toEqual(['Hebrew only'])
  })

  it('scripts in which nothing was found leave the ranking as it is', () => {
    expect(refs(list(1), list(1, [2, 2]))).toEqual(['English only'])
    expect(fuse([], rows)).toEqual([])
  })
})
