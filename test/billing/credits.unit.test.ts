import fc from 'fast-check'
import { expect, test } from 'vitest'
import { creditsNumber, creditsText, microsPerCredit, parseCredits } from '../../src/billing/credits.ts'
import { defaultPrice, modelCallMicros } from '../../src/billing/pricing.ts'
import { times } from '../support/full.ts'

const micros = fc.bigInt({ min: 0n, max: 999_999_999_999_999_999n })

test('an amount is written as its shortest exact decimal, with a sign if it is negative, and read again', () => {
  fc.assert(
    fc.property(micros, (amount) => {
      const text = creditsText(amount)
      expect(text).toMatch(/^(0|[1-9]\d*)(\.\d{0,5}[1-9])?$/)
      const [whole = '', fraction = ''] = text.split('.')
      expect(BigInt(whole) * microsPerCredit + BigInt(fraction.padEnd(6, '0'))).toBe(amount)
      expect(parseCredits(text)).toBe(amount)
      if (amount > 0n) expect(creditsText(-amount)).toBe(`-${text}`)
    }),
  )
})

test('as a JSON number an amount prints exactly, up to eight thousand million credits', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 8_000_000_000_000_000n }), (amount) => {
      expect(JSON.stringify(creditsNumber(amount))).toBe(creditsText(amount))
    }),
    { numRuns: times(200, 1_000) },
  )
})

test.each([
  ['0', 0n],
  ['1', 1_000_000n],
  ['1.25', 1_250_000n],
  ['0.000001', 1n],
  [' 007.5 ', 7_500_000n],
  ['999999999999.999999', 999_999_999_999_999_999n],
])('%s is read exactly', (text, amount) => expect(parseCredits(text)).toBe(amount))

test.each([
  '',
  ' ',
  '-1',
  '+1',
  '1.',
  '.5',
  '1.0000001',
  '1e3',
  '1,000',
  '0x10',
  '1 2',
  '1000000000000',
  'NaN',
  '١',
])('%s is no amount', (text) => expect(parseCredits(text)).toBeUndefined())

test('a call costs its tokens at their prices, without rounding', () => {
  const tokens = fc.nat({ max: 10_000_000 })
  fc.assert(
    fc.property(tokens, tokens, (promptTokens, completionTokens) => {
      const cost = modelCallMicros(defaultPrice, { promptTokens, completionTokens })
      expect(cost).toBe(BigInt(promptTokens * 100 + completionTokens * 400))
    }),
  )
})
