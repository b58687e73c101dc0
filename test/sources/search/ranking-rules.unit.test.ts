import { expect, test } from 'vitest'
import { parseQuery } from '../../../src/sources/search/expansion/query.ts'
import { rankByRules } from '../../../src/sources/search/ranking-rules.ts'
import { noSignals } from '../../../src/sources/search/scoring/signals.ts'
import { passageRow } from '../../support/passage-row.ts'

const rows = new Map(
  [
    { ...passageRow(1, 'Joy 1'), work: 'Concepts of Chassidut' },
    { ...passageRow(2, 'Tanya 26'), work: 'Tanya' },
  ].map((row) => [row.doc_id, row]),
)
const rank = (article: number, text: number, more: Partial<Parameters<typeof rankByRules>[0]> = {}) =>
  rankByRules({
    lists: [
      {
        unit: 1,
        ranked: [
          { doc: 1, score: article },
          { doc: 2, score: text },
        ],
      },
    ],
    nearest: [],
    rows,
    isRelevant: () => true,
    source: undefined,
    query: parseQuery('joy'),
    concepts: [],
    wordsIn: () => [],
    named: { rows: [], texts: [], citing: new Set(), isRef: false },
    ...more,
  })
const refs = ({ hits }: ReturnType<typeof rankByRules>) => hits.map(({ row }) => row.ref)

test('a text comes before an article of a reference work that fits as well', () => {
  expect(refs(rank(9.1, 9))).toEqual(['Tanya 26', 'Joy 1'])
})

test('an article that fits clearly better stays first', () => {
  expect(refs(rank(19, 9))).toEqual(['Joy 1', 'Tanya 26'])
})

test('a query that is a ref has the passages at the ref only', () => {
  const [, named] = rows.values()
  const found = rank(19, 9, {
    named: { rows: named ? [named] : [], texts: [], citing: new Set(), isRef: true },
  })
  expect(refs(found)).toEqual(['Tanya 26'])
  expect(found.hits[0]?.signals.named).toBe(true)
})

test('a ranking names the rules that moved a hit, in their order', () => {
  const steps = rank(9.1, 9).stepsOf('Joy 1')
  expect(steps.map(({ rule, rank: at }) => [rule, at])).toEqual([
    ['words', 1],
    ['reference', 2],
  ])
})

/** An article `joy`, and a query whose first word has its term. */
const asking = (text: string) => {
  const query = parseQuery(text)
  const [concept] = query.concepts.filter(({ terms }) => terms.has('joy'))
  const found = concept && { concept, terms: new Map([['joy', 1]]), documents: 1, postings: 1 }
  const ranked = [
    { doc: 2, score: 9 },
    { doc: 1, score: 3, signals: { ...noSignals, bm25: 3, titled: true as const } },
  ]
  return rank(3, 9, { query, concepts: found ? [found] : [], lists: [{ unit: 1, ranked }] })
}

test.each(['When was Joy first printed?', 'Who wrote Joy?', 'Compare joy'])(
  'a question about an article as such finds it first: %s',
  (text) => {
    expect(refs(asking(text))).toEqual(['Joy 1', 'Tanya 26'])
    expect(asking(text).hits[0]?.signals.entry).toBe(true)
  },
)

test('a question with another subject than an article leaves the text first', () => {
  expect(refs(asking('Why does joy defeat the enemy?'))).toEqual(['Tanya 26', 'Joy 1'])
})
