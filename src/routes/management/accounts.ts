import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Account, createForOther, findAccountById, listAccounts } from '../../accounts/accounts.ts'
import { deleteAccount } from '../../accounts/delete-account.ts'
import type { Principal } from '../../accounts/principal.ts'
import { createResetLink, resetHours } from '../../accounts/sign-in/password-reset.ts'
import { availableIn, creditsOf, ensureAllowance } from '../../billing/account-credits.ts'
import { changePlan } from '../../billing/change-plan.ts'
import { creditsText, parseCredits } from '../../billing/credits.ts'
import { grantByOperator } from '../../billing/grant-once.ts'
import { takeCreditsBack } from '../../billing/take-back.ts'
import { type Executor, withTx } from '../../db/client.ts'
import { invalidValue, notFound, ServiceError, wrongField } from '../../errors.ts'
import { principalOf } from '../../http/auth.ts'
import { listBody, unixSeconds } from '../../http/lists.ts'
import { type BodyOf, deletedOf, instant, listOf, type RouteDocs } from '../../http/openapi/docs.ts'
import { wholeNumber } from '../../http/openapi/whole-number.ts'
import { type Api, idText } from '../../http/openapi/zod.ts'
import { originOf } from '../../http/origin.ts'
import { randomBase62 } from '../../ids.ts'
import type { Services } from '../../turns/services.ts'
import { resumeAccount, suspendAccount } from '../../turns/sessions/suspension.ts'
import { onceFor } from './idempotent.ts'

const accountSchema = z
  .object({
    id: z.string(),
    object: z.literal('account'),
    email: z.string(),
    plan: z.string(),
    operator: z.boolean(),
    suspended: z.boolean(),
    credits: z.object({ available: z.string(), held: z.string() }).optional().describe('Absent in lists'),
    password_link: z
      .string()
      .optional()
      .describe(
        `Sets the first password, once, for ${resetHours} hours. Only in the reply that made the account`,
      ),
    created_at: instant,
  })
  .meta({ id: 'Account' })

const accountList = listOf(accountSchema).meta({ id: 'AccountList' })
const accountDeleted = deletedOf('account').meta({ id: 'AccountDeleted' })

const newBody = z.object({
  email: z.string().max(320),
  plan: z.string().max(100).nullish().describe('Default: free'),
})
const changeBody = z.object({ plan: z.string().max(100).nullish(), suspended: z.boolean().nullish() })
const creditsBody = z.object({
  amount: z.string().max(40).describe('Credits, as decimal text; below 0 to take some back'),
})
const listQuery = z.object({ limit: wholeNumber(1, 100).default(20), after: idText.optional() })

const tag = 'Account' as const
const requestHeaders = { 'idempotency-key': 'A request that is sent again with it is done once.' }
const needsOperator = 'For keys of operators. '
const docs = {
  list: {
    summary: 'List all accounts',
    description: `${needsOperator}Oldest first.`,
    tag,
    response: accountList,
  },
  create: {
    summary: 'Create an account',
    description: `${needsOperator}Its owner sets the password with the link in the reply.`,
    tag,
    response: accountSchema,
    requestHeaders,
    errors: ['idempotency_key_reused'],
  },
  get: { summary: 'Get an account', description: needsOperator.trim(), tag, response: accountSchema },
  change: {
    summary: 'Change the plan of an account, suspend or resume it',
    description: `${needsOperator}A suspension stops its turns and refuses its keys at once.`,
    tag,
    response: accountSchema,
  },
  credits: {
    summary: 'Give an account credits, or take some back',
    description: `${needsOperator}Send an \`Idempotency-Key\`, such as the id of the payment, so that a repeated request gives them once.`,
    tag,
    response: accountSchema,
    requestHeaders,
    errors: ['idempotency_key_reused'],
  },
  delete: {
    summary: 'Delete an account with its keys, projects, conversations and files',
    description: `${needsOperator}Refused while a turn of it has not ended.`,
    tag,
    response: accountDeleted,
    errors: ['session_busy', 'account_held'],
  },
} satisfies Record<string, RouteDocs>

/** `/v1/accounts`: all accounts, for the programs of a host, such as a shop that sells credits. */
export function accountRoutes(app: Api, services: Services): void {
  const operator = operatorOf(services)
  collectionRoutes(app, services, operator)
  itemRoutes(app, services, operator)
  creditRoute(app, operator)
}

const scope = 'accounts:manage' as const

/** What the routes do as an operator. */
function operatorOf({ database, plans }: Services) {
  const bodyOf = async (tx: Executor, account: Account) => {
    await ensureAllowance(tx, account.id, plans.of(account.plan))
    const credits = await creditsOf(tx, account.id)
    const shown = { available: creditsText(availableIn(credits)), held: creditsText(credits.heldMicros) }
    return { ...accountBody(account), credits: shown }
  }
  /** A transaction of an operator that sees all accounts. */
  const asOperator = <T>(request: FastifyRequest, work: (tx: Executor, actor: string) => Promise<T>) =>
    withTx(database, 'system', async (tx) => {
      const principal = principalOf(request)
      await requireOperator(tx, principal)
      return work(tx, principal.accountId)
    })

  return { bodyOf, asOperator }
}

