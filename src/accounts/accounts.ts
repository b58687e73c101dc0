import { and, asc, eq, gt, ne, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { databaseFault, uniqueViolation } from '../db/errors.ts'
import { accounts } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import { newId } from '../ids.ts'
import { type Actor, recordAction } from './audit.ts'
import { hashPassword } from './passwords/passwords.ts'
import type { Plan, Plans } from './plans.ts'

export type Account = {
  readonly id: string
  readonly email: string
  readonly plan: string
  readonly operator: boolean
  /** Null: in use. */
  readonly suspendedAt: Date | null
  readonly createdAt: Date
}

/** What is read of an account. */
export const accountColumns = {
  id: accounts.id,
  email: accounts.email,
  plan: accounts.plan,
  operator: accounts.operator,
  suspendedAt: accounts.suspendedAt,
  createdAt: accounts.createdAt,
}

/** A deleted account keeps its row, for the ledger, without a password. */
export const notDeleted = ne(accounts.passwordHash, '')

/** @throws ServiceError `invalid_value` for an unknown plan, a malformed or a taken address. */
export async function createAccount(
  executor: Executor,
  plans: Plans,
  input: { email: string; plan: string; password: string; operator?: boolean },
): Promise<Account> {
  const email = newEmail(input.email)
  requirePlan(plans, input.plan)
  const values = {
    id: newId('account'),
    email,
    plan: input.plan,
    operator: input.operator ?? false,
    passwordHash: await hashPassword(input.password),
  }
  try {
    const [account] = await executor.insert(accounts).values(values).returning(accountColumns)
    if (!account) throw new Error('insert returned no row')
    return account
  } catch (error) {
    if (databaseFault(error)?.code === uniqueViolation) {
      throw new ServiceError('invalid_value', `There is an account for ${email} already.`, { param: 'email' })
    }
    throw error
  }
}

/** As `createAccount`, by an operator; recorded in the audit log. @param executor one transaction. */
export async function createForOther(
  executor: Executor,
  plans: Plans,
  actor: Actor,
  input: Parameters<typeof createAccount>[2],
): Promise<Account> {
  const account = await createAccount(executor, plans, input)
  const details = { plan: account.plan, operator: account.operator }
  await recordAction(executor, { actor, action: 'account.created', accountId: account.id, details })
  return account
}

/** @throws ServiceError `not_found` when no account has that address. */
export async function findAccount(executor: Executor, email: string): Promise<Account> {
  const [account] = await executor
    .select(accountColumns)
    .from(accounts)
    .where(and(eq(accounts.email, normalEmail(email)), notDeleted))
  if (!account) throw new ServiceError('not_found', `There is no account for ${email}.`)
  return account
}

/** @throws ServiceError `invalid_value` or `not_found`. */
export async function setPlan(
  executor: Executor,
  plans: Plans,
  email: string,
  plan: string,
): Promise<Account> {
  requirePlan(plans, plan)
  const account = await findAccount(executor, email)
  await executor.update(accounts).set({ plan }).where(eq(accounts.id, account.id))
  return { ...account, plan }
}

export function listAccounts(executor: Executor): Promise<Account[]> {
  return executor.select(accountColumns).from(accounts).orderBy(asc(accounts.createdAt), asc(accounts.id))
}

export type AccountSearch = {
  /** Part of an address. */
  readonly text?: string | undefined
  readonly plan?: string | undefined
  /** The address after which to go on. */
  readonly after?: string | undefined
  readonly limit: number
}

/** Accounts in the order of their addresses; those that were deleted are left out. */
export function searchAccounts(executor: Executor, search: AccountSearch): Promise<Account[]> {
  const when = <T>(value: T | undefined, condition: (value: T) => SQL) =>
    value === undefined ? undefined : condition(value)
  return executor
    .select(accountColumns)
    .from(accounts)
    .where(
      and(
        sql`${accounts.email} <> lower(${accounts.id}) || ${deletedSuffix}`,
        when(search.text, (text) => sql`strpos(${accounts.email}, ${text.trim().toLowerCase()}) > 0`),
        when(search.plan, (plan) => eq(accounts.plan, plan)),
        when(search.after, (after) => gt(accounts.email, after)),
      ),
    )
    .orderBy(asc(accounts.email))
    .limit(search.limit)
}

/** Undefined when there is no such account, or it was deleted. */
export async function findAccountById(executor: Executor, id: string): Promise<Account | undefined> {
  const [account] = await executor
    .select(accountColumns)
    .from(accounts)
    .where(and(eq(accounts.id, id), notDeleted))
  return account
}

/**
 * Locks the account's row until the transaction ends. Starts of turns wait for it, and so does every other change of the
 * account: it comes before all other locks.
 * @throws ServiceError `not_found` when there is no such account, or it was deleted.
 */
export async function lockAccount(executor: Executor, id: string): Promise<Account> {
  const [account] = await executor
    .select(accountColumns)
    .from(accounts)
    .where(and(eq(accounts.id, id), notDeleted))
    // Not `update`: whoever inserts a row of the account, with what it has locked already, would wait for this one.
    .for('no key update')
  if (!account) throw new ServiceError('not_found', 'There is no such account.')
  return account
}

/** What the owner of a suspended account is told, with a key or a right password. */
export function accountSuspended(): ServiceError {
  return new ServiceError(
    'account_suspended',
    'This account is suspended. Ask whoever runs this service to resume it.',
  )
}

/**
 * An address as it is kept.
 * @throws ServiceError `invalid_value` for a malformed one.
 */
export function normalEmail(email: string): string {
  const normal = email.trim().toLowerCase()
  if (!/^[^\s@]+@[^\s@]+$/.test(normal) || normal.length > 254) {
    throw new ServiceError('invalid_value', `"${email}" is not an e-mail address.`, { param: 'email' })
  }
  return normal
}

/** What follows the id of a deleted account in the place of its address. */
export const deletedSuffix = '@deleted.invalid'

/**
 * The address of a new account.
 * @throws ServiceError `invalid_value` for one below `.invalid`, which no mail reaches (RFC 2606): the service keeps such
 *   addresses for accounts that were deleted.
 */
function newEmail(email: string): string {
  const normal = normalEmail(email)
  if (/[@.]invalid\.*$/.test(normal)) {
    const message = `"${email}" is not an e-mail address that can be reached. Give another one.`
    throw new ServiceError('invalid_value', message, { param: 'email' })
  }
  return normal
}

function requirePlan(plans: Plans, plan: string): void {
  if (!plans.names.includes(plan)) {
    throw new ServiceError('invalid_value', `There is no plan "${plan}". Plans: ${plans.names.join(', ')}.`, {
      param: 'plan',
    })
  }
}

/** The plan an account has at this moment. */
export async function planOfAccount(executor: Executor, plans: Plans, accountId: string): Promise<Plan> {
  const [account] = await executor
    .select({ plan: accounts.plan })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  if (!account) throw new Error(`there is no account ${accountId}`)
  return plans.of(account.plan)
}
