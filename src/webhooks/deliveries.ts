import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { webhookDeliveries, webhookEndpoints } from '../db/schema/index.ts'
import { notFound } from '../errors.ts'
import type { Endpoint } from './endpoints.ts'

/**
 * Seconds from an attempt to the next one, as Standard Webhooks suggests: ten attempts in three days. The first attempt is
 * due at once. A claim sets the time of the next attempt, so what a killed process was sending is sent again.
 */
const waits = [15, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
export const maxAttempts = waits.length + 1

/** Rows that one claim looks at. */
const maxLooked = 500
/** Requests to one endpoint at a time. */
export const perEndpoint = 10

export type Due = {
  readonly id: string
  readonly event: string
  readonly body: string
  readonly attempts: number
  readonly endpoint: Omit<Endpoint, 'projectId' | 'events' | 'disabled' | 'createdAt'>
}

type DueRow = {
  id: string
  event: string
  body: string
  attempts: number
  endpoint_id: string
  url: string
  secret_version: number
  pepper_version: number
  last_pepper_version: number | null
  both_until: string | null
}

/**
 * Claims deliveries that are due, at most one for each thing that an endpoint is told about. Replicas claim different ones.
 * @param open how many requests to each endpoint this process has open.
 */
export async function claimDeliveries(
  executor: Executor,
  open: ReadonlyMap<string, number>,
  atMost: number,
): Promise<readonly Due[]> {
  const { rows } = await executor.execute<DueRow>(sql`
    with open as (
      select * from unnest(${sql.param([...open.keys()])}::text[], ${sql.param([...open.values()])}::int[]) as o (id, requests)),
    looked as materialized (
      select d.id, d.endpoint_id, ${perEndpoint} - coalesce(o.requests, 0) as room
      from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id left join open o on o.id = e.id
      where d.due_at <= now() and not e.disabled and coalesce(o.requests, 0) < ${perEndpoint}
        and not exists (select from webhook_deliveries b
          where b.endpoint_id = d.endpoint_id and b.subject = d.subject and b.id < d.id and b.due_at is not null)
      order by d.due_at limit ${maxLooked}),
    ranked as (select id, room, row_number() over (partition by endpoint_id order by id) as place from looked),
    free as (
      select id from webhook_deliveries where due_at <= now()
        and id in (select id from ranked where place <= room order by place limit ${atMost})
      for update skip locked)
    update webhook_deliveries d set attempts = d.attempts + 1,
      due_at = now() + make_interval(secs => coalesce((${sql.param(waits)}::int[])[d.attempts + 1], 60))
    from free, webhook_endpoints e where d.id = free.id and e.id = d.endpoint_id
    returning d.id::text, d.event, d.body, d.attempts, e.id as endpoint_id, e.url, e.secret_version, e.pepper_version,
      e.last_pepper_version, e.both_until::text`)
  return rows.map((row) => ({
    ...{ id: row.id, event: row.event, body: row.body, attempts: row.attempts },
    endpoint: {
      id: row.endpoint_id,
      url: row.url,
      secretVersion: row.secret_version,
      pepperVersion: row.pepper_version,
      lastPepperVersion: row.last_pepper_version,
      bothUntil: row.both_until === null ? null : new Date(row.both_until),
    },
  }))
}

/** What came of an attempt: the status of the reply, or why there was none. */
export type Outcome = { readonly status: number } | { readonly error: string }

export const isDelivered = (outcome: Outcome) =>
  'status' in outcome && outcome.status >= 200 && outcome.status < 300

export type Attempt = { readonly due: Due; readonly outcome: Outcome }

/**
 * Records attempts. After the last one, a failed delivery is given up. An endpoint that answers 410 wants nothing more
 * (Standard Webhooks, "Disabling endpoints").
 */
export async function settleDeliveries(executor: Executor, attempts: readonly Attempt[]): Promise<void> {
  const lines = attempts.map(({ due, outcome }) => ({
    id: due.id,
    status: 'status' in outcome ? outcome.status : null,
    error: 'error' in outcome ? outcome.error : null,
    delivered: isDelivered(outcome),
    over: isDelivered(outcome) || due.attempts >= maxAttempts,
  }))
  await executor.execute(sql`
    update webhook_deliveries d set status = s.status, error = s.error,
      delivered_at = case when s.delivered then now() else d.delivered_at end,
      due_at = case when s.over then null else d.due_at end
    from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as s (id bigint, status int, error text, delivered boolean, over boolean)
    where d.id = s.id`)
  const gone = attempts.filter(({ outcome }) => 'status' in outcome && outcome.status === 410)
  if (gone.length === 0) return
  const ids = gone.map(({ due }) => due.endpoint.id)
  await executor.update(webhookEndpoints).set({ disabled: true }).where(inArray(webhookEndpoints.id, ids))
}

export type Delivery = Omit<typeof webhookDeliveries.$inferSelect, 'accountId' | 'endpointId' | 'subject'>

export const deliveryState = ({ deliveredAt, dueAt }: Pick<Delivery, 'deliveredAt' | 'dueAt'>) =>
  deliveredAt ? 'delivered' : dueAt ? 'pending' : 'failed'

/**
 * Deliveries of an endpoint, newest first. They are kept for 30 days.
 * @param page.after id of the last one of the page before.
 */
export async function listDeliveries(
  executor: Executor,
  accountId: string,
  endpointId: string,
  page: { readonly after?: bigint | undefined; readonly limit: number },
): Promise<{ readonly items: readonly Delivery[]; readonly hasMore: boolean }> {
  const rows = await executor
    .select({
      id: webhookDeliveries.id,
      event: webhookDeliveries.event,
      type: webhookDeliveries.type,
      body: webhookDeliveries.body,
      attempts: webhookDeliveries.attempts,
      dueAt: webhookDeliveries.dueAt,
      deliveredAt: webhookDeliveries.deliveredAt,
      status: webhookDeliveries.status,
      error: webhookDeliveries.error,
      createdAt: webhookDeliveries.createdAt,
    })
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.endpointId, endpointId),
        eq(webhookDeliveries.accountId, accountId),
        page.after === undefined ? undefined : lt(webhookDeliveries.id, page.after),
      ),
    )
    .orderBy(desc(webhookDeliveries.id))
    .limit(page.limit + 1)
  return { items: rows.slice(0, page.limit), hasMore: rows.length > page.limit }
}

