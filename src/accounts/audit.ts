import { and, desc, eq, lt, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Executor } from '../db/client.ts'
import { accounts, auditLog } from '../db/schema/index.ts'

/** Who acted: an account's id or `commandLine`. */
export type Actor = string

/** Who changes something of an account: the member, or the one that made the API key. Without one it is the account itself. */
export type Acting = { readonly accountId: string; readonly memberId?: string | null }

export const actorOf = ({ accountId, memberId }: Acting): Actor => memberId ?? accountId

/** Anybody who can run commands on the server. */
export const commandLine: Actor = 'command line'

/** The recorded actions and their titles for people. */
export const auditActions = {
  'account.created': 'Account created',
  'account.plan_changed': 'Plan changed',
  'account.suspended': 'Account suspended',
  'account.resumed': 'Account resumed',
  'account.closed': 'Account closed by its owner',
  'account.deletion_taken_back': 'Deletion of the account taken back',
  'account.deleted': 'Account deleted',
  'account.exported': 'Data of the account exported',
  'account.hold_placed': 'Legal hold placed',
  'account.hold_ended': 'Legal hold ended',
  'member.invited': 'Member invited',
  'member.invitation_revoked': 'Invitation revoked',
  'member.added': 'Member added',
  'member.role_changed': 'Role of a member changed',
  'member.removed': 'Member removed',
  'account.address_changed': 'Address changed',
  'account.role_changed': 'Role changed by a provider',
  'identity.added': 'Provider connected',
  'identity.removed': 'Provider disconnected',
  'session.signed_in': 'Signed in',
  'session.sign_in_failed': 'Sign-in failed',
  'session.ended': 'Signed out from the list of sign-ins',
  'session.all_ended': 'Signed out everywhere',
  'password.changed': 'Password changed',
  'password.reset_link_created': 'Password reset link created',
  'password.reset': 'Password reset by link',
  'second_factor.app_added': 'Authenticator app added',
  'second_factor.passkey_added': 'Passkey added',
  'second_factor.passkey_removed': 'Passkey removed',
  'second_factor.codes_replaced': 'Recovery codes replaced',
  'second_factor.recovery_code_used': 'Recovery code used',
  'second_factor.removed': 'Second factor removed',
  'credits.granted': 'Credits given',
  'credits.taken_back': 'Credits taken back',
  'key.created': 'API key created',
  'key.changed': 'API key changed',
  'key.revoked': 'API key revoked',
  'webhook.created': 'Webhook endpoint created',
  'webhook.changed': 'Webhook endpoint changed',
  'webhook.rotated': 'Secret of a webhook endpoint replaced',
  'webhook.deleted': 'Webhook endpoint deleted',
  'project.renamed': 'Project renamed',
  'project.instructions_changed': 'Project instructions changed',
  'project.deleted': 'Project deleted',
  'library.import_started': 'Import into the library started',
  'library.import_cancelled': 'Import into the library cancelled',
  'library.imported': 'Texts imported into the library',
  'library.embedded': 'Vectors of the library made',
  'library.work_removed': 'Work removed from the library',
} as const

export type AuditAction = keyof typeof auditActions

export type AuditRecord = {
  readonly actor: Actor
  readonly action: AuditAction
  /** The account that the action changed; empty for the library, and for a sign-in without such an account. */
  readonly accountId: string
  /** Never a secret or an e-mail address: entries remain after the account is deleted. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>
}

/**
 * Records an action in the transaction that performs it, so that both are committed or neither.
 * @param executor must see all accounts.
 */
export async function recordAction(executor: Executor, record: AuditRecord): Promise<void> {
  await executor.insert(auditLog).values(record)
}

/**
 * Like `recordAction`, for a member that changes something of the account. Its transaction sees all accounts
 * during this one insert.
 */
export async function recordOwnAction(
  executor: Executor,
  acting: Acting,
  record: Pick<AuditRecord, 'action' | 'details'>,
): Promise<void> {
  const { accountId } = acting
  await executor.execute(sql`select set_config('app.account', '*', true)`)
  await recordAction(executor, { ...record, accountId, actor: actorOf(acting) })
  await executor.execute(sql`select set_config('app.account', ${accountId}, true)`)
}

/**
 * The keys of an account that another key has replaced. A rotated or revoked key stays in it.
 * @param executor must see all accounts.
 */
export async function replacedKeys(executor: Executor, accountId: string): Promise<ReadonlySet<string>> {
  const replaced = sql<string>`${auditLog.details}->>'replaces'`
  const created: AuditAction = 'key.created'
  const rows = await executor
    .select({ id: replaced })
    .from(auditLog)
    .where(and(eq(auditLog.accountId, accountId), eq(auditLog.action, created), sql`${replaced} is not null`))
  return new Set(rows.map(({ id }) => id))
}

const actors = alias(accounts, 'actors')

export type AuditEntry = Awaited<ReturnType<typeof listAuditEntries>>[number]

/**
 * Reads audit entries, newest first.
 * @param page.before the id of the last entry on the previous page.
 */
export function listAuditEntries(
  executor: Executor,
  page: {
    readonly accountId?: string | undefined
    readonly before?: bigint | undefined
    readonly limit: number
  },
) {
  return executor
    .select({
      /** Entries of one account have ascending ids. */
      id: auditLog.id,
      at: auditLog.createdAt,
      actor: auditLog.actor,
      /** Address of the account that acted. Null for the command line or a deleted account. */
      actorEmail: sql<string | null>`case when ${actors.passwordHash} <> '' then ${actors.email} end`,
      action: auditLog.action,
      accountId: auditLog.accountId,
      /** Address of the changed account. Null if it was deleted. */
      email: sql<string | null>`case when ${accounts.passwordHash} <> '' then ${accounts.email} end`,
      details: auditLog.details,
    })
    .from(auditLog)
    .leftJoin(accounts, eq(accounts.id, auditLog.accountId))
    .leftJoin(actors, eq(actors.id, auditLog.actor))
    .where(
      and(
        page.accountId === undefined ? undefined : eq(auditLog.accountId, page.accountId),
        page.before === undefined ? undefined : lt(auditLog.id, page.before),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(page.limit)
}

const ownersActions = String.raw`^(project\.|session\.|key\.|webhook\.|member\.|password\.changed)`

/**
 * Id of the newest entry about an account; `0` if there is none. A form stores it to detect changes since it
 * was opened. What an owner does does not count, because it could otherwise keep blocking an operator's form.
 */
export async function newestAuditEntry(executor: Executor, accountId: string): Promise<string> {
  const [row] = await executor
    .select({ id: sql<string>`coalesce(max(${auditLog.id}), 0)::text` })
    .from(auditLog)
    .where(and(eq(auditLog.accountId, accountId), sql`${auditLog.action} !~ ${ownersActions}`))
  return row?.id ?? '0'
}
