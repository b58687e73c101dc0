import { and, eq, type SQL } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { confinedTo, type Principal } from '../../accounts/principal.ts'
import type { Executor } from '../../db/client.ts'

/** A table with rows of accounts and projects. Without `projectId` it is that of the projects. */
type Owned = { readonly id: PgColumn; readonly accountId: PgColumn; readonly projectId?: PgColumn }

/**
 * The filter of every lookup: the account's rows, and for a bound key only those of its project. Foreign,
 * malformed and random ids therefore all miss in the same query.
 */
export function visibleTo(principal: Principal, table: Owned): SQL | undefined {
  const project = confinedTo(principal)
  return and(
    eq(table.accountId, principal.accountId),
    project === null ? undefined : eq(table.projectId ?? table.id, project),
  )
}

/**
 * Makes the function that finds a row of a table, and locks it for `lock`. It returns undefined if the row does not exist
 * or the principal cannot see it.
 */
export function finderIn<T extends PgTable & Owned>(table: T, lock?: 'key share' | 'no key update') {
  return async (
    executor: Executor,
    principal: Principal,
    id: string,
  ): Promise<T['$inferSelect'] | undefined> => {
    const filter = and(eq(table.id, id), visibleTo(principal, table))
    const query = executor
      .select()
      .from(table as PgTable)
      .where(filter)
    const [row] = await (lock ? query.for(lock) : query)
    return row
  }
}
