import { expect, test } from 'vitest'
import { sourcesFirst } from '../../../src/sources/search/sources-first.ts'
import { passageRow } from '../../support/passage-row.ts'

const found = (work: string, score: number) => ({ row: { ...passageRow(1, work), work }, score })
const works = (ranked: readonly { row: { work: string } }[]) => ranked.map(({ row }) => row.work)

test('a text comes before an article of a reference work that fits as well', () => {
  expect(works(sourcesFirst([found('Concepts of Chassidut', 0.91), found('Tanya', 0.9)]))).toEqual([
    'Tanya',
    'Concepts of Chassidut',
  ])
})

test('an article that fits clearly better stays first', () => {
  const ranked = [found('Concepts of Chassidut', 0.95), found('Tanya', 0.9)]
  expect(works(sourcesFirst(ranked))).toEqual(['Concepts of Chassidut', 'Tanya'])
})
