import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { asksForRuling } from '../../src/agent/extractive/rulings.ts'
import { expectLinear } from '../support/growth.ts'

type Case = { readonly question: string; readonly ruling: boolean }

const cases: readonly Case[] = readFileSync('test/agent/rulings.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case)
const questionsOf = (ruling: boolean) =>
  cases.filter((one) => one.ruling === ruling).map(({ question }) => question)

test.each(questionsOf(true))('asks for a ruling or a decision: %s', (question) => {
  expect(asksForRuling(question)).toBe(true)
})

test.each(questionsOf(false))('asks about a teaching: %s', (question) => {
  expect(asksForRuling(question)).toBe(false)
})

test.each([
  ['vowel points', 'הַאִם מוּתָּר לִי לִנְסוֹעַ בְּשַׁבָּת?'],
  ['capital letters', 'AM I ALLOWED TO EAT THIS?'],
])('a request for a ruling is recognised with %s', (_, question) => {
  expect(asksForRuling(question)).toBe(true)
})

test.each(['may I wait after meat or milk ', 'is my pot ', 'how long meat ', 'הדלקתי '])(
  'the time of the recognition is linear in a question of many "%s"',
  async (piece) => {
    await expectLinear((size) => piece.repeat(size / piece.length), asksForRuling, 40_000)
  },
)
