import { signedUp, type TestVisitor } from '../visitor.ts'
import type { World } from './world.ts'

type Rows = Pick<World, 'row' | 'rows'>

/**
 * Somebody who has signed up by the form.
 * @param facts what the account is given beside it, such as `plan = 'pro'`.
 */
export async function newPerson(
  world: Rows & Pick<World, 'service'>,
  email: string,
  facts = 'operator = false',
): Promise<{ readonly visitor: TestVisitor; readonly accountId: string }> {
  const visitor = await signedUp(world.service, email)
  await world.rows(`update accounts set ${facts} where email = $1`, email)
  return { visitor, accountId: await accountOf(world, email) }
}

/** The id of the account of an address; empty without one. */
export async function accountOf(world: Pick<World, 'rows'>, email: string): Promise<string> {
  const [row] = await world.rows<{ id: string }>('select id from accounts where email = $1', email)
  return row?.id ?? ''
}

/** What the audit log has about the account of an address, oldest first. */
export async function actionsOf(world: Pick<World, 'rows'>, email: string): Promise<readonly string[]> {
  const entries = await world.rows<{ action: string }>(
    'select action from audit_log where account_id = $1 order by id',
    await accountOf(world, email),
  )
  return entries.map(({ action }) => action)
}
