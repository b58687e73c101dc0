import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { createForOther, searchAccounts } from '../../../accounts/accounts.ts'
import { availableOf } from '../../../billing/account-credits.ts'
import { readActivity } from '../../../billing/usage/usage.ts'
import { withTx } from '../../../db/client.ts'
import { randomBase62 } from '../../../ids.ts'
import { doneMessage, readFields, sendFormAgain } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { operatorsOnly } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { accountMadePage, accountsPage, newAccountPage } from './operator-views.ts'

const accountsShown = 50
const activityMs = 30 * 86_400_000

const words = z
  .string()
  .trim()
  .max(254)
  .optional()
  .transform((text) => text || undefined)
const listQuery = z.object({ q: words, plan: words, after: words })
const newForm = z.object({
  email: z.string().max(300),
  plan: z.string().max(40),
  operator: z.literal('yes').optional(),
})

/** `/operator` and `/operator/accounts/new`: all accounts, with their plans and credits. */
export function operatorAccountPages(app: FastifyInstance, services: WebServices): void {
  const { database, plans } = services

  app.get('/operator', operatorsOnly, async (request, reply) => {
    const search = readFields(listQuery, request.query)
    const found = await searchAccounts(database.system, {
      ...search,
      text: search.q,
      limit: accountsShown + 1,
    })
    const accounts = found.slice(0, accountsShown)
    const ids = accounts.map(({ id }) => id)
    const [balances, activity] = await Promise.all([
      availableOf(database.system, ids),
      readActivity(database.system, ids, new Date(Date.now() - activityMs)),
    ])
    const hasMore = found.length > accountsShown
    const page = {
      search,
      accounts,
      balances,
      activity,
      hasMore,
      plans: plans.names,
      done: doneMessage(request, textsOf(request).operator.accounts.done),
    }
    return sendPage(reply, accountsPage(textsOf(request), page))
  })

  app.get('/operator/accounts/new', operatorsOnly, (request, reply) =>
    sendPage(reply, newAccountPage(textsOf(request), plans.names, { plan: plans.names[0] ?? '' })),
  )

  app.post('/operator/accounts', operatorsOnly, async (request, reply) => {
    const input = readFields(newForm, request.body)
    const password = randomBase62(20)
    try {
      const made = { email: input.email, plan: input.plan, password, operator: input.operator === 'yes' }
      const actor = visitorOf(request).person.id
      const account = await withTx(database, 'system', (tx) => createForOther(tx, plans, actor, made))
      return sendPage(reply, accountMadePage(textsOf(request), account, password))
    } catch (error) {
      return sendFormAgain(reply, error, (problem) =>
        newAccountPage(textsOf(request), plans.names, { ...input, problem }),
      )
    }
  })
}
