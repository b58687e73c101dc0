import { expect, test } from 'vitest'
import { comparisonPage } from '../../src/evaluation/reports/comparison-page.ts'
import { comparisonLines } from '../../src/evaluation/reports/tables.ts'
import { compareEvaluations, readEvaluation } from '../../src/evaluation/scores/compare.ts'
import type { Evaluation } from '../../src/evaluation/scores/evaluation.ts'
import type { ScoredQuestion } from '../../src/evaluation/scores/scored-question.ts'
import { totalsByLanguage, totalsOf } from '../../src/evaluation/scores/totals.ts'
import { answered, asked, cited, scored } from './answers.ts'

function evaluation(model: string, questions: readonly ScoredQuestion[]): Evaluation {
  return {
    ...{ object: 'evaluation', id: `eval_${model}`, file: 'q.jsonl', model, account: 'a@example.org' },
    ...{ started_at: '2026-01-01T00:00:00.000Z', ended_at: '2026-01-01T00:00:00.000Z', passages: 10 },
    ...{ totals: totalsOf(questions), by_language: totalsByLanguage(questions), questions },
  }
}

const question = (id: string) =>
  asked({ id, question: `Question ${id}?`, expected: { any: ['Gate 1'], all: [] } })
const right = answered('A [1].', { sources: [cited('Gate 1', 'verbatim')] })
const wrong = answered('A [1].', { sources: [cited('Gate 2', 'verbatim')] })
const loose = answered('A [1].', { sources: [cited('Gate 1', 'not_found')] })

const scoredBy = (answers: Readonly<Record<string, typeof right>>) =>
  Object.entries(answers).map(([id, answer]) => scored(question(id), answer))
const a = evaluation('first', scoredBy({ up: wrong, down: right, same: right, looser: right, left: right }))
const b = evaluation('second', scoredBy({ up: right, down: wrong, same: right, looser: loose, new: right }))
const comparison = compareEvaluations(a, b)

test('a comparison says for each common question whether it became better or worse', () => {
  const changes = Object.fromEntries(comparison.questions.map(({ id, change }) => [id, change]))
  expect(changes).toEqual({ up: 'better', down: 'worse', same: 'same', looser: 'worse' })
  expect(comparison).toMatchObject({ better: 1, worse: 2, same: 1, only_a: ['left'], only_b: ['new'] })
})

test('a comparison adds up only the questions that both have asked', () => {
  expect(comparison.a.totals.questions).toBe(4)
  expect(comparison.b.totals.found).toMatchObject({ count: 3, of: 4 })
})

test('the lines of a comparison give differences and reasons', () => {
  const text = comparisonLines(comparison).join('\n')
  expect(text).toContain('1 better, 2 worse, 1 the same in B')
  expect(text).toMatch(/not found +0 +1 +\+1/)
  expect(text).toMatch(/down {2}Question down\? {2}verdict: right → wrong/)
})

test('the page of a comparison lists worse questions first', async () => {
  const page = await comparisonPage(comparison)
  expect(page.indexOf('Question down?')).toBeLessThan(page.indexOf('Question up?'))
  expect(page.indexOf('Question up?')).toBeLessThan(page.indexOf('Question same?'))
})

test('a file that is no report is refused with its name', () => {
  expect(() => readEvaluation('{"object":"list"}', 'x.json')).toThrow(
    /^x\.json is not the report of an evaluation/,
  )
})

test('a report is read back as it was written', () => {
  expect(readEvaluation(JSON.stringify(a), 'a.json')).toEqual(a)
})
