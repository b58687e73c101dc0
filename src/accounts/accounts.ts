import { and, asc, eq, gt, notLike, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { databaseFault, uniqueViolation } from '../db/errors.ts'
import { accounts } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import { newId } from '../ids.ts'
import { hashPassword } from './passwords.ts'
import type { Plan, Plans } from './plans.ts'

export type Account = {
  readonly id: string
  readonly email: string
  readonly plan: string
  readonly operator: boolean
  readonly createdAt: Date
}

const columns = {
  id: accounts.id,
  email: accounts.email,
  plan: accounts.plan,
  operator: accounts.operator,
  createdAt: accounts.createdAt,
}

/** @throws ServiceError `invalid_value` for an unknown plan, a malformed or a taken address. */
export async function createAccount(
  executor: Executor,
  plans: Plans,
  input: { email: string; plan: string; password: string; operator?: boolean },
): Promise<Account> {
  const email = normalEmail(input.email)
  requirePlan(plans, input.plan)
  const values = {
    id: newId('account'),
    email,
    plan: input.plan,
    operator: input.operator ?? false,
    passwordHash: await hashPassword(input.password),
  }
  try {
    const [account] = await executor.insert(accounts).values(values).returning(columns)
    if (!account) throw new Error('insert returned no row')
    return account
  } catch (error) {
    if (databaseFault(error)?.code === uniqueViolation) {
      throw new ServiceError('invalid_value', `There is an account for ${email} already.`, { param: 'email' })
    }
    throw error
  }
}

/** @throws ServiceError `not_found` when no account has that address. */
export async function findAccount(executor: Executor, email: string): Promise<Account> {
  const [account] = await executor
    .select(columns)
    .from(accounts)
    .where(eq(accounts.email, normalEmail(email)))
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
  return executor.select(columns).from(accounts).orderBy(asc(accounts.createdAt), asc(accounts.id))
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
    .select(columns)
    .from(accounts)
    .where(
      and(
        notLike(accounts.email, '%@deleted.invalid'),
        when(search.text, (text) => sql`strpos(${accounts.email}, ${text.trim().toLowerCase()}) > 0`),
        when(search.plan, (plan) => eq(accounts.plan, plan)),
        when(search.after, (after) => gt(accounts.email, after)),
      ),
    )
    .orderBy(asc(accounts.email))
    .limit(search.limit)
}

/** Undefined when there is no such account. */
export async function findAccountById(executor: Executor, id: string): Promise<Account | undefined> {
  const [account] = await executor.select(columns).from(accounts).where(eq(accounts.id, id))
  return account
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
