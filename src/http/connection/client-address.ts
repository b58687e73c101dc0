import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/** One customer of a provider gets at least a /64 of IPv6 (RFC 6177), and every address in it is theirs to use. */
const ipv6PrefixBits = 64

/**
 * What a client is counted under when no account is known: the IPv4 address, or the /64 network of an IPv6 address such
 * as `2001:db8:1:2::/64`. An IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`) counts as the IPv4 address.
 */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  if (!ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${withoutZone(address.toString())}/${ipv6PrefixBits}`)}/${ipv6PrefixBits}`
}

/** A link-local address names the interface it came by: `fe80::1%eth0`. */
function withoutZone(address: string): string {
  return address.split('%')[0] ?? address
}
