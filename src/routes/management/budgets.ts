import { z } from 'zod'
import { type Budget, budgetPeriods, listBudgets, setBudget } from '../../billing/budgets.ts'
import { creditsText } from '../../billing/credits.ts'
import { withTx } from '../../db/client.ts'
import { principalOf } from '../../http/auth.ts'
import type { BodyOf, RouteDocs } from '../../http/openapi/docs.ts'
import type { Api } from '../../http/openapi/zod.ts'
import type { Services } from '../../turns/services.ts'
import { amount, capOf } from './key-body.ts'

const budgetSchema = z
  .object({
    object: z.literal('budget'),
    project_id: z.string().nullable().describe('Null: of the whole account'),
    period: z.enum(budgetPeriods),
    credits: amount,
  })
  .meta({ id: 'Budget' })

const budgetList = z
  .object({ object: z.literal('list'), data: z.array(budgetSchema) })
  .meta({ id: 'BudgetList' })

const newBody = z.object({
  project_id: z.string().max(100).nullish().describe('Null: of the whole account'),
  period: z.enum(budgetPeriods).describe('A day or a calendar month (UTC), or all time'),
  credits: amount.nullable().describe('Null removes the budget'),
})

const tag = 'Account' as const
const listDocs: RouteDocs = {
  summary: 'List the budgets of the account and its projects',
  description:
    'At 80 % and at 100 % of a budget the owner is told by mail and by the event `budget.reached`. Nothing is refused; caps of keys refuse.',
  tag,
  response: budgetList,
}
const setDocs: RouteDocs = {
  summary: 'Set or remove a budget',
  tag,
  response: budgetList,
  errors: ['not_found'],
}

/** `/v1/budgets`: what an owner means to spend. */
export function budgetRoutes(app: Api, { database }: Services): void {
  const scope = 'account:manage' as const

  app.get('/budgets', { config: { scope, docs: listDocs } }, async (request) => {
    const { accountId } = principalOf(request)
    return listBody(await withTx(database, { accountId }, (tx) => listBudgets(tx, accountId)))
  })

  app.post('/budgets', { config: { scope, docs: setDocs }, schema: { body: newBody } }, async (request) => {
    const { accountId } = principalOf(request)
    const { project_id: projectId, period, credits } = request.body
    const budget = { projectId: projectId ?? '', period, micros: capOf('credits', credits) }
    return withTx(database, { accountId }, async (tx) => {
      await setBudget(tx, accountId, budget)
      return listBody(await listBudgets(tx, accountId))
    })
  })
}

function listBody(budgets: readonly Budget[]): BodyOf<typeof budgetList> {
  const data = budgets.map(({ projectId, period, micros }) => ({
    object: 'budget' as const,
    project_id: projectId === '' ? null : projectId,
    period,
    credits: creditsText(micros),
  }))
  return { object: 'list', data }
}
