import { describe, expect, test } from 'vitest'
import { statesRefusal } from '../../src/evaluation/scores/refusals.ts'
import { scoreAnswer } from '../../src/evaluation/scores/score.ts'
import { missedLimits, readLimits } from '../../src/evaluation/scores/thresholds.ts'
import { totalsOf } from '../../src/evaluation/scores/totals.ts'
import { answered, asked, cited, scored } from './answers.ts'

const expecting = asked({ expected: { any: ['Gate 1'], all: [] } })
const none = { ranges: new Map(), namedByQuestion: new Set<string>() }

describe('a refusal', () => {
  test.each([
    'A search of the library found no passage that answers this (no written summary).',
    '"Tanya 99" does not exist in this library; nearest: Tanya 53.',
    'I could not find anything about this in the library.',
    'I can’t give a halachic ruling. Please ask a rabbi.',
    'The library has nothing on this subject.',
    'בחיפוש בספרייה לא נמצא קטע שמשיב על כך.',
    '„תניא פרק צ” אינו קיים בספרייה זו.',
    'איני פוסק הלכה. יש לשאול רב.',
    'אין בספרייה מקורות בעניין זה.',
  ])('is stated by: %s', (text) => {
    expect(statesRefusal(text, [])).toBe(true)
  })

  test.each([
    'A beinoni is one who does not sin in thought, speech or deed.',
    'The Tanya says: “there is no place empty of Him”.',
    '> “such a person does not exist”\n\nThis is the teaching.',
    'Passages from the library. A search found no passage with most words of the question. These have some.',
    'בחיפוש לא נמצא קטע שבו רוב מילות השאלה. כאן נמצאות מקצתן.',
    'הרשב״ם אומר: „אין דבר העומד בפני הרצון”.',
  ])('is not stated by: %s', (text) => {
    expect(statesRefusal(text, [])).toBe(false)
  })

  test('is not stated by a limit that follows a citation', () => {
    const text = 'The Gate teaches patience [1]. The library has nothing more on this.'
    expect(statesRefusal(text, [])).toBe(true)
    expect(statesRefusal(text, [{ start: text.indexOf('[1]') }])).toBe(false)
  })

  test('does not count when the answer cites an expected source', () => {
    const text = '“Gate” is not in this library. An entry tells of it [1].'
    const { outcome, verdict } = scoreAnswer(expecting, answered(text, { sources: [cited('Gate 1')] }), none)
    expect([outcome, verdict]).toEqual(['answered', 'right'])
  })
})

describe('the score of an answer', () => {
  test('has a recall of one when it cites one of the alternatives', () => {
    const question = asked({ expected: { any: ['Gate 1', 'Gate 2'], all: [] } })
    const score = scoreAnswer(question, answered('Yes [1].', { sources: [cited('Gate 2')] }), none)
    expect(score).toMatchObject({ recall: 1, verdict: 'right', outcome: 'answered' })
    expect(score.expected.map(({ found }) => found)).toEqual([false, true])
  })

  test('is partly right when it cites some of the refs of which all are expected', () => {
    const question = asked({ expected: { any: [], all: ['Gate 1', 'Gate 2'] } })
    const score = scoreAnswer(question, answered('Yes [1].', { sources: [cited('Gate 2')] }), none)
    expect(score).toMatchObject({ recall: 0.5, verdict: 'partly' })
  })

  test('counts a passage of an expected chapter as found', () => {
    const question = asked({ expected: { any: ['Gate 1'], all: [] }, forbidden: ['Gate 2'] })
    const ranges = new Map([
      ['Gate 1', { workId: 1, first: 1, last: 5 }],
      ['Gate 1:3', { workId: 1, first: 3, last: 3 }],
      ['Gate 2', { workId: 1, first: 6, last: 9 }],
    ])
    const answer = answered('Yes [1].', { sources: [cited('Gate 1:3')] })
    const score = scoreAnswer(question, answer, { ...none, ranges })
    expect(score).toMatchObject({ recall: 1, forbidden_cited: [] })
  })

  test('is wrong when it cites a forbidden ref beside the expected one', () => {
    const question = asked({ expected: { any: ['Gate 1'], all: [] }, forbidden: ['Gate 9'] })
    const answer = answered('Yes [1][2].', { sources: [cited('Gate 1'), cited('Gate 9')] })
    const score = scoreAnswer(question, answer, none)
    expect(score).toMatchObject({ verdict: 'wrong', forbidden_cited: ['Gate 9'] })
  })

  test('is wrong for an answer without a source where a refusal is due', () => {
    const question = asked({ mustRefuse: true })
    expect(scoreAnswer(question, answered('France won.'), none).verdict).toBe('wrong')
    expect(scoreAnswer(question, answered('There is no such book.'), none).verdict).toBe('right')
  })

  test('counts quotations with and without a source by their result', () => {
    const sources = [cited('Gate 1', 'verbatim', 'fuzzy'), cited('Gate 2', 'paraphrase')]
    const quotations = [{ result: 'not_found' as const, quote: 'x' }]
    expect(scoreAnswer(asked(), answered('A.', { sources, quotations }), none).quotations).toEqual({
      ...{ verbatim: 1, edited: 0, fuzzy: 1, translation: 0, misattributed: 0, not_found: 1 },
    })
  })

  test('leaves out unknown refs that the question itself names', () => {
    const unknown_refs = ['Gate 99', 'Gate 98'].map((ref) => ({ ref, nearest: null }))
    const facts = { ...none, namedByQuestion: new Set(['Gate 99']) }
    expect(scoreAnswer(asked(), answered('A.', { unknown_refs }), facts).unresolved_refs).toEqual(['Gate 98'])
  })
})

describe('totals', () => {
  const totals = totalsOf([
    scored(expecting, answered('A [1].', { sources: [cited('Gate 1', 'verbatim')] }, { took_ms: 100 })),
    scored(expecting, answered('B [1].', { sources: [cited('Gate 2', 'not_found')] }, { took_ms: 300 })),
    scored(asked({ mustRefuse: true }), answered('The library has nothing on it.', {}, { took_ms: 200 })),
    scored(expecting, answered('', {}, { error: { code: 'run_failed', message: 'no' }, took_ms: 9_000 })),
  ])

  test('count a question that failed technically as one whose source was not found', () => {
    expect(totals).toMatchObject({ failed: 1, found: { count: 1, of: 3 }, recall: 1 / 3, asked: 4 })
  })

  test('take times from the questions that ended with an answer', () => {
    expect(totals).toMatchObject({ p50_ms: 200, p95_ms: 300, cost_micros: '20' })
  })

  test('give the share of verified quotations and right refusals', () => {
    expect(totals).toMatchObject({
      verified: { count: 1, of: 2, share: 0.5 },
      rightly_refused: { count: 1, of: 1, share: 1 },
    })
  })

  test('miss only the limits that they are below or above', () => {
    const limits = readLimits(
      (name) => ({ 'min-found': '0.9', 'min-refused': '1', 'max-invented': '0' })[name],
    )
    expect(missedLimits(limits, totals)).toEqual([
      '--min-found 0.9 is missed: questions with their sources found: 0.333.',
    ])
  })

  test('refuse a limit that is no share', () => {
    expect(() => readLimits((name) => (name === 'min-found' ? '80' : undefined))).toThrow(
      '--min-found takes a number from 0 to 1, such as 0.8.',
    )
  })
})
