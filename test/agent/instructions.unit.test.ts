import { expect, test } from 'vitest'
import { withoutInstruction } from '../../src/agent/extractive/requests/instructions.ts'

test.each([
  ['Write an essay on devekut', 'devekut'],
  ['Give me five bullet points about devekut', 'devekut'],
  ['Tell me everything you know about the Besht', 'the Besht'],
  ['I have to give a talk about simcha tomorrow, help me', 'simcha'],
  ["Explain like I'm five: what is simcha", ': what is simcha'],
  ['In simple words, what is devekut?', ', what is devekut?'],
  ['תן לי שלושה מקורות על שמחה', 'שמחה'],
  ['כתוב לי דבר תורה על שמחה', 'שמחה'],
  ['מה אתה יכול לספר לי על דבקות', 'דבקות'],
  ['הסבר לילד בן חמש מהי שמחה', 'הסבר מהי שמחה'],
])('"%s" is searched as "%s"', (request, subject) => {
  expect(withoutInstruction(request)).toBe(subject)
})

test.each(['Who wrote the Tanya?', 'What is a dvar torah?', 'explain', 'מי כתב את התניא?', 'מהו דבר תורה?'])(
  '"%s" is searched as it is',
  (question) => {
    expect(withoutInstruction(question)).toBe(question)
  },
)
