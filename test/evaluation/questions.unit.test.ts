import { describe, expect, test } from 'vitest'
import { ServiceError } from '../../src/errors.ts'
import { hashOfQuestions } from '../../src/evaluation/questions/question.ts'
import { readQuestions } from '../../src/evaluation/questions/read-questions.ts'

const lines = (...objects: readonly object[]) => objects.map((object) => JSON.stringify(object)).join('\n')

function problemsOf(text: string): string {
  try {
    readQuestions(text)
  } catch (error) {
    if (error instanceof ServiceError) return error.message
    throw error
  }
  throw new Error('the file was accepted')
}

describe('a file of questions', () => {
  test('is read with a byte order mark, Windows line ends and empty lines', () => {
    const text = `\ufeff${JSON.stringify({ question: 'What is joy?' })}\r\n\r\n${JSON.stringify({ question: 'מהי שמחה?' })}\r\n`
    expect(readQuestions(text)).toMatchObject([
      { line: 1, question: 'What is joy?', language: 'en' },
      { line: 3, question: 'מהי שמחה?', language: 'he' },
    ])
  })

  test('takes a list of expected refs as alternatives, and an object as stated', () => {
    const alternatives = { question: 'a?', expected: ['Gate 1', 'Gate 2'] }
    const stated = { question: 'b?', expected: { any: ['Gate 1'], all: ['Gate 3'] } }
    const [list, both] = readQuestions(lines(alternatives, stated))
    expect(list?.expected).toEqual({ any: ['Gate 1', 'Gate 2'], all: [] })
    expect(both?.expected).toEqual({ any: ['Gate 1'], all: ['Gate 3'] })
  })

  test('gives a question without an id one that depends on its words alone', () => {
    const [first] = readQuestions(lines({ question: 'What is joy?' }))
    const [, second] = readQuestions(lines({ question: 'Other?' }, { question: 'What is joy?' }))
    expect(first?.id).toMatch(/^q-[0-9a-f]{8}$/)
    expect(second?.id).toBe(first?.id)
  })

  test.each([
    ['{"question": "a"', /^line 1: not JSON: .+\. Write one JSON object on the line\.$/m],
    ['["a"]', /line 1: not a JSON object/],
    [lines({ expected: ['Gate 1'] }), /line 1: `question` is missing\. Write the question/],
    [lines({ question: '  ' }), /line 1: `question` has a wrong value/],
    [lines({ question: 'a', must_refuse: 'yes' }), /`must_refuse` has a wrong value\. Write true or false/],
    [lines({ question: 'a', expected: 'Gate 1' }), /`expected` has a wrong value\. Write a list of refs/],
    [lines({ question: 'a', forbiden: [] }), /line 1: unknown field `forbiden`\. Use id, question/],
    [lines({ question: 'a', must_refuse: true, expected: ['Gate 1'] }), /line 1: `must_refuse` is true/],
    [lines({ question: 'a' }, { question: 'b' }, { question: 'a' }), /line 3: `id` \S+ is that of line 1/],
    ['\n\n', /The file has no question/],
  ])('is refused with line, field and remedy: %s', (text, message) => {
    expect(problemsOf(text)).toMatch(message)
  })

  test('lists all wrong lines in one error', () => {
    const message = problemsOf(['{', lines({ question: 'a' }), lines({ question: 1 })].join('\n'))
    expect(message).toMatch(/^2 lines are wrong, so nothing was asked:\nline 1: .+\nline 3: /)
  })
})

test('the hash of questions changes with what they expect, and not with their notes', () => {
  const hash = (object: object) => hashOfQuestions(readQuestions(lines({ question: 'a?', ...object })))
  expect(hash({ note: 'x' })).toBe(hash({}))
  expect(hash({ expected: ['Gate 1'] })).not.toBe(hash({}))
})
