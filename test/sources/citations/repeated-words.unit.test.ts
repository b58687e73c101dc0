import { describe, expect, it } from 'vitest'
import { besidesQuestion, withToolTexts } from '../../../src/sources/citations/repeated-words.ts'
import type { VerifiedQuote } from '../../../src/sources/citations/verify.ts'

const quoted = (quote: string, more: Partial<VerifiedQuote> = {}): VerifiedQuote => ({
  ...{ quote, result: 'not_found', position: 2 },
  ...more,
})

describe("the user's own words in quotation marks", () => {
  const question = 'Who said „The river does not hurry”, and where?'

  it('are no quotation of the library', () => {
    expect(besidesQuestion([quoted('the river does not HURRY')], question)).toEqual([])
  })

  it.each([
    ['other words', quoted('The river does hurry')],
    ['a part of a word', quoted('he river does not hurr')],
    ['what the answer attributes to a place', quoted('The river does not hurry', { ref: 'Rivers 3' })],
    [
      'what the library has',
      quoted('The river does not hurry', { result: 'verbatim', found_ref: 'Rivers 4' }),
    ],
  ])('but %s stays', (_, quotation) => {
    expect(besidesQuestion([quotation], question)).toEqual([quotation])
  })

  it.each(['בספר שערי הלבנה', 'שבספר שערי הלבנה', 'ספר שערי הלבנה'])(
    'may be a name with or without its prefix: %s',
    (written) => {
      const asked = `מה כתוב ${written} על השמחה?`
      expect(besidesQuestion([quoted('ספר שערי הלבנה')], asked)).toEqual([])
      expect(besidesQuestion([quoted('פר שערי הלבנה')], asked)).toHaveLength(1)
    },
  )
})

describe('words of a tool of the client', () => {
  const words = 'The river „does” not hurry at night'
  const results = [
    '{"note":"x","text":"[{\\"body\\":\\"He says: The river “does” not hurry at night, nor by day.\\"}]"}',
  ]

  it.each([
    ['what the library does not have', quoted(words, { similarity: 0.4 })],
    ['what the library has too', quoted(words, { result: 'verbatim', found_ref: 'Rivers 4' })],
    ['parts around an ellipsis', quoted('The river does … nor by day')],
  ])('%s is from the tool, if the text names no place for it', (_, check) => {
    expect(withToolTexts([check], results)).toEqual([
      { quote: check.quote, result: 'from_tool', position: 2 },
    ])
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
})
