import { expect, test } from 'vitest'
import { answerToSmallTalk, smallTalk } from '../../src/agent/extractive/small-talk.ts'

test.each([
  ['hi', 'greeting'],
  ['Shalom!', 'greeting'],
  ['שלום עליכם', 'greeting'],
  ['גוט שבת', 'greeting'],
  ['thanks!', 'thanks'],
  ['Thank you so much', 'thanks'],
  ['תודה רבה!', 'thanks'],
  ['ok great', 'thanks'],
  ['who are you?', 'service'],
  ['Hi, what can you do?', 'service'],
  ['שלום, מי אתה ומה אתה יודע לעשות?', 'service'],
  ['What texts do you have?', 'works'],
  ['which seforim are in the library', 'works'],
  ['אילו ספרים יש לכם בספרייה', 'works'],
  ['מה יש בספרייה?', 'works'],
] as const)('%s is recognised as %s', (message, kind) => {
  expect(smallTalk(message)).toBe(kind)
})

test.each([
  'What does shalom mean in Chassidut?',
  'What books did Rebbe Nachman write?',
  'which books speak of joy?',
  'Thank God for everything: what is gratitude?',
  'hello in Yiddish, where does it come from?',
  'מהו שלום בית?',
  'אילו ספרים כתב רבי נתן?',
  "מי אתה ה' לפי התניא בהסבר ארוך מאוד שאיננו שאלה על השירות הזה אלא על הבורא יתברך ועל ידיעתו",
  'how do I work on joy?',
])('%s is a question to the library', (message) => {
  expect(smallTalk(message)).toBeUndefined()
})

test('a question for the works is answered with their titles in the language of the question', () => {
  const works = [
    { title: 'Concepts', heTitle: 'מושגים' },
    { title: 'Letters', heTitle: '' },
  ]
  expect(answerToSmallTalk('works', 'What texts do you have?', { works })).toBe(
    'The library holds these works (2):\n- Concepts\n- Letters',
  )
  expect(answerToSmallTalk('works', 'אילו ספרים יש לכם?', { works })).toContain('- מושגים\n- Letters')
})

test('a long list of works is cut and says so', () => {
  const works = Array.from({ length: 30 }, (_, i) => ({ title: `Work ${i}`, heTitle: '' }))
  const text = answerToSmallTalk('works', 'What texts do you have?', { works })
  expect(text.match(/^- /gm)).toHaveLength(20)
  expect(text).toMatch(/ \(30\):[\s\S]*lists all\.$/)
})

test('an outage of the library is said instead of its works', () => {
  const listed = { unavailable: 'The library does not answer.' }
  expect(answerToSmallTalk('works', 'What texts do you have?', listed)).toBe(listed.unavailable)
})

test.each([
  'what do you know about joy?',
  'help me understand bittul',
  'מה אתה יודע על שמחה?',
  'מה אתה יכול לספר לי על דבקות?',
])('%s asks about a subject', (question) => {
  expect(smallTalk(question)).toBeUndefined()
})
