import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import {
  accounts,
  apiKeys,
  invitations,
  type MemberRole,
  memberRoles,
  members,
} from '../../db/schema/index.ts'
import { invalidValue, notFound, ServiceError } from '../../errors.ts'
import { lockAccount, notDeleted } from '../accounts.ts'
import { type Acting, actorOf, recordAction } from '../audit.ts'
import { allows, hasRole, type KeyScope, scopes, scopesOf } from '../scopes.ts'

export { hasRole, type MemberRole, memberRoles }

/** Who changes the members of an account, and by which role. A key with `account:manage` acts as an admin. */
export type Managing = Acting & { readonly role: MemberRole }

/** A person who acts for an account. */
export type Member = {
  /** The own account of the person. */
  readonly id: string
  readonly email: string
  readonly role: MemberRole
  /** Null for the account's own person, who is always its owner. */
  readonly addedAt: Date | null
}

/** An account that a person is a member of. */
export type Membership = { readonly accountId: string; readonly email: string; readonly role: MemberRole }

/**
 * Checks that a member may make a key with these scopes.
 * @throws ServiceError `missing_scope`.
 */
export function requireScopesFor(held: ReadonlySet<KeyScope>, wanted: readonly string[]): void {
  const missing = scopes.find((scope) => wanted.includes(scope) && !allows(held, scope))
  if (missing === undefined) return
  throw new ServiceError(
    'missing_scope',
    `Your role in this account cannot give keys the scope "${missing}".`,
  )
}

const columns = { id: accounts.id, email: accounts.email, role: members.role, addedAt: members.addedAt }

/**
 * The members of an account, the own person first, then those who came first.
 * @param executor must see all accounts, like that of every function here.
 */
export async function listMembers(executor: Executor, accountId: string): Promise<readonly Member[]> {
  const [own] = await executor
    .select({ id: accounts.id, email: accounts.email })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), notDeleted))
  const others = await executor
    .select(columns)
    .from(members)
    .innerJoin(accounts, eq(accounts.id, members.memberId))
    .where(eq(members.accountId, accountId))
    .orderBy(asc(members.addedAt), asc(members.memberId))
  return [...(own ? [{ ...own, role: 'owner' as const, addedAt: null }] : []), ...others]
}

/** The accounts that a person can act for besides the own one. Suspended ones are left out. */
export function listMemberships(executor: Executor, personId: string): Promise<Membership[]> {
  return executor
    .select({ accountId: accounts.id, email: accounts.email, role: members.role })
    .from(members)
    .innerJoin(accounts, and(eq(accounts.id, members.accountId), isNull(accounts.suspendedAt), notDeleted))
    .where(eq(members.memberId, personId))
    .orderBy(asc(accounts.email))
}

/** Addresses of people by id, for figures of an account that name them. Deleted people are missing. */
export async function addressesOf(
  executor: Executor,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await executor
    .select({ id: accounts.id, email: accounts.email })
    .from(accounts)
    .where(and(inArray(accounts.id, [...ids]), notDeleted))
  return new Map(rows.map(({ id, email }) => [id, email]))
}

/**
 * Checks that a role may give, change or take another one: an admin everything below owner.
 * @throws ServiceError `missing_scope`.
 */
export function requireAbove(role: MemberRole, other: MemberRole): void {
  if (role === 'owner' || (hasRole(role, 'admin') && other !== 'owner')) return
  throw new ServiceError('missing_scope', 'Only an owner of the account can do this with an owner.')
}

/**
 * Gives a member another role. Keys that the new role could not make are revoked.
 * @param executor one transaction.
 * @throws ServiceError `not_found`; `missing_scope` for an owner, if the role is below; `invalid_value` for the account's own person.
 */
export async function changeRole(
  executor: Executor,
  by: Managing,
  memberId: string,
  role: MemberRole,
): Promise<Member> {
  const before = await lockMember(executor, by.accountId, memberId)
  requireAbove(by.role, before.role)
  requireAbove(by.role, role)
  await executor.update(members).set({ role }).where(one(by.accountId, memberId))
  const revoked = await takeBack(executor, by.accountId, memberId, role)
  await recordAction(executor, {
    ...{ actor: actorOf(by), action: 'member.role_changed', accountId: by.accountId },
    details: { member: memberId, role, keys_revoked: revoked },
  })
  return { ...before, role }
}

/**
 * Removes a member, or lets the member leave. From the commit on the person cannot act for the account, and the keys that
 * the person made for it are revoked.
 * @param executor one transaction.
 * @throws ServiceError as `changeRole`.
 */
export async function removeMember(executor: Executor, by: Managing, memberId: string): Promise<void> {
  const { role } = await lockMember(executor, by.accountId, memberId)
  if (by.memberId !== memberId) requireAbove(by.role, role)
  await executor.delete(members).where(one(by.accountId, memberId))
  const revoked = await takeBack(executor, by.accountId, memberId, undefined)
  await recordAction(executor, {
    ...{ actor: actorOf(by), action: 'member.removed', accountId: by.accountId },
    details: { member: memberId, keys_revoked: revoked },
  })
}

const one = (accountId: string, memberId: string) =>
  and(eq(members.accountId, accountId), eq(members.memberId, memberId))

/** Waits for starts of turns and other changes of the account. */
async function lockMember(executor: Executor, accountId: string, memberId: string): Promise<Member> {
  await lockAccount(executor, accountId)
  if (memberId === accountId)
    throw invalidValue('The person of the account is always its owner, and cannot be changed or removed.')
  const [member] = await executor
    .select(columns)
    .from(members)
    .innerJoin(accounts, eq(accounts.id, members.memberId))
    .where(one(accountId, memberId))
  if (!member) throw notFound()
  return member
}

/** Takes what a role below could not have given: keys, and open invitations. @returns the number of revoked keys. */
async function takeBack(
  executor: Executor,
  accountId: string,
  memberId: string,
  role: MemberRole | undefined,
): Promise<number> {
  const kept = role === undefined || role === 'viewer' ? [] : [...scopesOf(role, false)]
  const { rowCount } = await executor
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(
      and(
        eq(apiKeys.accountId, accountId),
        eq(apiKeys.createdBy, memberId),
        isNull(apiKeys.revokedAt),
        kept.length === 0 ? undefined : sql`not ${apiKeys.scopes} <@ ${sql.param(kept)}::text[]`,
      ),
    )
  const tooHigh = role === 'owner' ? sql`false` : role === 'admin' ? eq(invitations.role, 'owner') : undefined
  await executor
    .delete(invitations)
    .where(and(eq(invitations.accountId, accountId), eq(invitations.invitedBy, memberId), tooHigh))
  return rowCount ?? 0
}
