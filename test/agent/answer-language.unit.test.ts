import { expect, test } from 'vitest'
import { languageOfAnswer, withoutLanguageRequest } from '../../src/agent/extractive/language.ts'

test.each([
  ['What is bittul?', 'en'],
  ['What does ביטול mean?', 'en'],
  ['מהו ביטול?', 'he'],
  ['מה זה bittul', 'he'],
  ['אתכפיא', 'he'],
  ['can you say that in Hebrew?', 'he'],
  ['In Hebrew, please', 'he'],
  ['What is devekut? Briefly, in Hebrew', 'he'],
  ['What is devekut in Hebrew?', 'en'],
  ['Was the Tanya written in Hebrew?', 'en'],
  ['מהי דבקות? בקצרה, באנגלית', 'en'],
  ['תרגם לי לאנגלית את הערך על כעס', 'en'],
  ['באנגלית בבקשה', 'en'],
  ['האם התניא נכתב באנגלית?', 'he'],
  ['Translate into English: מה זה אתערותא דלתתא', 'en'],
] as const)('the answer to "%s" is in %s', (question, language) => {
  expect(languageOfAnswer(question)).toBe(language)
})

test('a request for a language is no search term', () => {
  expect(withoutLanguageRequest('Translate into English: מה זה אתערותא')).toBe('Translate : מה זה אתערותא')
  expect(withoutLanguageRequest('explain bittul in Hebrew')).toBe('explain bittul')
  expect(withoutLanguageRequest('Was the Tanya written in Hebrew?')).toBe('Was the Tanya written in Hebrew?')
})
