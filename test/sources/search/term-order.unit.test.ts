import { expect, test } from 'vitest'
import { orderOf } from '../../../src/sources/index/term-order.ts'
import { randomFrom } from '../../support/random.ts'

test('terms are in the order of their UTF-16 units, whatever letters they have', () => {
  const random = randomFrom(7)
  const letters = [...'abאבת~:', '\u07fd', '\u07fe', '\u07ff', '語', '\ud835', '\udd18']
  const terms = Array.from({ length: 5_000 }, () =>
    Array.from(
      { length: Math.floor(random() * 7) },
      () => letters[Math.floor(random() * letters.length)],
    ).join(''),
  )
  const sorted = [...orderOf(terms)].map((at) => terms[at])
  expect(sorted).toEqual(terms.toSorted())
  expect(new Set(orderOf(terms)).size).toBe(terms.length)
})
