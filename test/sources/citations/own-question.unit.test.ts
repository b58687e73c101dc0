import { expect, it } from 'vitest'
import { besidesQuestion } from '../../../src/sources/citations/repeated-words.ts'
import type { VerifiedQuote } from '../../../src/sources/citations/verify.ts'

const question = 'Who said „The river does not hurry”, and where?'
const quoted = (quote: string, more: Partial<VerifiedQuote> = {}): VerifiedQuote => ({
  quote,
  result: 'not_found',
  ...more,
})

it("the user's own words in quotation marks are no quotation of the library", () => {
  expect(besidesQuestion([quoted('the river does not HURRY')], question)).toEqual([])
})

it.each([
  ['other words', quoted('The river does hurry')],
  ['a part of a word', quoted('he river does not hurr')],
  ['what the answer attributes to a place', quoted('The river does not hurry', { ref: 'Rivers 3' })],
  ['what the library has', quoted('The river does not hurry', { result: 'verbatim', found_ref: 'Rivers 4' })],
])('%s stays', (_, quotation) => {
  expect(besidesQuestion([quotation], question)).toEqual([quotation])
})

it.each(['בספר שערי הלבנה', 'שבספר שערי הלבנה', 'ספר שערי הלבנה'])(
  'a name of the question is no quotation, with or without its prefix: %s',
  (written) => {
    const asked = `מה כתוב ${written} על השמחה?`
    expect(besidesQuestion([quoted('ספר שערי הלבנה')], asked)).toEqual([])
    expect(besidesQuestion([quoted('פר שערי הלבנה')], asked)).toHaveLength(1)
  },
)
