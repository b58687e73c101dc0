import type { TrustProxy } from '../../config.ts'

/**
 * Converts the setting to the form that Fastify takes. A number becomes a function, because Fastify trusts no
 * proxy when it gets a bare number.
 */
export function trustedProxies(
  setting: TrustProxy,
): false | string[] | ((address: string, hop: number) => boolean) {
  if (setting === false) return false
  if (typeof setting === 'number') return (_address, hop) => hop < setting
  return [...setting]
}
