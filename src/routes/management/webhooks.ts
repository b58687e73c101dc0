import { z } from 'zod'
import { confinedTo } from '../../accounts/principal.ts'
import { withTx } from '../../db/client.ts'
import { principalOf, resourceOf } from '../../http/auth.ts'
import type { ResourceLookup } from '../../http/connection/fastify.ts'
import { atMost, bounds } from '../../http/limits/bounds.ts'
import { listBody, unixSeconds } from '../../http/lists.ts'
import { type BodyOf, count, deletedOf, instant, listOf, type RouteDocs } from '../../http/openapi/docs.ts'
import { wholeNumber } from '../../http/openapi/whole-number.ts'
import type { Api } from '../../http/openapi/zod.ts'
import type { Services } from '../../turns/services.ts'
import {
  type Delivery,
  deliveryState,
  listDeliveries,
  sendAgain,
  sendTest,
} from '../../webhooks/deliveries.ts'
import {
  bothHours,
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  type Endpoint,
  findEndpoint,
  listEndpoints,
  rotateSecret,
  webhookEvents,
} from '../../webhooks/endpoints.ts'
import { onceFor } from './idempotent.ts'

const endpointSchema = z
  .object({
    id: z.string(),
    object: z.literal('webhook_endpoint'),
    url: z.string(),
    events: z.array(z.enum(webhookEvents)),
    project_id: z.string().nullable().describe('Events of this project only; null: of the whole account'),
    enabled: z.boolean().describe('False: told of nothing. An endpoint that answers 410 is switched off'),
    secret: z
      .string()
      .optional()
      .describe('Signs each request, as Standard Webhooks describes it. Only in the reply that made it'),
    created_at: instant,
  })
  .meta({ id: 'WebhookEndpoint' })

const deliverySchema = z
  .object({
    id: z.string(),
    object: z.literal('webhook_delivery'),
    event_id: z.string().describe('`webhook-id` of the requests'),
    type: z.string(),
    state: z.enum(['delivered', 'pending', 'failed']),
    attempts: count,
    next_attempt_at: instant.nullable(),
    status: z.int().nullable().describe('Of the last reply; null: there was none'),
    error: z.string().nullable().describe('Why there was no reply'),
    payload: z.string().describe('The JSON that is sent'),
    created_at: instant,
    delivered_at: instant.nullable(),
  })
  .meta({ id: 'WebhookDelivery' })

const endpointList = listOf(endpointSchema).meta({ id: 'WebhookEndpointList' })
const deliveryList = listOf(deliverySchema).meta({ id: 'WebhookDeliveryList' })
const endpointDeleted = deletedOf('webhook_endpoint').meta({ id: 'WebhookEndpointDeleted' })
const webhookSent = z
  .object({ object: z.literal('webhook_test'), sent: z.literal(true) })
  .meta({ id: 'WebhookSent' })

const fields = z.object({
  url: z.string().max(bounds.url.max, atMost(bounds.url)),
  events: z.array(z.enum(webhookEvents)).min(1).max(webhookEvents.length),
  project_id: z.string().max(100).nullish().describe('Events of this project only'),
  enabled: z.boolean().nullish().describe('Default: true'),
})

/** Null means that the field stays, except for the project. */
const changedFields = z.object({
  url: fields.shape.url.nullish(),
  events: fields.shape.events.nullish(),
  project_id: fields.shape.project_id,
  enabled: z.boolean().nullish(),
})

const deliveryQuery = z.object({
  limit: wholeNumber(1, 100).default(20),
  after: wholeNumber(1, 2 ** 53 - 1).optional(),
})

/** An endpoint as the API shows it. @param secret only in the reply that made it. */
function endpointBody(endpoint: Endpoint, secret?: string): BodyOf<typeof endpointSchema> {
  return {
    id: endpoint.id,
    object: 'webhook_endpoint',
    url: endpoint.url,
    events: endpoint.events as (typeof webhookEvents)[number][],
    project_id: endpoint.projectId,
    enabled: !endpoint.disabled,
    ...(secret !== undefined && { secret }),
    created_at: unixSeconds(endpoint.createdAt),
  }
}

function deliveryBody(delivery: Delivery): BodyOf<typeof deliverySchema> {
  return {
    id: String(delivery.id),
    object: 'webhook_delivery',
    event_id: delivery.event,
    type: delivery.type,
    state: deliveryState(delivery),
    attempts: delivery.attempts,
    next_attempt_at: delivery.dueAt && unixSeconds(delivery.dueAt),
    status: delivery.status,
    error: delivery.error,
    payload: delivery.body,
    created_at: unixSeconds(delivery.createdAt),
    delivered_at: delivery.deliveredAt && unixSeconds(delivery.deliveredAt),
  }
}

const named: ResourceLookup = async (tx, principal, id) =>
  confinedTo(principal) === null
    ? findEndpoint(tx, principal.accountId, id).catch(() => undefined)
    : undefined

