import fc from 'fast-check'
import { expect, test } from 'vitest'
import { passagesOf } from '../../src/workspace/passages.ts'

const shown = (text: string) =>
  [...passagesOf(text)].map(({ place, start, end }) => [place, text.slice(start, end)] as const)
const long = (word: string) => `${word} `.repeat(100).trimEnd()

test('a text with page marks is cut by pages', () => {
  expect(shown('one\ftwo\n\nthree\f\ffour')).toEqual([
    ['page 1', 'one\f'],
    ['page 2', 'two\n\nthree\f'],
    ['page 3', '\f'],
    ['page 4', 'four'],
  ])
})

test('any other is cut by paragraphs; short ones stay with the next', () => {
  const text = `# Title\n\n${long('first')}\n\n${long('second')}\n \nend`
  expect(shown(text).map(([place]) => place)).toEqual(['paragraphs 1–2', 'paragraph 3', 'paragraph 4'])
})

test('a long one is cut behind a sentence, and both pieces say where they are from', () => {
  const sentence = `${'word '.repeat(30)}end. `
  const pieces = shown(sentence.repeat(20))
  expect(new Set(pieces.map(([place]) => place))).toEqual(new Set(['paragraph 1']))
  expect(pieces.slice(0, -1).every(([, text]) => text.length <= 2_000 && text.endsWith('end. '))).toBe(true)
})

test('passages follow each other without a gap and are short, whatever the text is', () => {
  const unit = fc.constantFrom(
    'a',
    'ש',
    ' ',
    '\n',
    '\n\n',
    '\f',
    '.',
    '😀',
    '\r\n',
    '\t',
    'word '.repeat(300),
    'x'.repeat(900),
  )
  const text = fc.array(unit, { maxLength: 60 }).map((units) => units.join(''))
  fc.assert(
    fc.property(text, (whole) => {
      const passages = [...passagesOf(whole)]
      expect(passages.map(({ start, end }) => whole.slice(start, end)).join('')).toBe(whole)
      expect(passages.every(({ start, end }) => end > start && end - start <= 2_000)).toBe(true)
      expect(passages.every(({ start, end }) => whole.slice(start, end).isWellFormed())).toBe(true)
    }),
  )
})
