import { expect, test } from 'vitest'
import { type AnswerCheck, checkSummary, quotationMarks } from '../../src/web/pages/ask/answer-checks.ts'
import { textsIn } from '../../src/web/texts/catalogue.ts'

const t = textsIn('en')
const exact = { result: 'verbatim', quote: 'he may enter', ref: 'Gate 1:1', id: 'q1' } as AnswerCheck
const lacksNot = { ...exact, id: 'q2', context_warning: { words: 'not', where: 'ellipsis' } } as AnswerCheck

const countsOf = (checks: readonly AnswerCheck[]) =>
  [...`${checkSummary(t, checks, (ref) => ref)}`.matchAll(/<\/span> (\d+) ([^<]+)<\/span>/g)].map(
    ([, count, label]) => `${count} ${label}`,
  )

test('a quotation that lacks a negation is not counted as word for word', () => {
  expect(countsOf([exact, lacksNot])).toEqual(['1 word for word', '1 leaves out words'])
})

test('a quotation that lacks a negation is marked with that in the answer and in the list', () => {
  const [mark] = quotationMarks(t, [lacksNot], (ref) => ref)
  expect(mark).toMatchObject({ kind: 'fuzzy', label: 'leaves out words' })
  expect(`${checkSummary(t, [lacksNot], (ref) => ref)}`).not.toContain('word for word')
})
