import { describe, expect, it } from 'vitest'
import { longestRun, quotedPhrases } from '../../../src/sources/search/expansion/phrases.ts'
import { parseQuery } from '../../../src/sources/search/expansion/query.ts'
import { tokenize } from '../../../src/sources/text/tokens.ts'
import { expectLinear } from '../../support/growth.ts'

const phrases = (text: string): readonly string[] => {
  const tokens = tokenize(text)
  return quotedPhrases(text, tokens).map(({ first, last }) =>
    text.slice(tokens[first]?.start, tokens[last]?.end),
  )
}

describe('phrases in quotation marks', () => {
  it.each([
    ['what is "upper unity" here', ['upper unity']],
    ['הסבר ״המוח שליט על הלב״', ['המוח שליט על הלב']],
    ['„one two” and “three four”', ['one two', 'three four']],
    ['הרמב"ם אמר על תלמידי הבעש"ט', []],
    ['"המוח שליט" של הבעש"ט', ['המוח שליט']],
    ['a "single" word', []],
    ['an unclosed "quotation mark', []],
  ])('%s', (text, found) => expect(phrases(text)).toEqual(found))

  it('are never expanded by forms, names or translations', () => {
    const { concepts } = parseQuery('"divine soul" joy')
    const [quoted, others] = [
      concepts.filter((c) => c.position < 2),
      concepts.filter((c) => c.position === 2),
    ]
    expect(quoted.map((c) => [...c.terms.keys()].length)).toEqual([1, 1])
    expect(others.length).toBeGreaterThan(1)
  })

  it.each(['"', '"a ', '" '])('are read in proportion to a text of nothing but %j', async (unit) => {
    await expectLinear((times) => unit.repeat(times), phrases, 20_000)
  })
})

it('the longest run counts content words in the order of the query', () => {
  const asked = tokenize('the mind rules the heart by nature')
  const placed = (text: string) => tokenize(text).map(({ term }, at) => ({ term, at }))
  expect(longestRun(asked)(placed('but the mind rules the heart'))).toBe(3)
  expect(longestRun(asked)(placed('heart rules mind'))).toBe(1)
})
