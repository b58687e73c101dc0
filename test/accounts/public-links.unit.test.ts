import { expect, test } from 'vitest'
import { parsePeppers } from '../../src/accounts/keys/pepper.ts'
import { linkDigest, linkToken, newLink } from '../../src/accounts/public-links/link-token.ts'
import { tokenDigest } from '../../src/accounts/sign-in/token-digest.ts'

const old = parsePeppers('1:the first secret of this test')

test('the owner gets the token of a link again, and its digest finds the link', () => {
  const link = newLink(old)
  const token = linkToken(old, link) ?? ''
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(linkDigest(token)).toEqual(link.digest)
})

test('two links have different tokens', () => {
  expect(newLink(old).digest).not.toEqual(newLink(old).digest)
})

test('what the database stores does not give the token without the secret', () => {
  const other = parsePeppers('a secret of somebody else')
  expect(linkToken(other, newLink(old))).toBeUndefined()
})

test('a token of an earlier version is found, but not shown', () => {
  for (const token of ['a'.repeat(32), `${'b-_'.repeat(14)}c`]) {
    expect(linkDigest(token)).toEqual(tokenDigest(token))
    expect(linkToken(old, { digest: tokenDigest(token), seed: null })).toBeUndefined()
  }
})

test('a link survives a change of KEY_PEPPER while the old secret is listed', () => {
  const changed = parsePeppers('2:another secret that is long,1:the first one that is long')
  const before = parsePeppers('1:the first one that is long')
  const link = newLink(before)
  expect(linkToken(changed, link)).toBe(linkToken(before, link))
  expect(linkToken(parsePeppers('2:another secret that is long'), link)).toBeUndefined()
})

test.each(['', 'x', 'a'.repeat(31), 'a'.repeat(44), `${'a'.repeat(31)} `, '%00'])(
  '%j has no digest',
  (text) => {
    expect(linkDigest(text)).toBeUndefined()
  },
)
