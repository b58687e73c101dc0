import { and, eq } from 'drizzle-orm'
import { changePlan } from '../../billing/change-plan.ts'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { accounts } from '../../db/schema/index.ts'
import { invalidValue, notFound } from '../../errors.ts'
import { addAccount, lockAccount, normalEmail, notDeleted, requireNotSuspended } from '../accounts.ts'
import { recordAction } from '../audit.ts'
import { noPassword } from '../passwords/passwords.ts'
import type { Plans } from '../plans.ts'
import { type Entered, enterAccount, type Origin } from '../sign-in/sign-in-steps.ts'
import { accountOfIdentity, addIdentity, useIdentity } from './identities.ts'
import type { Person, Provider } from './providers.ts'

/** Who may have a new account. */
export type SignUpRules = {
  readonly signUp: 'open' | 'invited' | 'closed'
  readonly signUpDomains: readonly string[]
  readonly signUpPlan: string
}

type Where = {
  readonly provider: Pick<Provider, 'id' | 'label' | 'rules'>
  readonly plans: Plans
  readonly signUpRules: SignUpRules
  readonly origin: Origin
  /** Counts a new account before it is created. @throws ServiceError `rate_limit_exceeded`. */
  readonly countSignUp: () => Promise<void>
}

/**
 * Lets a person in whom a provider has named: by the identity, never by the address alone, unless the row of the
 * provider trusts it. The provider's claims set role and plan at each sign-in.
 * @throws ServiceError `invalid_value` if the person may not sign in or has no account and gets none;
 *   `account_suspended`; what `countSignUp` throws.
 */
export function enterByProvider(
  database: Database,
  person: Person,
  where: Where,
): Promise<Entered & { readonly email: string }> {
  const { provider, plans, origin } = where
  requireDomain(person, provider)
  return withTx(database, 'system', async (tx) => {
    const accountId = (await accountOfIdentity(tx, person)) ?? (await accountForNew(tx, person, where))
    const account = await lockAccount(tx, accountId)
    requireNotSuspended(account)
    if (!(await useIdentity(tx, person, accountId))) throw notFound()
    await setRole(tx, person, provider, account)
    await setPlanByClaim(tx, plans, person, provider, account)
    return { ...(await enterAccount(tx, accountId, origin)), email: account.email }
  })
}

/**
 * Gives the identity of a person to an account whose owner is signed in.
 * @throws ServiceError `invalid_value` if another account has it.
 */
export function linkPerson(
  database: Database,
  person: Person,
  {
    provider,
    accountId,
  }: { readonly provider: Pick<Provider, 'id' | 'label' | 'rules'>; readonly accountId: string },
): Promise<void> {
  requireDomain(person, provider)
  return withTx(database, 'system', async (tx) => {
    const owner = await accountOfIdentity(tx, person)
    if (owner === accountId) return
    if (owner !== undefined)
      throw invalidValue(`This person at "${provider.label}" signs in to another account.`)
    await addIdentity(tx, person, { accountId, provider: provider.id })
  })
}

/** The account of a person who signs in for the first time: that of a trusted address, or a new one. */
async function accountForNew(tx: Executor, person: Person, where: Where): Promise<string> {
  const { provider, plans, signUpRules, countSignUp } = where
  const { rules, label } = provider
  const email = person.emailVerified && person.email !== undefined ? normalEmail(person.email) : undefined
  if (email !== undefined) {
    const [known] = await tx
      .select({ id: accounts.id })
      .from(accounts)
      .where(and(eq(accounts.email, email), notDeleted))
    if (known && !rules.trustEmail)
      throw invalidValue(
        `An account for ${email} exists already. Sign in to it, then connect "${label}" in its settings.`,
      )
    if (known) {
      await addIdentity(tx, person, { accountId: known.id, provider: provider.id })
      return known.id
    }
  }
  if (!mayCreate(email, rules.createAccounts, signUpRules))
    throw invalidValue(
      `There is no account here for this person at "${label}". Ask the operator of this service for one.`,
    )
  if (email === undefined) throw invalidValue(`"${label}" does not say that your e-mail address is verified.`)
  await countSignUp()
  const account = await addAccount(tx, plans, {
    ...{ email, plan: signUpRules.signUpPlan, passwordHash: noPassword },
  })
  await addIdentity(tx, person, { accountId: account.id, provider: provider.id })
  return account.id
}

function mayCreate(
  email: string | undefined,
  created: Provider['rules']['createAccounts'],
  { signUp, signUpDomains }: SignUpRules,
): boolean {
  if (created !== 'as_signup') return created === 'always'
  return signUp === 'open' && (email === undefined || isOfDomain(email, signUpDomains))
}

/** Whether an address may have an account. @param domains empty: every address may. */
export function isOfDomain(email: string, domains: readonly string[]): boolean {
  return domains.length === 0 || domains.includes(email.trim().toLowerCase().split('@').at(-1) ?? '')
}

function requireDomain(
  { email, emailVerified }: Person,
  { rules, label }: Pick<Provider, 'rules' | 'label'>,
): void {
  const { allowedDomains } = rules
  if (!allowedDomains || (email !== undefined && emailVerified && isOfDomain(email, allowedDomains))) return
  const domains = allowedDomains.join(', ')
  throw invalidValue(`Only verified addresses of ${domains} may sign in by "${label}".`)
}

type Known = {
  readonly id: string
  readonly email: string
  readonly operator: boolean
  readonly plan: string
}

async function setRole(
  tx: Executor,
  { claims }: Person,
  { id, rules }: Pick<Provider, 'id' | 'rules'>,
  account: Known,
): Promise<void> {
  if (!rules.operators) return
  const operator = valuesOf(claims[rules.operators.claim]).includes(rules.operators.value)
  if (operator === account.operator) return
  await tx.update(accounts).set({ operator }).where(eq(accounts.id, account.id))
  const details = { operator, provider: id }
  await recordAction(tx, {
    actor: account.id,
    action: 'account.role_changed',
    accountId: account.id,
    details,
  })
}

/** A person without a named plan keeps that of the account. */
async function setPlanByClaim(
  tx: Executor,
  plans: Plans,
  { claims }: Person,
  { rules }: Pick<Provider, 'rules'>,
  account: Known,
): Promise<void> {
  if (!rules.plans) return
  const { claim, values } = rules.plans
  const named = valuesOf(claims[claim]).find((value) => Object.hasOwn(values, value))
  const plan = named === undefined ? undefined : values[named]
  if (plan === undefined || plan === account.plan) return
  await changePlan(tx, plans, { actor: account.id, email: account.email, plan })
}

/** A claim is one value or a list of them. */
function valuesOf(claim: unknown): readonly string[] {
  return [claim].flat().map(String)
}
