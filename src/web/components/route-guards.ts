import type { RouteOptions } from 'fastify'

/**
 * Who may open a page. The hook in `plugin.ts` enforces it. It refuses to start with a route that has no guard, and
 * with one that changes something of an account and names no role.
 */

/** Everybody, signed in or not. */
export const openToAll = { config: { scope: 'page', page: 'anyone' } } as const

/** Accounts, to read what every member may. Others are sent to `/signin`. */
export const accountsOnly = { config: { scope: 'page', page: 'account' } } as const

/** Members of the account that may work in it: all but viewers. */
export const membersOnly = { config: { scope: 'page', page: 'account', role: 'member' } } as const

/** Members of the account that may change it and its members. */
export const adminsOnly = { config: { scope: 'page', page: 'account', role: 'admin' } } as const

/** Accounts, for what belongs to the person and not to the account acted for. Use `visitorOf(request).person`. */
export const ownPerson = { config: { scope: 'page', page: 'account', role: 'person' } } as const

/** Accounts of operators. For others the page does not exist. */
export const operatorsOnly = { config: { scope: 'page', page: 'operator' } } as const

/**
 * Checks that a route says who may open it, and which role may use it if it changes something.
 * @throws Error, so that the service does not start.
 */
export function checkGuard({ method, url, config }: Pick<RouteOptions, 'method' | 'url' | 'config'>): void {
  const { page, role } = config ?? {}
  const named = `the page ${method} ${url}`
  if (!page) throw new Error(`${named} does not say who may open it`)
  const changes = [method].flat().some((one) => one !== 'GET' && one !== 'HEAD')
  if (page === 'account' && changes && !role) throw new Error(`${named} does not say which role may use it`)
}
