import fc from 'fast-check'
import { expect, test } from 'vitest'
import { displayParts, generateKeyText, isKeyText } from '../../src/accounts/keys/key-text.ts'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('a new key has the documented form, and no two are alike', () => {
  const keys = Array.from({ length: 1_000 }, generateKeyText)
  for (const key of keys) {
    expect(key).toMatch(/^svc_[0-9A-Za-z]{49}$/)
    expect(isKeyText(key)).toBe(true)
  }
  expect(new Set(keys).size).toBe(1_000)
})

test('every character of the alphabet is used about equally often', () => {
  const counts = new Map<string, number>()
  for (let n = 0; n < 2_000; n += 1) {
    for (const letter of generateKeyText().slice(4, 47)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  }
  expect([...counts.keys()].toSorted()).toEqual([...base62].toSorted())
  // 86,000 letters: 1,387 of each expected, with a standard deviation of 37.
  for (const count of counts.values()) expect(Math.abs(count - 1_387)).toBeLessThan(260)
})

test('a key that somebody holds stays valid', () => {
  // 2CZclj: CRC-32 of 43 zeros in base62.
  expect(isKeyText(`svc_${'0'.repeat(43)}2CZclj`)).toBe(true)
})

test('any one letter changed, left out, added or swapped with its neighbour is noticed', () => {
  const place = fc.nat({ max: 48 })
  const letter = fc.constantFrom(...base62)
  fc.assert(
    fc.property(place, letter, (at, other) => {
      const key = generateKeyText()
      const i = at + 4
      const changed = key.slice(0, i) + other + key.slice(i + 1)
      expect(isKeyText(changed)).toBe(changed === key)
      expect(isKeyText(key.slice(0, i) + key.slice(i + 1))).toBe(false)
      expect(isKeyText(key.slice(0, i) + other + key.slice(i))).toBe(false)
      const swapped = key.slice(0, i) + key.charAt(i + 1) + key.charAt(i) + key.slice(i + 2)
      expect(isKeyText(swapped)).toBe(swapped === key)
    }),
  )
})

test.each([
  '',
  'svc_',
  'sk-proj-abc',
  'SVC_',
  ` ${generateKeyText()}`,
  `${generateKeyText()}\n`,
  '\0'.repeat(53),
])('%j is no key', (text) => expect(isKeyText(text)).toBe(false))

test('what is shown of a key is its prefix, four letters and the last four', () => {
  const key = generateKeyText()
  const { prefix, lastFour } = displayParts(key)
  expect(prefix).toBe(key.slice(0, 8))
  expect(lastFour).toBe(key.slice(-4))
})
