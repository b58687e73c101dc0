import { and, asc, eq, gt, isNull, ne, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { databaseFault, uniqueViolation } from '../db/errors.ts'
import { accounts } from '../db/schema/index.ts'
import { invalidValue, notFound, ServiceError } from '../errors.ts'
import { newId } from '../ids.ts'
import { type Actor, recordAction } from './audit.ts'
import { hashPassword } from './passwords/passwords.ts'
import type { Plan, Plans } from './plans.ts'

const shown = [
  ...(['id', 'email', 'plan', 'operator', 'suspendedAt', 'deletionDueAt'] as const),
  ...(['legalHoldAt', 'legalHoldReason', 'createdAt'] as const),
]

/** An account without its password and the state of its turns. */
export type Account = Readonly<Pick<typeof accounts.$inferSelect, (typeof shown)[number]>>

/** The columns of an `Account` in an alias of the table. */
export const accountColumnsOf = <T extends Record<keyof Account, unknown>>(table: T) =>
  Object.fromEntries(shown.map((name) => [name, table[name]])) as Pick<T, keyof Account>

/** The columns of an `Account`. */
export const accountColumns = accountColumnsOf(accounts)

/** A deleted account keeps its row, for the ledger, without a password. */
export const notDeleted = ne(accounts.passwordHash, '')

/**
 * Creates an account.
 * @throws ServiceError `invalid_value` for an unknown plan, or an address that is malformed or taken.
 */
export async function createAccount(
  executor: Executor,
  plans: Plans,
  input: { email: string; plan: string; password: string; operator?: boolean },
): Promise<Account> {
  const { password, ...rest } = { ...input, email: newEmail(input.email) }
  requirePlan(plans, input.plan)
  return addAccount(executor, plans, { ...rest, passwordHash: await hashPassword(password) })
}

/** Like `createAccount`, with the hash of the password. */
export async function addAccount(
  executor: Executor,
  plans: Plans,
  input: { email: string; plan: string; passwordHash: string; operator?: boolean },
): Promise<Account> {
  const email = newEmail(input.email)
  requirePlan(plans, input.plan)
  const values = { ...input, email, id: newId('account') }
  try {
    const [account] = await executor.insert(accounts).values(values).returning(accountColumns)
    if (!account) throw new Error('insert returned no row')
    return account
  } catch (error) {
    throw databaseFault(error)?.code === uniqueViolation ? addressTaken(email) : error
  }
}

export function addressTaken(email: string): ServiceError {
  return invalidValue(`An account for ${email} exists already. Use another address.`, 'email')
}

/** Keeps the language in which the owner reads the pages, for letters. */
export async function keepLanguage(executor: Executor, id: string, language: 'en' | 'he'): Promise<void> {
  await executor
    .update(accounts)
    .set({ language })
    .where(and(eq(accounts.id, id), ne(accounts.language, language)))
}

/**
 * Like `createAccount`, but by an operator: it is recorded in the audit log.
 * @param executor one transaction.
 */
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

/**
 * Finds an account by its address.
 * @throws ServiceError `not_found` if no account has it.
 */
export async function findAccount(executor: Executor, email: string): Promise<Account> {
  const [account] = await executor
    .select(accountColumns)
    .from(accounts)
    .where(and(eq(accounts.email, normalEmail(email)), notDeleted))
  if (!account) {
    const message = `There is no account for ${email}. Check the address.`
    throw new ServiceError('not_found', message, { param: 'email' })
  }
  return account
}

/** The account with this address, if it may get letters. A suspended one cannot set a password. */
export async function findAccountForLetter(
  executor: Executor,
  email: string,
): Promise<{ readonly id: string; readonly email: string; readonly language: 'en' | 'he' } | undefined> {
  const [account] = await executor
    .select({ id: accounts.id, email: accounts.email, language: accounts.language })
    .from(accounts)
    .where(and(eq(accounts.email, email.trim().toLowerCase()), notDeleted, isNull(accounts.suspendedAt)))
  return account
}

/**
 * Sets the plan of an account.
 * @throws ServiceError `invalid_value` for an unknown plan, `not_found` for an unknown address.
 */
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

/**
 * Accounts, oldest first, deleted ones too.
 * @param page.after the id of the last account on the previous page.
 * @throws ServiceError `not_found` if no account has that id.
 */
export async function listAccounts(
  executor: Executor,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<Account[]> {
  // In SQL, because a `Date` has no microseconds.
  const order = sql`(${accounts.createdAt}, ${accounts.id})`
  const last = sql`(select created_at, id from accounts where id = ${after})`
  if (after !== undefined) {
    const [known] = await executor.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, after))
    if (!known) throw notFound('after')
  }
  return executor
    .select(accountColumns)
    .from(accounts)
    .where(after === undefined ? undefined : sql`${order} > ${last}`)
    .orderBy(asc(accounts.createdAt), asc(accounts.id))
    .limit(limit)
}

