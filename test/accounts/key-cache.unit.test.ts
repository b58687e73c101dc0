import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { KeyCache } from '../../src/accounts/keys/key-cache.ts'
import type { Principal } from '../../src/accounts/principal.ts'

const principal = { accountId: 'a' } as unknown as Principal

let now = 1_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.spyOn(performance, 'now').mockImplementation(() => now)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function pass(ms: number): void {
  now += ms
  vi.advanceTimersByTime(ms)
}

test('a key is known for a second after it was set, and longer when set again', () => {
  const known = new KeyCache()
  known.set('key', principal)
  pass(900)
  expect(known.get('key')).toBe(principal)
  known.set('key', principal)
  pass(900)
  expect(known.get('key')).toBe(principal)
  pass(101)
  expect(known.get('key')).toBeUndefined()
})

test('a key that nobody set is unknown', () => {
  const known = new KeyCache()
  known.set('key', principal)
  expect(known.get('Key')).toBeUndefined()
})

test('10,000 keys are known at most, and the oldest is dropped first', () => {
  const known = new KeyCache()
  for (let n = 0; n <= 10_000; n += 1) known.set(`key ${n}`, principal)
  expect(known.get('key 0')).toBeUndefined()
  expect(known.get('key 1')).toBe(principal)
})
