import { and, eq, isNull, ne, sql } from 'drizzle-orm'
import { lockAccount } from '../../accounts/accounts.ts'
import { recordOwnAction } from '../../accounts/audit.ts'
import { removalTimeout } from '../../accounts/delete-account.ts'
import type { Principal } from '../../accounts/principal.ts'
import { type Database, withTx } from '../../db/client.ts'
import { apiKeys, projects, runs } from '../../db/schema/index.ts'
import { notFound } from '../../errors.ts'
import { requireEnded } from '../run/runs.ts'
import { detailsOf } from './projects.ts'

/**
 * Deletes a project with its sessions, runs and files, and revokes keys that can see no other project. An
 * owner-wide key that used it as its default project gets a new one on its next use. The ledger stays.
 * @throws ServiceError `missing_scope` for a key that is bound to a project; `not_found`; `project_busy` while
 *   a turn in it is unfinished, because that turn has not been charged yet.
 */
export function deleteProject(database: Database, principal: Principal, projectId: string): Promise<void> {
  const { accountId } = principal
  // Scope `system`, because a tenant transaction is cut off after 20 s. The next statement restricts row-level
  // security to the account.
  return withTx(database, 'system', async (tx) => {
    await tx.execute(sql`select set_config('app.account', ${accountId}, true)`)
    await tx.execute(removalTimeout)
    // Starts wait for the account's row, so no turn can begin in the project from now on.
    await lockAccount(tx, accountId)
    const [project] = await tx
      .select({ id: projects.id })
      .from(projects)
      .where(and(eq(projects.id, projectId), eq(projects.accountId, accountId)))
      .for('update')
    if (!project) throw notFound()
    const inProject = and(eq(runs.accountId, accountId), eq(runs.projectId, projectId))
    await requireEnded(tx, inProject, 'project_busy', busyText)
    await tx
      .update(apiKeys)
      .set({ revokedAt: sql`now()` })
      .where(
        and(
          eq(apiKeys.accountId, accountId),
          eq(apiKeys.projectId, projectId),
          ne(apiKeys.binding, 'owner'),
          isNull(apiKeys.revokedAt),
        ),
      )
    await tx.delete(projects).where(eq(projects.id, projectId))
    const details = detailsOf(principal, projectId)
    await recordOwnAction(tx, principal, { action: 'project.deleted', details })
  })
}

const busyText =
  'A turn in this project has not ended. Cancel it or wait for its end, then delete the project.'
