import { expect, test } from 'vitest'
import { isInRanges, readAddressRange } from '../../src/addresses/address-ranges.ts'

test.each([
  ['203.0.113.7', '203.0.113.7/32'],
  ['203.0.113.7/24', '203.0.113.0/24'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['2001:DB8::1', '2001:db8::1/128'],
  ['2001:db8:1:2:3::/48', '2001:db8:1::/48'],
  ['::ffff:203.0.113.7', '203.0.113.7/32'],
  ['::ffff:203.0.113.7/120', '203.0.113.0/24'],
])('%s is stored as %s', (written, stored) => {
  expect(readAddressRange(written)).toBe(stored)
})

test.each([
  '',
  '10.1',
  '0x7f.0.0.1',
  '010.0.0.1',
  '10.0.0.0/33',
  '::/129',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  'a.example',
  'fe80::1%eth0',
  '10.0.0.0/-1',
])('"%s" is no range', (written) => {
  expect(readAddressRange(written)).toBeUndefined()
})

test.each([
  ['203.0.113.9', true],
  ['::ffff:203.0.113.9', true],
  ['203.0.114.9', false],
  ['2001:db8:0:7::1', true],
  ['2001:db9::1', false],
  ['fe80::1%eth0', true],
  ['not an address', false],
])('%s is allowed: %s', (ip, allowed) => {
  expect(isInRanges(ip, ['203.0.113.0/24', '2001:db8::/48', 'fe80::/10'])).toBe(allowed)
})

test('a range of all IPv4 addresses has none of IPv6', () => {
  expect(isInRanges('2001:db8::1', ['0.0.0.0/0'])).toBe(false)
  expect(isInRanges('203.0.113.1', ['::/0'])).toBe(false)
})
