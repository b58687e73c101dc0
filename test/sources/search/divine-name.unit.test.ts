import { expect, test } from 'vitest'
import { parseQuery } from '../../../src/sources/search/expansion/query.ts'

/** The terms of a query's words, in order. */
const termsOf = (text: string): readonly string[] => parseQuery(text).tokens.map(({ term }) => term)

test.each([
  ['אהבת השם', 'יהוה'],
  ['להתקרב להשם', 'ליהוה'],
  ['מה רצון השם ממני', 'יהוה'],
  ['עבודת השם בשמחה', 'יהוה'],
])('"השם" is read as the name of God: %s', (text, term) => {
  expect(termsOf(text)).toContain(term)
})

test.each([
  'מה השם של הספר',
  'משמעות השם חסידות',
  'השם הזה',
  'למה שינו את השם שלו',
  'השם המפורש',
  '"אהבת השם" מי כתב',
])('"השם" is not read as the name of God where it names something else or is quoted: %s', (text) => {
  expect(termsOf(text).some((term) => term.includes('יהוה'))).toBe(false)
})
