import { z } from 'zod'
import { atMost, bounds } from '../../http/limits/bounds.ts'
import { unixSeconds } from '../../http/lists.ts'
import { type BodyOf, count, deletedOf, instant, listOf } from '../../http/openapi/docs.ts'
import { wholeNumber } from '../../http/openapi/whole-number.ts'
import { type Delivery, deliveryState } from '../../webhooks/deliveries.ts'
import { type Endpoint, webhookEvents } from '../../webhooks/endpoints.ts'

export const endpointSchema = z
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

export const endpointList = listOf(endpointSchema).meta({ id: 'WebhookEndpointList' })
export const deliveryList = listOf(deliverySchema).meta({ id: 'WebhookDeliveryList' })
export const endpointDeleted = deletedOf('webhook_endpoint').meta({ id: 'WebhookEndpointDeleted' })
export const webhookSent = z
  .object({ object: z.literal('webhook_test'), sent: z.literal(true) })
  .meta({ id: 'WebhookSent' })

export const fields = z.object({
  url: z.string().max(bounds.url.max, atMost(bounds.url)),
  events: z.array(z.enum(webhookEvents)).min(1).max(webhookEvents.length),
  project_id: z.string().max(100).nullish().describe('Events of this project only'),
  enabled: z.boolean().nullish().describe('Default: true'),
})

/** Null means that the field stays, except for the project. */
export const changedFields = z.object({
  url: fields.shape.url.nullish(),
  events: fields.shape.events.nullish(),
  project_id: fields.shape.project_id,
  enabled: z.boolean().nullish(),
})

export const deliveryQuery = z.object({
  limit: wholeNumber(1, 100).default(20),
  after: wholeNumber(1, 2 ** 53 - 1).optional(),
})

/** An endpoint as the API shows it. @param secret only in the reply that made it. */
export function endpointBody(endpoint: Endpoint, secret?: string): BodyOf<typeof endpointSchema> {
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

export function deliveryBody(delivery: Delivery): BodyOf<typeof deliverySchema> {
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
