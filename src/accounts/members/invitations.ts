import { and, count, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Executor } from '../../db/client.ts'
import { accounts, invitations, type MemberRole, members } from '../../db/schema/index.ts'
import { invalidValue, notFound, ServiceError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { lockAccount, newEmail, notDeleted } from '../accounts.ts'
import { actorOf, recordAction } from '../audit.ts'
import { newToken, tokenDigest } from '../sign-in/token-digest.ts'
import { type Managing, requireAbove } from './members.ts'

/** Days for which an invitation is valid. */
export const invitationDays = 7

/** Members and open invitations of one account: people in a school, and no way to fill the mailboxes of strangers. */
const maxPeople = 200

const columns = {
  id: invitations.id,
  /** The only address that can accept it. Null: whoever has the link. */
  email: invitations.email,
  role: invitations.role,
  createdAt: invitations.createdAt,
  expiresAt: invitations.expiresAt,
}

export type Invitation = Readonly<Pick<typeof invitations.$inferSelect, keyof typeof columns>>

/** What the page of an invitation shows to whoever has its link. */
export type OpenInvitation = Invitation & {
  readonly accountId: string
  readonly accountEmail: string
  readonly invitedByEmail: string
  /** The link was mailed to the address, so whoever has it has the address. */
  readonly mailed: boolean
}

/** Without an address, whoever has the link can accept it. */
export type InvitationInput = {
  readonly email: string | undefined
  readonly role: MemberRole
  /** The link is mailed, and nobody else gets it. Default: no. */
  readonly mailed?: boolean
}

/**
 * Invites a person. An invitation to an address replaces an earlier one. Whether the address has an account makes no
 * difference.
 * @param executor one transaction that sees all accounts.
 * @returns the invitation and its token (256 random bits). Only the digest is stored, so this is the only copy.
 * @throws ServiceError `missing_scope` for an owner, by an admin; `invalid_value` for a malformed address, a member's address,
 *   or too many people.
 */
export async function invite(
  executor: Executor,
  by: Managing,
  { email: given, role, mailed = false }: InvitationInput,
): Promise<{ readonly invitation: Invitation; readonly token: string }> {
  requireAbove(by.role, role)
  const { accountId } = by
  const email = given === undefined ? null : newEmail(given)
  const account = await lockAccount(executor, accountId)
  if (email !== null) {
    await requireNoMember(executor, account, email)
    await executor
      .delete(invitations)
      .where(and(eq(invitations.accountId, accountId), eq(invitations.email, email)))
  }
  await requireRoom(executor, accountId)
  const { token, digest } = newToken()
  const [invitation] = await executor
    .insert(invitations)
    .values({
      ...{ id: newId('invitation'), accountId, digest, email, role, mailed },
      invitedBy: actorOf(by),
      expiresAt: sql`now() + make_interval(days => ${invitationDays})`,
    })
    .returning(columns)
  if (!invitation) throw new Error('insert returned no row')
  const details = { invitation: invitation.id, role }
  await recordAction(executor, { actor: actorOf(by), action: 'member.invited', accountId, details })
  return { invitation, token }
}

async function requireNoMember(
  executor: Executor,
  account: { readonly id: string; readonly email: string },
  email: string,
): Promise<void> {
  const [known] = await executor
    .select({ id: accounts.id })
    .from(members)
    .innerJoin(accounts, eq(accounts.id, members.memberId))
    .where(and(eq(members.accountId, account.id), eq(accounts.email, email)))
  if (known || account.email === email)
    throw invalidValue(`${email} is a member of the account already.`, 'email')
}

async function requireRoom(executor: Executor, accountId: string): Promise<void> {
  const [row] = await executor.select({ n: count() }).from(members).where(eq(members.accountId, accountId))
  const open = await executor.$count(invitations, openOf(accountId))
  if ((row?.n ?? 0) + open >= maxPeople)
    throw invalidValue(`An account has at most ${maxPeople} members and open invitations. Remove one first.`)
}

const openOf = (accountId: string) =>
  and(eq(invitations.accountId, accountId), gt(invitations.expiresAt, sql`now()`))

/** The invitations of an account that nobody has accepted, newest first. */
export function listInvitations(executor: Executor, accountId: string): Promise<Invitation[]> {
  return executor
    .select(columns)
    .from(invitations)
    .where(openOf(accountId))
    .orderBy(desc(invitations.createdAt), desc(invitations.id))
}

/**
 * Revokes an invitation: its link no longer works.
 * @param executor one transaction that sees all accounts.
 * @throws ServiceError `not_found`; `missing_scope` for that of an owner, by an admin.
 */
export async function revokeInvitation(executor: Executor, by: Managing, id: string): Promise<void> {
  const { accountId } = by
  const [revoked] = await executor
    .delete(invitations)
    .where(and(eq(invitations.accountId, accountId), eq(invitations.id, id)))
    .returning({ role: invitations.role })
  if (!revoked) throw notFound()
  requireAbove(by.role, revoked.role)
  const details = { invitation: id }
  await recordAction(executor, {
    actor: actorOf(by),
    action: 'member.invitation_revoked',
    accountId,
    details,
  })
}

const inviters = alias(accounts, 'inviters')

/**
 * Finds what a link invites to.
 * @throws ServiceError `not_found` for a link that is unknown, used, revoked or expired, or whose account is suspended.
 */
export async function findInvitation(executor: Executor, token: string): Promise<OpenInvitation> {
  const [found] = await executor
    .select({
      ...columns,
      mailed: invitations.mailed,
      accountId: accounts.id,
      accountEmail: accounts.email,
      invitedByEmail: sql<string>`coalesce(${inviters.email}, ${accounts.email})`,
    })
    .from(invitations)
    .innerJoin(
      accounts,
      and(eq(accounts.id, invitations.accountId), isNull(accounts.suspendedAt), notDeleted),
    )
    .leftJoin(inviters, eq(inviters.id, invitations.invitedBy))
    .where(and(eq(invitations.digest, tokenDigest(token)), gt(invitations.expiresAt, sql`now()`)))
  if (!found) throw notInvited()
  return found
}

/**
 * Makes a person a member by a link, which works once. A refused person leaves it valid.
 * @param executor one transaction that sees all accounts.
 * @throws ServiceError `not_found` as `findInvitation`; `invalid_value` for another address than the invited one, and for a
 *   person who is a member already.
 */
export async function acceptInvitation(
  executor: Executor,
  token: string,
  person: { readonly id: string; readonly email: string },
): Promise<OpenInvitation> {
  const { accountId } = await findInvitation(executor, token)
  await lockAccount(executor, accountId)
  // Meanwhile it may have been used or revoked.
  const found = await findInvitation(executor, token)
  const { id, role, email } = found
  if (email !== null && email !== person.email)
    throw invalidValue(`This invitation is for ${email}. Sign in with the account of this address.`)
  if (person.id === accountId) throw isMember()
  const added = await executor
    .insert(members)
    .values({ accountId, memberId: person.id, role })
    .onConflictDoNothing()
    .returning({ id: members.memberId })
  if (added.length === 0) throw isMember()
  await executor.delete(invitations).where(eq(invitations.id, id))
  const details = { member: person.id, role, invitation: id }
  await recordAction(executor, { actor: person.id, action: 'member.added', accountId, details })
  return found
}

function isMember(): ServiceError {
  return invalidValue('You are a member of this account already.')
}

/** The error for a link that invites to nothing. */
export function notInvited(): ServiceError {
  return new ServiceError(
    'not_found',
    'This invitation does not work: it was used, revoked or has expired. Ask for a new one.',
  )
}
