import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/**
 * A provider gives each customer at least a /64 of IPv6 (RFC 6177). The customer can use every address in it.
 */
const ipv6PrefixBits = 64

/**
 * The key of per-address limits: the IPv4 address, or the /64 network of an IPv6 address such as
 * `2001:db8:1:2::/64`. An IPv4-mapped address (`::ffff:192.0.2.1`) counts as its IPv4 address.
 */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  if (!ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${withoutZone(address.toString())}/${ipv6PrefixBits}`)}/${ipv6PrefixBits}`
}

/** A link-local address ends with the name of its interface: `fe80::1%eth0`. */
function withoutZone(address: string): string {
  return address.split('%')[0] ?? address
}
