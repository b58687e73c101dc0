import { expect, test } from 'vitest'
import { trustedProxies } from '../../src/app.ts'
import { clientAddress } from '../../src/http/connection/client-address.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['::1', '::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['not an address', 'unknown'],
])('%s is counted under %s', (ip, key) => {
  expect(clientAddress({ ip })).toBe(key)
})

test('a number of hops trusts the nearest proxies and no more', () => {
  const trust = trustedProxies(2)
  if (typeof trust !== 'function') throw new Error('no function')
  expect([0, 1, 2, 3].map((hop) => trust('192.0.2.1', hop))).toEqual([true, true, false, false])
})
