import { expect, it } from 'vitest'
import { withToolTexts } from '../../../src/sources/citations/repeated-words.ts'
import type { VerifiedQuote } from '../../../src/sources/citations/verify.ts'

const words = 'The river „does” not hurry at night'
const results = [
  '{"note":"x","text":"[{\\"body\\":\\"He says: The river “does” not hurry at night, nor by day.\\"}]"}',
]
const quoted = (quote: string, more: Partial<VerifiedQuote> = {}): VerifiedQuote => ({
  quote,
  result: 'not_found',
  position: 2,
  ...more,
})

it.each([
  ['what the library does not have', quoted(words, { similarity: 0.4 })],
  ['what the library has too', quoted(words, { result: 'verbatim', found_ref: 'Rivers 4' })],
  ['parts around an ellipsis', quoted('The river does … nor by day')],
])('%s is from the tool, if the text names no place for it', (_, check) => {
  expect(withToolTexts([check], results)).toEqual([{ quote: check.quote, result: 'from_tool', position: 2 }])
})

it('what the library lacks at the place that the text names is from the tool, with the place', () => {
  const check = quoted(words, { ref: 'Rivers 4' })
  expect(withToolTexts([check], results)).toEqual([{ ...check, result: 'from_tool' }])
})

it.each([
  ['other words', quoted('The river does hurry at night')],
  ['a part of a word', quoted('he river does not hurry at nigh')],
  ['a part of an ellipsis that no tool gave', quoted('The river does … never by day')],
  ['an ellipsis alone', quoted('…')],
  ['what the library has at the named place', quoted(words, { result: 'verbatim', ref: 'Rivers 4' })],
  ['what the library has elsewhere', quoted(words, { result: 'misattributed', ref: 'Rivers 4' })],
])('%s stays', (_, check) => {
  expect(withToolTexts([check], results)).toEqual([check])
})