/** Writes an event of the type `webhook.test` for one endpoint, whatever events it wants. */
export async function sendTest(executor: Executor, accountId: string, endpointId: string): Promise<void> {
  await executor.execute(sql`
    insert into webhook_deliveries (endpoint_id, account_id, event, type, subject, body, due_at)
    select e.id, e.account_id, t.event, 'webhook.test', t.event, jsonb_build_object('type', 'webhook.test',
      'timestamp', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', jsonb_build_object('endpoint_id', e.id))::text, now()
    from webhook_endpoints e, (select 'evt_' || replace(gen_random_uuid()::text, '-', '') as event) t
    where e.id = ${endpointId} and e.account_id = ${accountId}`)
}

/**
 * Makes a delivery due now, whatever came of it before.
 * @throws ServiceError `not_found` if the endpoint has no such delivery.
 */
export async function sendAgain(
  executor: Executor,
  accountId: string,
  endpointId: string,
  id: string,
): Promise<void> {
  if (!/^\d{1,18}$/.test(id)) throw notFound('delivery')
  const { rowCount } = await executor
    .update(webhookDeliveries)
    .set({ dueAt: sql`now()`, deliveredAt: null, attempts: 0 })
    .where(
      and(
        eq(webhookDeliveries.id, BigInt(id)),
        eq(webhookDeliveries.endpointId, endpointId),
        eq(webhookDeliveries.accountId, accountId),
      ),
    )
  if (rowCount === 0) throw notFound('delivery')
}
