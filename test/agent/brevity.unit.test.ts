import { expect, test } from 'vitest'
import { withoutBrevityRequest } from '../../src/agent/extractive/requests/brevity.ts'

test.each([
  ['What is devekut? Briefly', 'What is devekut?'],
  ['briefly explain devekut', 'explain devekut'],
  ['In short, what is devekut?', ', what is devekut?'],
  ['Summarize devekut in two sentences', 'devekut'],
  ['מהי דבקות? בקצרה', 'מהי דבקות?'],
  ['סכם את הערך שמחה בכמה מילים', 'את הערך שמחה'],
  ['Is a short prayer enough?', 'Is a short prayer enough?'],
])('"%s" is searched as "%s"', (question, searched) => {
  expect(withoutBrevityRequest(question)).toBe(searched)
})
