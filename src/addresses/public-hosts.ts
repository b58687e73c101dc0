import ipaddr from 'ipaddr.js'

/** Names that only a private network knows: those without a dot, and RFC 6761, 6762 and 8375. */
const privateName = /^[^.]*$|(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa)$/

/** Whether a host, as `URL` writes it, is a name or an address of the public internet. */
export function isPublicHost(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(address)) return isPublicAddress(address)
  return !privateName.test(host.replace(/\.$/, ''))
}

/** Whether an IP address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.process(address).range() === 'unicast'
}
