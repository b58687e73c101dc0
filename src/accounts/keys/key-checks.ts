import { and, eq } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { projects } from '../../db/schema/index.ts'
import { invalidValue } from '../../errors.ts'
import { plainName } from '../../names/names.ts'
import { isOwnerWide, isScope, type KeyScope, scopes } from '../scopes.ts'

/**
 * The name of a key by the rule of all names.
 * @throws ServiceError `invalid_value`.
 */
export function checkedName(text: string): string {
  const name = plainName(text)
  if (name !== '' && name.length <= 100) return name
  throw invalidValue('A key needs a name of 1 to 100 characters.', 'name')
}

/**
 * The scopes of a new key in display order.
 * @throws ServiceError `invalid_value` for an unknown scope, or one that the key's reach does not allow.
 */
export function checkedScopes(wanted: readonly string[], reachesAll: boolean): KeyScope[] {
  for (const scope of wanted) {
    if (!isScope(scope)) {
      throw invalidValue(`There is no scope "${scope}". Use some of: ${scopes.join(', ')}.`, 'scopes')
    }
  }
  const checked = scopes.filter((scope) => wanted.includes(scope))
  const tooWide = checked.find(isOwnerWide)
  if (tooWide && !reachesAll) {
    throw invalidValue(
      `The scope "${tooWide}" needs an owner-wide key. Leave the scope out, or create an owner-wide key.`,
      'scopes',
    )
  }
  return checked
}

/** @throws ServiceError `invalid_value` for a project that the account does not have. */
export async function requireOwnProject(
  executor: Executor,
  accountId: string,
  projectId: string,
): Promise<void> {
  const [found] = await executor
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.id, projectId), eq(projects.accountId, accountId)))
  if (!found) {
    throw invalidValue(`The account has no project "${projectId}". Check the id.`, 'project')
  }
}
