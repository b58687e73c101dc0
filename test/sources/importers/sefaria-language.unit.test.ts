import { expect, test } from 'vitest'
import { detectLanguage, isMachineMade } from '../../../src/sources/importers/sefaria/format/language.ts'

const judge = (actualLanguage: string, sample: string, versionTitle = 'Edition') =>
  detectLanguage({ language: 'en', actualLanguage, versionTitle }, sample).language

const spanish = 'La voz de los hombres que pasan por el camino y las noches del alma con una luz en su casa'
const english =
  'The voice of the people that walk to the house and the light of his window is for all that wait'

test.each([
  ['an English text', 'en', english, 'en'],
  ['a Spanish text marked as English', 'en', spanish, 'es'],
  ['a Spanish text marked as Spanish', 'es', spanish, 'es'],
  ['a language that cannot be told from the words', 'cs', 'Hlas lidí kteří jdou', 'cs'],
  ['Yiddish', 'yi', 'דער רבי האט געזאגט', 'yi'],
  ['a Hebrew text marked as English', 'en', 'קול קורא במדבר', 'he'],
  ['an English text marked as Hebrew', 'he', english, 'en'],
  ['English with Hebrew words in it', 'en', `${english} (אור)`, 'en'],
  ['no code at all', '', english, 'en'],
])('%s', (_, marked, sample, expected) => {
  expect(judge(marked, sample)).toBe(expected)
})

test('a code in the title of an older version is believed over "en"', () => {
  expect(judge('en', 'Oui', 'Bible [fr]')).toBe('fr')
})

test('a correction is reported', () => {
  const verdict = detectLanguage({ language: 'en', actualLanguage: 'en', versionTitle: 'x' }, spanish)
  expect(verdict.warning).toContain('stored as "es"')
})

test.each([
  ...['ChatGPT', 'Open Torah Ai', 'AI Draft', 'Gemini 2.5', 'Google Translate'].map((title) => [
    title,
    '',
    true,
  ]),
  ['Draft', 'This translation was generated with the help of AI.', true],
  ['Draft', 'A machine translation, not checked.', true],
  ...['The City of Ai and Jericho', 'Claude Montefiore, 1938', "J'ai lu, Paris 1950"].map((one) => [
    one,
    '',
    false,
  ]),
  ['Press Translation', 'Proofread by hand. Said of the aim.', false],
] as [string, string, boolean][])('that "%s" (%s) is made by a machine: %s', (title, notes, isMade) => {
  expect(isMachineMade(title, notes)).toBe(isMade)
})