export type AccountSearch = {
  /** Part of the address to search for. */
  readonly text?: string | undefined
  readonly plan?: string | undefined
  /** The address after which the page begins. */
  readonly after?: string | undefined
  readonly limit: number
}

/** Accounts ordered by address. Deleted accounts are left out. */
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

/** Undefined if the account does not exist or was deleted. */
export async function findAccountById(executor: Executor, id: string): Promise<Account | undefined> {
  const [account] = await executor
    .select(accountColumns)
    .from(accounts)
    .where(and(eq(accounts.id, id), notDeleted))
  return account
}

/**
 * Locks the account's row until the transaction ends. Starts of turns and all other changes of the account wait
 * for it. Take this lock before any other.
 * @throws ServiceError `not_found` if the account does not exist or was deleted.
 */
export async function lockAccountRow(executor: Executor, id: string): Promise<void> {
  await executor.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, id)).for('no key update')
}

export async function lockAccount(executor: Executor, id: string): Promise<Account> {
  const [account] = await executor
    .select(accountColumns)
    .from(accounts)
    .where(and(eq(accounts.id, id), notDeleted))
    // `update` would also block inserts of rows that refer to the account, and so cause deadlocks.
    .for('no key update')
  if (!account) throw new ServiceError('not_found', 'There is no such account. Check its id.')
  return account
}

/**
 * For a sign-in: the owner of an account may not enter if it is suspended. An account that its owner has closed is another
 * case: the owner may take its deletion back.
 * @throws ServiceError `account_suspended`.
 */
export function requireNotSuspended(account: Pick<Account, 'suspendedAt' | 'deletionDueAt'>): void {
  if (account.suspendedAt && !account.deletionDueAt) throw accountSuspended()
}

/** The error for a valid key or a correct password of a suspended account. */
export function accountSuspended(): ServiceError {
  return new ServiceError(
    'account_suspended',
    'This account is suspended. Ask the operator of this service to resume it.',
  )
}

/**
 * The normalised form of an address: trimmed, in lower case.
 * @throws ServiceError `invalid_value` for a malformed one.
 */
export function normalEmail(email: string): string {
  const normal = email.trim().toLowerCase()
  if (!/^[^\s@]+@[^\s@]+$/.test(normal) || normal.length > 254) {
    throw invalidValue(`"${email}" is not an e-mail address. Write it as name@example.org.`, 'email')
  }
  return normal
}

/** The address of a deleted account is its id and this suffix. */
export const deletedSuffix = '@deleted.invalid'

/** They would make an address look like that of another account. */
const unseen = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/**
 * Normalises the address of a new account.
 * @throws ServiceError `invalid_value` for a malformed address, one with invisible characters, or one under `.invalid`, which receives no mail
 *   (RFC 2606). The service gives such addresses to deleted accounts.
 */
export function newEmail(email: string): string {
  const normal = normalEmail(email)
  if (unseen.test(normal)) {
    const message = 'The e-mail address has characters that cannot be seen. Write it again.'
    throw invalidValue(message, 'email')
  }
  if (/[@.]invalid\.*$/.test(normal)) {
    const message = `"${email}" is not an e-mail address that can be reached. Give another one.`
    throw invalidValue(message, 'email')
  }
  return normal
}

function requirePlan(plans: Plans, plan: string): void {
  if (!plans.names.includes(plan)) {
    throw invalidValue(`There is no plan "${plan}". Use one of: ${plans.names.join(', ')}.`, 'plan')
  }
}

/** The current plan of an account. */
export async function planOfAccount(executor: Executor, plans: Plans, accountId: string): Promise<Plan> {
  const [account] = await executor
    .select({ plan: accounts.plan })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  if (!account) throw new Error(`there is no account ${accountId}`)
  return plans.of(account.plan)
}
