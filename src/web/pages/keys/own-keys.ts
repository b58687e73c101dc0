import { findKey, type KeyInfo } from '../../../accounts/keys/keys.ts'
import { hasRole } from '../../../accounts/members/members.ts'
import type { Executor } from '../../../db/client.ts'
import type { Visitor } from '../../visitors/visitor.ts'

/** Members see the keys that they made, admins all. */
export function onlyMaker({ role, person }: Visitor): string | undefined {
  return hasRole(role, 'admin') ? undefined : person.id
}

/** A key that the visitor may see. */
export async function keyOf(tx: Executor, visitor: Visitor, id: string): Promise<KeyInfo | undefined> {
  const key = await findKey(tx, visitor.account.id, id)
  const maker = onlyMaker(visitor)
  return maker === undefined || key?.createdBy === maker ? key : undefined
}
