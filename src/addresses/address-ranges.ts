import ipaddr from 'ipaddr.js'

/**
 * An address or a range as it is stored, such as `192.0.2.0/24`; a range of IPv4-mapped addresses is that of IPv4.
 * @returns undefined for a text that is neither.
 */
export function readAddressRange(text: string): string | undefined {
  const [address = '', length, ...rest] = text.trim().split('/')
  const isWritten = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
  if (!isWritten || address.includes('%') || rest.length > 0) return undefined
  const read = ipaddr.parse(address)
  const all = read.kind() === 'ipv4' ? 32 : 128
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return undefined
  const bits = length === undefined ? all : Number(length)
  if (bits > all) return undefined
  const mapped = ipaddr.process(address)
  if (mapped.kind() !== read.kind() && bits >= 96) return networkOf(mapped.toString(), bits - 96)
  return networkOf(read.toString(), bits)
}

function networkOf(address: string, bits: number): string {
  const range = `${address}/${bits}`
  const kind = ipaddr.IPv4.isValid(address) ? ipaddr.IPv4 : ipaddr.IPv6
  return `${kind.networkAddressFromCIDR(range)}/${bits}`
}

/** Whether an address is in one of the ranges. `::ffff:192.0.2.1` is 192.0.2.1, which a socket for both families shows so. */
export function isInRanges(ip: string, ranges: readonly string[]): boolean {
  // A link-local address ends with the name of its interface.
  const [plain = ''] = ip.split('%')
  if (!ipaddr.isValid(plain)) return false
  const address = ipaddr.process(plain)
  return ranges.some((range) => {
    const [network, bits] = ipaddr.parseCIDR(range)
    return network.kind() === address.kind() && address.match(network, bits)
  })
}
