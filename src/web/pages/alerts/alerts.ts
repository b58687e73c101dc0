import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { budgetPeriods, listBudgets, setBudget } from '../../../billing/budgets.ts'
import { parseCredits } from '../../../billing/credits.ts'
import { withTx } from '../../../db/client.ts'
import { wrongField } from '../../../errors.ts'
import { listProjects } from '../../../turns/sessions/projects.ts'
import { listDeliveries, sendAgain, sendTest } from '../../../webhooks/deliveries.ts'
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  findEndpoint,
  listEndpoints,
  rotateSecret,
  type WebhookEvent,
  webhookEvents,
} from '../../../webhooks/endpoints.ts'
import { doneMessage, manyTexts, readFields, sendFormAgain } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { adminsOnly } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { type AlertProblems, alertsPage } from './alerts-view.ts'
import { endpointPage, secretPage } from './endpoint-view.ts'

const budgetForm = z.object({
  /** Empty: the whole account. */
  project: z.string().max(100),
  period: z.enum(budgetPeriods),
  /** Empty removes the budget. */
  credits: z.string().max(40).trim(),
})

const endpointForm = z.object({
  url: z.string().max(8_000).trim(),
  project: z.string().max(100).default(''),
  events: manyTexts,
  enabled: z.string().optional(),
})

const isEvent = (text: string): text is WebhookEvent => (webhookEvents as readonly string[]).includes(text)

type Named = { Params: { id: string } }

/** `/settings/alerts` */
export function alertPages(app: FastifyInstance, services: WebServices): void {
  listPages(app, services)
  endpointPages(app, services)
  deliveryPages(app, services)
}

/** What the list shows. */
async function shownTo({ database }: WebServices, request: FastifyRequest) {
  const { account, principal } = visitorOf(request)
  return withTx(database, principal, async (tx) => ({
    budgets: await listBudgets(tx, account.id),
    endpoints: await listEndpoints(tx, account.id),
    projects: (await listProjects(tx, principal, { limit: 100, order: 'desc' })).items,
  }))
}

function listPages(app: FastifyInstance, services: WebServices): void {
  const { database, peppers, webhooksAllowPrivate = false } = services
  const show = async (request: FastifyRequest, problems: AlertProblems) =>
    alertsPage(textsOf(request), await shownTo(services, request), problems)

  app.get('/settings/alerts', adminsOnly, async (request, reply) => {
    const done = doneMessage(request, textsOf(request).alerts.done)
    return sendPage(reply, await show(request, { done }))
  })

  app.post('/settings/alerts/budgets', adminsOnly, async (request, reply) => {
    const { account, principal } = visitorOf(request)
    const { project, period, credits } = readFields(budgetForm, request.body)
    try {
      const micros = credits === '' ? null : parseCredits(credits)
      if (micros === undefined || (micros !== null && micros <= 0n))
        throw wrongField('credits', 'must be credits above 0, such as 12.5')
      await withTx(database, principal, (tx) =>
        setBudget(tx, account.id, { projectId: project, period, micros }),
      )
    } catch (error) {
      return sendFormAgain(reply, error, (budget) => show(request, { budget }))
    }
    return reply.redirect('/settings/alerts?done=budget', 303)
  })

  app.post('/settings/alerts/webhooks', adminsOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    const input = readFields(endpointForm, request.body)
    try {
      const made = await withTx(database, principal, (tx) =>
        createEndpoint(tx, peppers, principal, valuesOf(input), webhooksAllowPrivate),
      )
      return sendPage(reply, secretPage(textsOf(request), made))
    } catch (error) {
      return sendFormAgain(reply, error, (endpoint) => show(request, { endpoint, url: input.url }))
    }
  })
}

const valuesOf = ({ url, events, project }: z.output<typeof endpointForm>) => ({
  ...{ url, events: events.filter(isEvent), projectId: project === '' ? null : project },
})

function endpointPages(app: FastifyInstance, services: WebServices): void {
  const { database, peppers, webhooksAllowPrivate = false } = services
  const show = async (request: FastifyRequest<Named>, problem?: string) => {
    const { account, principal } = visitorOf(request)
    const { id } = request.params
    const found = await withTx(database, principal, async (tx) => ({
      endpoint: await findEndpoint(tx, account.id, id),
      deliveries: (await listDeliveries(tx, account.id, id, { limit: 50 })).items,
    }))
    const done = doneMessage(request, textsOf(request).alerts.done)
    return endpointPage(textsOf(request), { ...found, problem, done })
  }

  app.get<Named>('/settings/alerts/webhooks/:id', adminsOnly, async (request, reply) =>
    sendPage(reply, await show(request)),
  )

  app.post<Named>('/settings/alerts/webhooks/:id', adminsOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    const { url, events, enabled } = readFields(endpointForm, request.body)
    const change = { url, events: events.filter(isEvent), disabled: enabled === undefined }
    try {
      await withTx(database, principal, (tx) =>
        changeEndpoint(tx, principal, request.params.id, change, webhooksAllowPrivate),
      )
    } catch (error) {
      return sendFormAgain(reply, error, (problem) => show(request, problem))
    }
    return reply.redirect(`/settings/alerts/webhooks/${request.params.id}?done=saved`, 303)
  })

  app.post<Named>('/settings/alerts/webhooks/:id/rotate', adminsOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    const made = await withTx(database, principal, (tx) =>
      rotateSecret(tx, peppers, principal, request.params.id),
    )
    return sendPage(reply, secretPage(textsOf(request), made))
  })

  app.post<Named>('/settings/alerts/webhooks/:id/delete', adminsOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    await withTx(database, principal, (tx) => deleteEndpoint(tx, principal, request.params.id))
    return reply.redirect('/settings/alerts?done=deleted', 303)
  })
}

function deliveryPages(app: FastifyInstance, { database }: WebServices): void {
  app.post<Named>('/settings/alerts/webhooks/:id/test', adminsOnly, async (request, reply) => {
    const { account, principal } = visitorOf(request)
    const { id } = request.params
    await withTx(database, principal, async (tx) => {
      await findEndpoint(tx, account.id, id)
      await sendTest(tx, account.id, id)
    })
    return reply.redirect(`/settings/alerts/webhooks/${id}?done=tested#log`, 303)
  })

  app.post<{ Params: { id: string; delivery: string } }>(
    '/settings/alerts/webhooks/:id/deliveries/:delivery/send',
    adminsOnly,
    async (request, reply) => {
      const { account, principal } = visitorOf(request)
      const { id, delivery } = request.params
      await withTx(database, principal, (tx) => sendAgain(tx, account.id, id, delivery))
      return reply.redirect(`/settings/alerts/webhooks/${id}?done=again#log`, 303)
    },
  )
}