const tag = 'Account' as const
const docs = {
  list: { summary: 'List the webhook endpoints of the account', tag, response: endpointList },
  create: {
    summary: 'Create a webhook endpoint',
    description:
      'Its events are sent to the address, signed as Standard Webhooks describes it, at least once and in order for each run. The reply has the secret.',
    tag,
    response: endpointSchema,
    requestHeaders: { 'idempotency-key': 'A request that is sent again with it is done once.' },
    errors: ['idempotency_key_reused', 'not_found'],
  },
  get: { summary: 'Get a webhook endpoint', tag, response: endpointSchema },
  change: { summary: 'Change a webhook endpoint', tag, response: endpointSchema },
  delete: { summary: 'Delete a webhook endpoint with its log', tag, response: endpointDeleted },
  rotate: {
    summary: 'Give a webhook endpoint a new secret',
    description: `For ${bothHours} hours requests are signed with the old and the new secret.`,
    tag,
    response: endpointSchema,
  },
  test: {
    summary: 'Send a webhook endpoint an event of the type `webhook.test`',
    tag,
    response: webhookSent,
  },
  log: {
    summary: 'List what a webhook endpoint was sent',
    description: 'The last 30 days, newest first.',
    tag,
    response: deliveryList,
  },
  again: {
    summary: 'Send a delivery again',
    tag,
    response: webhookSent,
    params: { delivery: 'Id of a delivery of the endpoint' },
  },
} satisfies Record<string, RouteDocs>

/** `/v1/webhook_endpoints`: addresses that are told of events, and what they were sent. */
export function webhookRoutes(app: Api, services: Services): void {
  collectionRoutes(app, services)
  itemRoutes(app, services)
  secretRoutes(app, services)
  deliveryRoutes(app, services)
}

const scope = 'account:manage' as const
const one = { scope, resource: named }

function collectionRoutes(app: Api, services: Services): void {
  const { database, peppers, webhooksAllowPrivate: allowPrivate = false } = services

  app.get('/webhook_endpoints', { config: { scope, docs: docs.list } }, async (request) => {
    const principal = principalOf(request)
    const endpoints = await withTx(database, principal, (tx) => listEndpoints(tx, principal.accountId))
    return listBody(
      endpoints.map((endpoint) => endpointBody(endpoint)),
      false,
    )
  })

  app.post(
    '/webhook_endpoints',
    { config: { scope, docs: docs.create }, schema: { body: fields } },
    async (request) => {
      const principal = principalOf(request)
      const { url, events, project_id: projectId = null, enabled } = request.body
      const input = { url, events, projectId, disabled: enabled === false }
      return withTx(database, principal, (tx) =>
        onceFor(
          tx,
          request,
          async () => {
            const made = await createEndpoint(tx, peppers, principal, input, allowPrivate)
            return endpointBody(made.endpoint, made.secret)
          },
          ({ secret: _, ...rest }) => rest,
        ),
      )
    },
  )
}

function itemRoutes(app: Api, { database, webhooksAllowPrivate: allowPrivate = false }: Services): void {
  app.get('/webhook_endpoints/:id', { config: { ...one, docs: docs.get } }, (request) =>
    endpointBody(resourceOf<Endpoint>(request)),
  )

  app.patch(
    '/webhook_endpoints/:id',
    { config: { ...one, docs: docs.change }, schema: { body: changedFields } },
    async (request) => {
      const principal = principalOf(request)
      const { url, events, project_id: projectId, enabled } = request.body
      const change = {
        ...(url && { url }),
        ...(events && { events }),
        ...(projectId !== undefined && { projectId }),
        ...(typeof enabled === 'boolean' && { disabled: !enabled }),
      }
      const { id } = resourceOf<Endpoint>(request)
      const changed = await withTx(database, principal, (tx) =>
        changeEndpoint(tx, principal, id, change, allowPrivate),
      )
      return endpointBody(changed)
    },
  )

  app.delete('/webhook_endpoints/:id', { config: { ...one, docs: docs.delete } }, async (request) => {
    const principal = principalOf(request)
    const { id } = resourceOf<Endpoint>(request)
    await withTx(database, principal, (tx) => deleteEndpoint(tx, principal, id))
    return { id, object: 'webhook_endpoint', deleted: true } as const
  })
}

function secretRoutes(app: Api, { database, peppers }: Services): void {
  app.post(
    '/webhook_endpoints/:id/rotate_secret',
    { config: { ...one, docs: docs.rotate } },
    async (request) => {
      const principal = principalOf(request)
      const { id } = resourceOf<Endpoint>(request)
      return withTx(database, principal, async (tx) => {
        const { endpoint, secret } = await rotateSecret(tx, peppers, principal, id)
        return endpointBody(endpoint, secret)
      })
    },
  )
}

function deliveryRoutes(app: Api, { database }: Services): void {
  app.post('/webhook_endpoints/:id/test', { config: { ...one, docs: docs.test } }, async (request) => {
    const { accountId } = principalOf(request)
    const { id } = resourceOf<Endpoint>(request)
    await withTx(database, { accountId }, (tx) => sendTest(tx, accountId, id))
    return { object: 'webhook_test', sent: true } as const
  })

  app.get(
    '/webhook_endpoints/:id/deliveries',
    { config: { ...one, docs: docs.log }, schema: { querystring: deliveryQuery } },
    async (request): Promise<BodyOf<typeof deliveryList>> => {
      const { accountId } = principalOf(request)
      const { limit, after } = request.query
      const page = { limit, after: after === undefined ? undefined : BigInt(after) }
      const { id } = resourceOf<Endpoint>(request)
      const { items, hasMore } = await withTx(database, { accountId }, (tx) =>
        listDeliveries(tx, accountId, id, page),
      )
      return listBody(items.map(deliveryBody), hasMore)
    },
  )

  app.post(
    '/webhook_endpoints/:id/deliveries/:delivery/send',
    { config: { ...one, docs: docs.again } },
    async (request) => {
      const { accountId } = principalOf(request)
      const { delivery } = request.params as { readonly delivery: string }
      const { id } = resourceOf<Endpoint>(request)
      await withTx(database, { accountId }, (tx) => sendAgain(tx, accountId, id, delivery))
      return { object: 'webhook_test', sent: true } as const
    },
  )
}
