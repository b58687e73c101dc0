import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Account, findAccountById } from '../../../accounts/accounts.ts'
import { listAuditEntries, newestAuditEntry } from '../../../accounts/audit.ts'
import { countActiveKeys } from '../../../accounts/keys/key-list.ts'
import { creditsOf, ensureAllowance, nextRenewal } from '../../../billing/account-credits.ts'
import { changePlan } from '../../../billing/change-plan.ts'
import { parseCredits } from '../../../billing/credits.ts'
import { grantOnce } from '../../../billing/grant-once.ts'
import { takeCreditsBack } from '../../../billing/take-back.ts'
import { readUsage } from '../../../billing/usage/usage.ts'
import { spanOf } from '../../../billing/usage/usage-span.ts'
import { withTx } from '../../../db/client.ts'
import { ServiceError } from '../../../errors.ts'
import { doneMessage, readFields, sendFormAgain } from '../../components/forms.ts'
import { type Page, sendPage } from '../../components/page.ts'
import { operatorsOnly } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { principalOfAccount, visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { accountPage, type MessageShown } from './operator-account-view.ts'

const planForm = z.object({ plan: z.string().max(40) })
const grantForm = z.object({ amount: z.string().max(40), seen: z.string().regex(/^\d{1,18}$/) })

type ById = { Params: { id: string } }

/** `/operator/accounts/:id`: one account, the change of its plan, and its credits. */
export function operatorAccountPage(app: FastifyInstance, services: WebServices): void {
  const { database, plans } = services

  app.get<ById>('/operator/accounts/:id', operatorsOnly, (request, reply) =>
    showAccount(services, request, {
      done: doneMessage(request, textsOf(request).operator.accounts.done),
    }).then((page) => sendPage(reply, page)),
  )

  app.post<ById>('/operator/accounts/:id/plan', operatorsOnly, async (request, reply) => {
    const { plan } = readFields(planForm, request.body)
    const account = await accountOf(services, request)
    try {
      const change = { actor: visitorOf(request).person.id, email: account.email, plan }
      await withTx(database, 'system', (tx) => changePlan(tx, plans, change))
    } catch (error) {
      return sendFormAgain(reply, error, (problem) => showAccount(services, request, { problem }))
    }
    return reply.redirect(`/operator/accounts/${account.id}?done=plan`, 303)
  })

  const creditForm = (
    name: 'grant' | 'take-back',
    change: (...by: Parameters<typeof grantOnce>) => Promise<unknown>,
    typed: (amount: string) => MessageShown,
  ) =>
    app.post<ById>(`/operator/accounts/:id/${name}`, operatorsOnly, async (request, reply) => {
      const { amount, seen } = readFields(grantForm, request.body)
      const account = await accountOf(services, request)
      const micros = parseCredits(amount)
      try {
        if (micros === undefined || micros === 0n) throw badAmount()
        const by = { actor: visitorOf(request).person.id, accountId: account.id, micros, seen }
        await withTx(database, 'system', async (tx) => void (await change(tx, by)))
      } catch (error) {
        return sendFormAgain(reply, error, (problem) =>
          showAccount(services, request, { problem, ...typed(amount) }),
        )
      }
      return reply.redirect(`/operator/accounts/${account.id}?done=${name}`, 303)
    })
  creditForm('grant', grantOnce, (amount) => ({ amount }))
  creditForm('take-back', takeCreditsBack, (takeBack) => ({ takeBack }))
}

/**
 * The account in the path.
 * @throws ServiceError `not_found`.
 */
export async function accountOf({ database }: WebServices, request: FastifyRequest): Promise<Account> {
  const { id } = request.params as ById['Params']
  const account = await findAccountById(database.system, id)
  if (!account) throw new ServiceError('not_found', 'There is no such account.')
  return account
}

/** Sends the page of the account in the path. */
export async function showAccount(
  services: WebServices,
  request: FastifyRequest,
  message: MessageShown,
): Promise<Page> {
  const { database, plans } = services
  const account = await accountOf(services, request)
  const known = plans.names.includes(account.plan)
  const principal = known ? principalOfAccount(account, plans) : undefined
  const shown = await withTx(database, 'system', async (tx) => {
    if (principal) await ensureAllowance(tx, account.id, principal.plan)
    return {
      credits: await creditsOf(tx, account.id),
      renewsAt: await nextRenewal(tx),
      newestEntry: await newestAuditEntry(tx, account.id),
      entries: await listAuditEntries(tx, { accountId: account.id, limit: 10 }),
      activeKeys: await countActiveKeys(tx, account.id),
      days: principal ? await readUsage(tx, principal, { group: 'day', ...spanOf({}), limit: 400 }) : [],
    }
  })
  return accountPage(textsOf(request), {
    account,
    viewer: visitorOf(request).person,
    plans: plans.names,
    ...shown,
    ...message,
  })
}

function badAmount(): ServiceError {
  return new ServiceError(
    'invalid_value',
    'Enter credits as a number above zero with at most six decimals, such as 250 or 0.5.',
  )
}
