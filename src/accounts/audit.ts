import { and, desc, eq, lt, notLike, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Executor } from '../db/client.ts'
import { accounts, auditLog } from '../db/schema/index.ts'

/** Who acted: the id of an account, or `commandLine`. */
export type Actor = string

/** Whoever can run commands on the server. */
export const commandLine: Actor = 'command line'

/** What is recorded, with the words in which people read it. */
export const auditActions = {
  'account.created': 'Account created',
  'account.plan_changed': 'Plan changed',
  'account.suspended': 'Account suspended',
  'account.resumed': 'Account resumed',
  'account.deleted': 'Account deleted',
  'password.reset_link_created': 'Password reset link created',
  'password.reset': 'Password reset by link',
  'credits.granted': 'Credits given',
  'credits.taken_back': 'Credits taken back',
  'key.created': 'API key created',
  'key.revoked': 'API key revoked',
  'project.renamed': 'Project renamed',
  'project.deleted': 'Project deleted',
} as const

export type AuditAction = keyof typeof auditActions

export type AuditRecord = {
  readonly actor: Actor
  readonly action: AuditAction
  /** The account it was done to. */
  readonly accountId: string
  /** Never a secret or an address: entries stay after the account is deleted. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>
}

/**
 * Records an action in the transaction that carries it out, so that neither is committed without the other.
 * @param executor must see all accounts.
 */
export async function recordAction(executor: Executor, record: AuditRecord): Promise<void> {
  await executor.insert(auditLog).values(record)
}

/**
 * As `recordAction`, from a transaction of the account that acts on what is its own. The transaction sees all accounts for this one
 * statement.
 */
export async function recordOwnAction(executor: Executor, record: Omit<AuditRecord, 'actor'>): Promise<void> {
  await executor.execute(sql`select set_config('app.account', '*', true)`)
  await recordAction(executor, { ...record, actor: record.accountId })
  await executor.execute(sql`select set_config('app.account', ${record.accountId}, true)`)
}

export type AuditEntry = {
  /** Ascending in the order of entries of one account. */
  readonly id: bigint
  readonly at: Date
  readonly actor: Actor
  /** Address of the account that acted; null for the command line and after it was deleted. */
  readonly actorEmail: string | null
  readonly action: string
  readonly accountId: string
  /** Address of that account; null after it was deleted. */
  readonly email: string | null
  readonly details: unknown
}

const actors = alias(accounts, 'actors')

/**
 * Audit entries, newest first.
 * @param page.before the id of the last entry of the page before.
 */
export function listAuditEntries(
  executor: Executor,
  page: {
    readonly accountId?: string | undefined
    readonly before?: bigint | undefined
    readonly limit: number
  },
): Promise<AuditEntry[]> {
  return executor
    .select({
      id: auditLog.id,
      at: auditLog.createdAt,
      actor: auditLog.actor,
      actorEmail: sql<string | null>`case when ${actors.passwordHash} <> '' then ${actors.email} end`,
      action: auditLog.action,
      accountId: auditLog.accountId,
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

/**
 * Id of the newest entry about an account, `0` before the first. A form shows the state it was opened on by it. What owners do to
 * their projects is none of it: they could keep an operator's form from being taken.
 */
export async function newestAuditEntry(executor: Executor, accountId: string): Promise<string> {
  const [row] = await executor
    .select({ id: sql<string>`coalesce(max(${auditLog.id}), 0)::text` })
    .from(auditLog)
    .where(and(eq(auditLog.accountId, accountId), notLike(auditLog.action, 'project.%')))
  return row?.id ?? '0'
}
