import type { TrustProxy } from '../../config.ts'

/**
 * The setting in the form that Fastify takes. A number becomes a function: Fastify itself trusts no proxy when it is
 * given a bare number.
 */
export function trustedProxies(
  setting: TrustProxy,
): false | string[] | ((address: string, hop: number) => boolean) {
  if (setting === false) return false
  if (typeof setting === 'number') return (_address, hop) => hop < setting
  return [...setting]
}
