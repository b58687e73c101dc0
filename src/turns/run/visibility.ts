import { and, eq, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { confinedTo, type Principal } from '../../accounts/principal.ts'

/**
 * The condition by which every look-up is filtered: the owner's rows, and for a bound key those of its project.
 * A foreign, a malformed and a random id therefore miss in the same query.
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
