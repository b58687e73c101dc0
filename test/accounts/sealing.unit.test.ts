import { expect, test } from 'vitest'
import { parsePeppers } from '../../src/accounts/keys/pepper.ts'
import { seal, unseal } from '../../src/accounts/keys/sealing.ts'

const old = parsePeppers('the old secret of the service')
const both = parsePeppers('2:the new secret of the service,1:the old secret of the service')
const owner = { purpose: 'totp', accountId: 'acc_1' } as const
const secret = Buffer.from('JBSWY3DPEHPK3PXP')

test('a sealed secret opens with the secret of its version, also after a new one was added', () => {
  expect(unseal(both, owner, seal(old, owner, secret))?.equals(secret)).toBe(true)
  expect(unseal(both, owner, seal(both, owner, secret))?.equals(secret)).toBe(true)
})

test('a sealed secret does not open without its pepper, for another account, or when a byte was changed', () => {
  const sealed = seal(both, owner, secret)
  expect(unseal(old, owner, sealed)).toBeUndefined()
  expect(unseal(parsePeppers('2:a third secret of the service'), owner, sealed)).toBeUndefined()
  expect(unseal(both, { ...owner, accountId: 'acc_2' }, sealed)).toBeUndefined()
  for (let at = 4; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(unseal(both, owner, changed)).toBeUndefined()
  }
})

test('one secret is sealed to other bytes each time, and never holds its text', () => {
  const [one, other] = [seal(old, owner, secret), seal(old, owner, secret)]
  expect(one.equals(other)).toBe(false)
  expect(one.includes(secret)).toBe(false)
})
