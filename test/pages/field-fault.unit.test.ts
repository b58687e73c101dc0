import { expect, test } from 'vitest'
import { z } from 'zod'
import { usageDay } from '../../src/billing/usage/usage-span.ts'
import { ServiceError } from '../../src/errors.ts'
import { manyTexts, readFields } from '../../src/web/components/forms.ts'
import { textsIn } from '../../src/web/texts/catalogue.ts'

const he = textsIn('he')

function refusalOf(schema: z.ZodType, value: unknown): string {
  try {
    readFields(z.object({ name: schema }), { name: value })
  } catch (error) {
    if (error instanceof ServiceError) return error.message
  }
  return ''
}

test.each<[string, z.ZodType, unknown, string, string]>([
  ['missing', z.string(), undefined, 'it is missing', 'הוא חסר'],
  ['sent twice', z.string(), ['a', 'b'], 'it is wrong', 'אי אפשר לקרוא את הערך שבו'],
  [
    'too long',
    z.string().max(2_000),
    'a'.repeat(2_001),
    'it has more than 2,000 characters',
    'יש בו יותר מ־2,000 תווים',
  ],
  ['empty', z.string().min(1), '', 'it is empty', 'הוא ריק'],
  [
    'none of the choices',
    z.enum(['md', 'pdf']),
    'rtf',
    'it must be one of: md, pdf',
    'הערך שבו אינו אחד מן האפשריים',
  ],
  ['no number', z.coerce.number().int(), 'x', 'it must be a whole number', 'יש לכתוב בו מספר שלם'],
  ['half a number', z.coerce.number().int(), '1.5', 'it must be a whole number', 'יש לכתוב בו מספר שלם'],
  ['too large', z.coerce.number().max(10), '11', 'it must be at most 10', 'המספר המרבי הוא 10'],
  ['too small', z.coerce.number().min(1), '0', 'it must be at least 1', 'המספר המזערי הוא 1'],
  ['badly written', z.string().regex(/^\d+$/), 'x', 'it is wrong', 'אי אפשר לקרוא את הערך שבו'],
  ['no day', usageDay, 'x', 'must be a day such as 2026-11-21 (UTC)', 'כותבים בו יום כגון 2026-11-21 (UTC)'],
  ['too many boxes', manyTexts, Array(101).fill('a'), 'at most 100 items', 'לכל היותר 100 ערכים'],
])('a field that is %s says so in English and in Hebrew', (_what, schema, value, english, hebrew) => {
  const refusal = refusalOf(schema, value)
  expect(refusal).toBe(`The field "name" is not valid: ${english}.`)
  expect(he.translate(refusal)).toBe(`השדה ”שם” אינו תקין: ${hebrew}.`)
})
