import { afterEach, expect, test } from 'vitest'
import type { TrustProxy } from '../../src/config.ts'
import type { TestService } from '../support/world/service.ts'
import { useWorld } from '../support/world/world.ts'

let service: TestService | undefined

const world = useWorld({ model: 'built-in' })
afterEach(() => service?.stop())

const attempts = 8
const limit = 3

/** How many of eight requests without a key are answered, and not refused as too many. */
async function answered(trustProxy: TrustProxy, forwardedFor: (n: number) => string): Promise<number> {
  service = await world.start({ trustProxy, invalidKeysPerMinute: limit })
  const statuses: number[] = []
  for (let n = 0; n < attempts; n += 1) {
    const headers = { 'x-forwarded-for': forwardedFor(n) }
    statuses.push((await fetch(`${service.url}/v1/key`, { headers })).status)
  }
  return statuses.filter((status) => status === 401).length
}

test.each<[string, TrustProxy, (n: number) => string, number]>([
  ['no proxy is trusted', false, (n) => `192.0.2.${n}`, limit],
  ['another proxy is trusted', ['10.0.0.0/8'], (n) => `192.0.2.${n}`, limit],
  [
    'the client forges what stands before the address that one proxy adds',
    1,
    (n) => `192.0.2.${n}, 198.51.100.1`,
    limit,
  ],
  ['the same behind a proxy that is named', ['127.0.0.1'], (n) => `192.0.2.${n}, 198.51.100.1`, limit],
  ['one client uses all of its IPv6 network', 1, (n) => `2001:db8:1:2:${n}::${n}`, limit],
  ['clients differ', 1, (n) => `192.0.2.${n}`, attempts],
  ['clients have IPv6 networks of their own', ['loopback'], (n) => `2001:db8:1:${n}::1`, attempts],
  ['two proxies stand in a row', 2, (n) => `203.0.113.9, 192.0.2.${n}, 10.0.0.1`, attempts],
])('limits count clients when %s', async (_when, trustProxy, forwardedFor, expected) => {
  expect(await answered(trustProxy, forwardedFor)).toBe(expected)
})
