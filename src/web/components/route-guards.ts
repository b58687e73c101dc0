/** Who may open a page. The hook in `plugin.ts` enforces it, and refuses to start with a route that has no guard. */

/** Everybody, signed in or not. */
export const openToAll = { config: { scope: 'page', page: 'anyone' } } as const

/** Accounts. Others are sent to `/signin`. */
export const accountsOnly = { config: { scope: 'page', page: 'account' } } as const

/** Accounts of operators. For others the page does not exist. */
export const operatorsOnly = { config: { scope: 'page', page: 'operator' } } as const