type Operator = ReturnType<typeof operatorOf>

function collectionRoutes(app: Api, services: Services, { bodyOf, asOperator }: Operator): void {
  const { plans } = services

  app.get(
    '/accounts',
    { config: { scope, docs: docs.list }, schema: { querystring: listQuery } },
    (request): Promise<BodyOf<typeof accountList>> =>
      asOperator(request, async (tx) => {
        const { limit, after } = request.query
        const found = await listAccounts(tx, { after, limit: limit + 1 })
        return listBody(found.slice(0, limit).map(accountBody), found.length > limit)
      }),
  )

  app.post('/accounts', { config: { scope, docs: docs.create }, schema: { body: newBody } }, (request) =>
    asOperator(request, (tx, actor) =>
      onceFor(
        tx,
        request,
        () => created(tx, actor, request),
        ({ password_link: _, ...rest }) => rest,
      ),
    ),
  )

  const created = async (tx: Executor, actor: string, request: FastifyRequest) => {
    const { email, plan } = request.body as z.output<typeof newBody>
    // Nobody knows this password: the owner sets one by the link.
    const account = await createForOther(tx, plans, actor, {
      email,
      plan: plan ?? 'free',
      password: randomBase62(40),
    })
    const { path } = await createResetLink(tx, { actor, accountId: account.id })
    const link = originOf(services, request) + path
    return { ...(await bodyOf(tx, account)), password_link: link } as BodyOf<typeof accountSchema>
  }
}

function itemRoutes(app: Api, { database, plans }: Services, { bodyOf, asOperator }: Operator): void {
  app.get('/accounts/:id', { config: { scope, docs: docs.get } }, (request) =>
    asOperator(request, async (tx) => bodyOf(tx, await accountOf(tx, request))),
  )

  app.patch(
    '/accounts/:id',
    { config: { scope, docs: docs.change }, schema: { body: changeBody } },
    async (request) => {
      const { plan, suspended } = request.body
      const { actor, id } = await asOperator(request, async (tx, actor) => {
        const { email, id } = await accountOf(tx, request)
        if (plan) await changePlan(tx, plans, { actor, email, plan })
        return { actor, id }
      })
      if (suspended === true) await suspendAccount(database, { actor, accountId: id })
      if (suspended === false) await resumeAccount(database, { actor, accountId: id })
      return asOperator(request, async (tx) => bodyOf(tx, await accountOf(tx, request)))
    },
  )

  app.delete('/accounts/:id', { config: { scope, docs: docs.delete } }, async (request) => {
    const { actor, id } = await asOperator(request, async (tx, actor) => ({
      actor,
      id: (await accountOf(tx, request)).id,
    }))
    if (id === actor) throw invalidValue('An operator deletes the own account on its page.')
    await deleteAccount(database, { actor, accountId: id })
    return { id, object: 'account', deleted: true } as const
  })
}

function creditRoute(app: Api, { bodyOf, asOperator }: Operator): void {
  app.post(
    '/accounts/:id/credits',
    { config: { scope, docs: docs.credits }, schema: { body: creditsBody } },
    (request) =>
      asOperator(request, async (tx, actor) => {
        const account = await accountOf(tx, request)
        return onceFor(tx, request, async () => {
          await changeCredits(tx, { actor, accountId: account.id }, request.body.amount)
          return bodyOf(tx, account)
        })
      }),
  )
}

/** A key keeps its scopes when its account is no operator any more. */
async function requireOperator(tx: Executor, { accountId }: Principal): Promise<void> {
  const account = await findAccountById(tx, accountId)
  if (!account?.operator)
    throw new ServiceError(
      'missing_scope',
      'The scope "accounts:manage" works for accounts of operators only.',
    )
}

async function accountOf(tx: Executor, request: FastifyRequest): Promise<Account> {
  const { id } = request.params as { readonly id: string }
  const account = await findAccountById(tx, id.replaceAll('\0', '\ufffd'))
  if (!account) throw notFound()
  return account
}

async function changeCredits(
  tx: Executor,
  who: { readonly actor: string; readonly accountId: string },
  text: string,
): Promise<void> {
  const isTaken = text.startsWith('-')
  const micros = parseCredits(isTaken ? text.slice(1) : text)
  if (micros === undefined || micros <= 0n)
    throw wrongField('amount', 'must be credits, such as "12.5", or "-12.5" to take them back')
  if (isTaken) await takeCreditsBack(tx, { ...who, micros })
  else await grantByOperator(tx, { ...who, micros })
}

function accountBody(account: Account): BodyOf<typeof accountSchema> {
  return {
    id: account.id,
    object: 'account',
    email: account.email,
    plan: account.plan,
    operator: account.operator,
    suspended: account.suspendedAt !== null,
    created_at: unixSeconds(account.createdAt),
  }
}
