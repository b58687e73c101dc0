import { and, eq, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { confinedTo, type Principal } from '../../accounts/principal.ts'

/**
 * The filter of every lookup: the account's rows, and for a bound key only those of its project. Foreign,
 * malformed and random ids therefore all miss in the same query.
 */
export function visibleTo(
  principal: Principal,
  columns: { readonly accountId: PgColumn; readonly projectId: PgColumn },
): SQL | undefined {
  const project = confinedTo(principal)
  return and(
    eq(columns.accountId, principal.accountId),
    project === null ? undefined : eq(columns.projectId, project),
  )
}
