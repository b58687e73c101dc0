import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { dangerIn } from '../../src/agent/extractive/danger.ts'
import { createExtractiveProvider } from '../../src/agent/extractive/provider.ts'
import type { ModelRequest } from '../../src/agent/provider.ts'
import { expectLinear } from '../support/growth.ts'

const sentences = readFileSync('test/agent/danger.tsv', 'utf8')
  .trim()
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .map((line) => line.split('\t') as [set: string, kind: string, sentence: string])

const of = (set: string, kind: string) =>
  sentences.filter(([s, k]) => s === set && k === kind).map(([, , sentence]) => sentence)
const recognised = (set: string) => of(set, 'danger').filter((sentence) => dangerIn(sentence)).length

test.each(sentences.filter(([, kind]) => kind === 'calm'))(
  'a question about a text, history or practice is no sign of danger (%s, %s): %s',
  (_, __, sentence) => {
    expect(dangerIn(sentence)).toBeUndefined()
  },
)

// The set "last" tells how well words that nobody has seen are recognised.
test.each([
  ['first', 24, 24],
  ['last', 15, 20],
  ['tuned', 78, 83],
])('danger is recognised in at least as many sentences of the set "%s" as before', (set, least, all) => {
  expect(of(set, 'danger')).toHaveLength(all)
  expect(recognised(set)).toBeGreaterThanOrEqual(least)
})

test.each([
  ['vowel points', 'אֲנִי רוֹצֶה לָמוּת'],
  ['capital letters and curly apostrophes', 'I DON’T WANT TO LIVE ANYMORE'],
])('danger is recognised with %s', (_, sentence) => {
  expect(dangerIn(sentence)).toBe('life')
})

const passage = {
  ...{ mark: '[S1]', ref: 'Likutei Moharan 282:1', heRef: 'ליקוטי מוהר״ן רפב:א', language: 'en', url: '' },
  ...{
    version: 'v',
    license: 'CC0',
    work: 'Likutei Moharan',
    text: 'Look for the good point in every person.',
  },
}

async function answer(question: string, tools: readonly string[] = []): Promise<string> {
  const searched = { id: 'call_1', name: 'search_sources', arguments: '{}' }
  const request: ModelRequest = {
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: '', toolCalls: [searched] },
      { role: 'tool', callId: 'call_1', content: JSON.stringify({ passages: [passage] }) },
    ],
    tools: tools.map((name) => ({ name, description: '', parameters: {} })),
    toolChoice: 'auto',
    sampling: {},
  }
  let text = ''
  await createExtractiveProvider().ask(request, new AbortController().signal, (piece) => {
    text += piece
    return true
  })
  return text
}

test.each([
  ['I want to die.', /emergency number \(for example 112 or 911; in Israel 101, .*1201/],
  ['My husband hits me.', /call the police or your local emergency number/],
  ['אני רוצה למות', /מספר החירום המקומי .*101.*1201/],
  ['בעלי מכה אותי', /להתקשר למשטרה או למספר החירום המקומי/],
])(
  'a message of danger alone, "%s", gets people and emergency services and no passage',
  async (question, words) => {
    const text = await answer(question)
    expect(text).toMatch(words)
    expect(text).not.toContain('[S1]')
  },
)

test('a question beside the danger is answered with passages, after the words that point to people', async () => {
  const text = await answer('I want to die. What does Likutei Moharan say about the good point?')
  expect(text.indexOf('emergency number')).toBeGreaterThan(0)
  expect(text.indexOf('[S1]')).toBeGreaterThan(text.indexOf('emergency number'))
})

test.each(['i want to ', 'my son ', 'he will kill ', 'אני רוצה '])(
  'the time of the recognition is linear in a message of many "%s"',
  async (piece) => {
    await expectLinear((size) => piece.repeat(size / piece.length), dangerIn, 40_000)
  },
)
