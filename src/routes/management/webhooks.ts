import type { FastifyInstance } from 'fastify'
import { confinedTo } from '../../accounts/principal.ts'
import { withTx } from '../../db/client.ts'
import { principalOf } from '../../http/auth.ts'
import type { ResourceLookup } from '../../http/connection/fastify.ts'
import { listBody } from '../../http/lists.ts'
import type { BodyOf, RouteDocs } from '../../http/openapi/docs.ts'
import type { ZodTypes } from '../../http/openapi/zod.ts'
import type { Services } from '../../turns/services.ts'
import { listDeliveries, sendAgain, sendTest } from '../../webhooks/deliveries.ts'
import {
  bothHours,
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  type Endpoint,
  findEndpoint,
  listEndpoints,
  rotateSecret,
} from '../../webhooks/endpoints.ts'
import { onceFor } from './idempotent.ts'
import {
  changedFields,
  deliveryBody,
  deliveryList,
  deliveryQuery,
  endpointBody,
  endpointDeleted,
  endpointList,
  endpointSchema,
  fields,
  webhookSent,
} from './webhook-body.ts'

const named: ResourceLookup = async (tx, principal, params) =>
  confinedTo(principal) === null
    ? findEndpoint(tx, principal.accountId, params['id'] ?? '').catch(() => undefined)
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
export function webhookRoutes(app: FastifyInstance, services: Services): void {
  collectionRoutes(app, services)
  itemRoutes(app, services)
  secretRoutes(app, services)
  deliveryRoutes(app, services)
}

const scope = 'account:manage' as const
const one = { scope, resource: named }

function collectionRoutes(root: FastifyInstance, services: Services): void {
  const app = root.withTypeProvider<ZodTypes>()
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

function itemRoutes(
  root: FastifyInstance,
  { database, webhooksAllowPrivate: allowPrivate = false }: Services,
): void {
  const app = root.withTypeProvider<ZodTypes>()

  app.get('/webhook_endpoints/:id', { config: { ...one, docs: docs.get } }, (request) =>
    endpointBody(request.resource as Endpoint),
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
      const { id } = request.resource as Endpoint
      const changed = await withTx(database, principal, (tx) =>
        changeEndpoint(tx, principal, id, change, allowPrivate),
      )
      return endpointBody(changed)
    },
  )

  app.delete('/webhook_endpoints/:id', { config: { ...one, docs: docs.delete } }, async (request) => {
    const principal = principalOf(request)
    const { id } = request.resource as Endpoint
    await withTx(database, principal, (tx) => deleteEndpoint(tx, principal, id))
    return { id, object: 'webhook_endpoint', deleted: true } as const
  })
}

function secretRoutes(app: FastifyInstance, { database, peppers }: Services): void {
  app.post(
    '/webhook_endpoints/:id/rotate_secret',
    { config: { ...one, docs: docs.rotate } },
    async (request) => {
      const principal = principalOf(request)
      const { id } = request.resource as Endpoint
      return withTx(database, principal, async (tx) => {
        const { endpoint, secret } = await rotateSecret(tx, peppers, principal, id)
        return endpointBody(endpoint, secret)
      })
    },
  )
}

function deliveryRoutes(root: FastifyInstance, { database }: Services): void {
  const app = root.withTypeProvider<ZodTypes>()

  app.post('/webhook_endpoints/:id/test', { config: { ...one, docs: docs.test } }, async (request) => {
    const { accountId } = principalOf(request)
    const { id } = request.resource as Endpoint
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
      const { id } = request.resource as Endpoint
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
      const { id } = request.resource as Endpoint
      await withTx(database, { accountId }, (tx) => sendAgain(tx, accountId, id, delivery))
      return { object: 'webhook_test', sent: true } as const
    },
  )
}
