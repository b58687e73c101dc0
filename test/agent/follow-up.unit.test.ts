import { expect, test } from 'vitest'
import { followsUp, isWithoutSubject, subjectBefore } from '../../src/agent/extractive/requests/follow-up.ts'

test.each([
  'where is he buried?',
  'and what about his students?',
  'what books did he write?',
  'Who taught it?',
  'and his successor?',
  'who said that?',
  'when did they begin?',
  'ומה על תלמידיו?',
  'ומה הספר שלו?',
  'ומה ההבדל בינו לבין צדיק?',
  'ומי היה סבו?',
  'ומתי אומרים אותו?',
  'איפה הוא קבור?',
  'מה הוא כתב?',
  'מי אמר את זה?',
])('%s refers to the question before', (question) => {
  expect(followsUp(question)).toBe('refers')
})

test.each(['and a tish?', 'what about tzimtzum?', 'and what is tzimtzum?', 'ומה זה טיש?', 'ומה ההיפך?'])(
  '%s continues the question before',
  (question) => {
    expect(followsUp(question)).toBe('continues')
  },
)

test.each([
  'Who was the Satmar Rebbe?',
  'Who was Reb Zusha and what did he teach?',
  'What did Rebbe Nachman say about his travels to the Land of Israel?',
  'Is it possible to serve God in joy?',
  'Who said that God dwells where He is let in?',
  'What is this-worldliness?',
  'Why do they call it Chabad and what are the three powers of the mind in the soul of a man?',
  'מה הוא בינוני?',
  'מי הוא החוזה מלובלין?',
  'מי היו תלמידיו של רבי אלימלך?',
  'מה זה תיקון חצות?',
  'מי היה רבי נתן ומה היו ספריו?',
])('%s names its own subject', (question) => {
  expect(followsUp(question)).toBeUndefined()
})

test.each(['explain it more briefly', 'in Hebrew please', 'תסביר שוב בקצרה', 'and shorter?'])(
  '%s asks for another form of the same answer',
  (question) => {
    expect(isWithoutSubject(question)).toBe(true)
  },
)

test('the subject of several follow-ups is that of the last question that names one', () => {
  const earlier = ['What is bittul?', 'Tell me about the Alter Rebbe', 'where is he buried?', 'thanks']
  expect(subjectBefore(earlier, (message) => message === 'thanks')).toBe('Tell me about the Alter Rebbe')
  expect(subjectBefore([], () => false)).toBeUndefined()
})
