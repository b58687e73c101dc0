import { sql } from 'drizzle-orm'
import { bigserial, boolean, index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { projects } from './accounts.ts'
import { belongsTo, instant, ofAccount } from './columns.ts'

/**
 * An address that gets events. Its signing secret is an HMAC of its id and version with the pepper of this version,
 * so it is stored nowhere.
 */
export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    id: text('id').primaryKey(),
    accountId: ofAccount(),
    /** Events of this project only. Null: of the whole account. */
    projectId: text('project_id').references(() => projects.id, { onDelete: 'cascade' }),
    url: text('url').notNull(),
    events: text('events').array().notNull(),
    disabled: boolean('disabled').notNull().default(false),
    secretVersion: integer('secret_version').notNull().default(1),
    pepperVersion: integer('pepper_version').notNull(),
    /** Until then the secret before this one signs too, which has this pepper. */
    bothUntil: instant('both_until'),
    lastPepperVersion: integer('last_pepper_version'),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [index('webhook_endpoints_account').on(t.accountId)],
)

/**
 * Events for endpoints: the outbox, the queue and the log in one. The transaction of an event writes its rows, with the
 * function `send_webhook`. Delivered: `delivered_at` is set. Waiting: `due_at` is set. Given up: neither.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: bigserial('id', { mode: 'bigint' }).primaryKey(),
    endpointId: belongsTo('endpoint_id', () => webhookEndpoints.id),
    accountId: ofAccount(),
    /** Id of the event, the same for every endpoint and every attempt. */
    event: text('event').notNull(),
    type: text('type').notNull(),
    /** What it is about, such as the id of a run. Events about one thing are delivered in their order. */
    subject: text('subject').notNull(),
    /** The JSON that is sent, byte for byte the same in every attempt. */
    body: text('body').notNull(),
    attempts: integer('attempts').notNull().default(0),
    dueAt: instant('due_at'),
    deliveredAt: instant('delivered_at'),
    /** Of the last attempt. Null: no reply. */
    status: integer('status'),
    error: text('error'),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [
    index('webhook_deliveries_due').on(t.dueAt).where(sql`${t.dueAt} is not null`),
    index('webhook_deliveries_waiting').on(t.endpointId, t.subject, t.id).where(sql`${t.dueAt} is not null`),
    index('webhook_deliveries_endpoint').on(t.endpointId, t.id),
    index('webhook_deliveries_created').on(t.createdAt),
  ],
)
