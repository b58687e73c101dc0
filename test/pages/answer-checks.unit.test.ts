import { expect, test } from 'vitest'
import type { RunEnd } from '../../src/turns/run/run-events.ts'
import { renderMarkdown } from '../../src/web/markdown/markdown.ts'
import { checkSummary, checksOf, quotationMarks } from '../../src/web/pages/ask/answer-checks.ts'
import { textsIn } from '../../src/web/texts/catalogue.ts'

const t = textsIn('en')
const check = (quote: string, position?: number, result = 'verbatim') => ({
  quote,
  result,
  ...(position && { position }),
})
const endWith = (first: object[], second: object[], quotations: object[]) =>
  ({
    sources: [
      { ref: 'Gate 1:1', verification: first },
      { ref: 'Gate 2:1', verification: second },
      { ref: 'Gate 3:1', verification: [{ result: 'paraphrase' }] },
    ],
    quotations,
  }) as unknown as RunEnd

test('quotations are listed in the order of the answer, not by source', () => {
  const end = endWith([check('one', 1), check('four', 4)], [check('three', 3)], [check('two', 2)])
  const checks = checksOf('run', end)
  expect(checks.map(({ quote, ref }) => [quote, ref])).toEqual([
    ['one', 'Gate 1:1'],
    ['two', undefined],
    ['three', 'Gate 2:1'],
    ['four', 'Gate 1:1'],
  ])
  const list = `${checkSummary(t, checks, (ref) => ref)}`
  expect([...list.matchAll(/<q dir="auto">(\w+)</g)].map(([, quote]) => quote)).toEqual([
    'one',
    'two',
    'three',
    'four',
  ])
})

test('quotations of an answer that an earlier version logged are listed by source', () => {
  const end = endWith([check('one'), check('four')], [check('three')], [check('two')])
  expect(checksOf('run', end).map(({ quote }) => quote)).toEqual(['one', 'four', 'three', 'two'])
})

test('the same words quoted twice keep their own results', () => {
  const words = 'the moon was full of fishes'
  const end = endWith([check(words, 2)], [], [check(words, 1, 'not_found')])
  const quotations = quotationMarks(t, checksOf('run', end), (ref) => ref)
  const html = `${renderMarkdown(`He says “${words}”. The book says “${words}” [1].`, { quotations })}`
  expect([...html.matchAll(/class="quoted (\w+)"/g)].map(([, kind]) => kind)).toEqual([
    'not_found',
    'verbatim',
  ])
})
