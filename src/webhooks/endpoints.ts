import { and, asc, eq, sql } from 'drizzle-orm'
import { type Acting, recordOwnAction } from '../accounts/audit.ts'
import { digestKey, type Peppers } from '../accounts/keys/pepper.ts'
import { isPublicHost } from '../addresses/public-hosts.ts'
import type { Executor } from '../db/client.ts'
import { projects, webhookEndpoints } from '../db/schema/index.ts'
import { notFound, ServiceError, wrongField } from '../errors.ts'
import { newId } from '../ids.ts'

/** What an endpoint can be told, with the meaning for people. */
export const webhookEvents = [
  'run.completed',
  'run.failed',
  'run.cancelled',
  'credits.low',
  'budget.reached',
  'key.expiring',
  'import.finished',
] as const

export type WebhookEvent = (typeof webhookEvents)[number]

/** What an owner may decide of an endpoint. */
export type EndpointInput = {
  readonly url: string
  readonly events: readonly WebhookEvent[]
  /** Null: events of the whole account. */
  readonly projectId: string | null
  readonly disabled?: boolean
}

export type Endpoint = Omit<typeof webhookEndpoints.$inferSelect, 'accountId'>

const { accountId: _, ...columns } = {
  id: webhookEndpoints.id,
  accountId: webhookEndpoints.accountId,
  projectId: webhookEndpoints.projectId,
  url: webhookEndpoints.url,
  events: webhookEndpoints.events,
  disabled: webhookEndpoints.disabled,
  secretVersion: webhookEndpoints.secretVersion,
  pepperVersion: webhookEndpoints.pepperVersion,
  bothUntil: webhookEndpoints.bothUntil,
  lastPepperVersion: webhookEndpoints.lastPepperVersion,
  createdAt: webhookEndpoints.createdAt,
}

const maxEndpoints = 20

/** Hours for which the secret before a new one signs too. */
export const bothHours = 24

/** @returns the endpoints of an account, oldest first; `maxEndpoints` at most. */
export function listEndpoints(executor: Executor, accountId: string): Promise<Endpoint[]> {
  return executor
    .select(columns)
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.accountId, accountId))
    .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id))
}

/** @throws ServiceError `not_found`. */
export async function findEndpoint(executor: Executor, accountId: string, id: string): Promise<Endpoint> {
  const [found] = await executor.select(columns).from(webhookEndpoints).where(mine(accountId, id))
  if (!found) throw notFound()
  return found
}

const mine = (accountId: string, id: string) =>
  and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.accountId, accountId))

/**
 * Creates an endpoint, as an action of its owner for the audit log, like its deletion and a new secret.
 * @returns it with its secret, which is shown only now.
 * @throws ServiceError `invalid_value` for an address that is not reached, events, a project, or too many endpoints.
 */
export async function createEndpoint(
  executor: Executor,
  peppers: Peppers,
  acting: Acting,
  input: EndpointInput,
  allowPrivate: boolean,
): Promise<{ readonly endpoint: Endpoint; readonly secret: string }> {
  const { accountId } = acting
  await checkInput(executor, accountId, input, allowPrivate)
  const count = await executor.$count(webhookEndpoints, eq(webhookEndpoints.accountId, accountId))
  if (count >= maxEndpoints)
    throw new ServiceError(
      'invalid_value',
      `An account has at most ${maxEndpoints} webhook endpoints. Delete one.`,
    )
  const [endpoint] = await executor
    .insert(webhookEndpoints)
    .values({
      ...{ id: newId('webhook'), accountId, projectId: input.projectId, url: input.url },
      ...{ events: [...new Set(input.events)], disabled: input.disabled ?? false },
      pepperVersion: peppers[0].version,
    })
    .returning(columns)
  if (!endpoint) throw new Error('insert returned no row')
  await recordOwnAction(executor, acting, { action: 'webhook.created', details: { endpoint: endpoint.id } })
  return { endpoint, secret: currentSecret(endpoint, peppers) }
}

/** Changes an endpoint, as an action of its owner for the audit log. @throws ServiceError `not_found`, or as `createEndpoint`. */
export async function changeEndpoint(
  executor: Executor,
  acting: Acting,
  id: string,
  change: Partial<EndpointInput>,
  allowPrivate: boolean,
): Promise<Endpoint> {
  const { accountId } = acting
  const before = await findEndpoint(executor, accountId, id)
  const input = { ...before, events: before.events as WebhookEvent[], ...change }
  await checkInput(executor, accountId, input, allowPrivate)
  const { url, events, projectId, disabled } = input
  const [changed] = await executor
    .update(webhookEndpoints)
    .set({ url, events: [...new Set(events)], projectId, disabled })
    .where(mine(accountId, id))
    .returning(columns)
  if (!changed) throw notFound()
  const details = { endpoint: id, fields: Object.keys(change).join(', ') }
  await recordOwnAction(executor, acting, { action: 'webhook.changed', details })
  return changed
}

/** Deletes an endpoint with its deliveries. @throws ServiceError `not_found`. */
export async function deleteEndpoint(executor: Executor, acting: Acting, id: string): Promise<void> {
  const { rowCount } = await executor.delete(webhookEndpoints).where(mine(acting.accountId, id))
  if (rowCount === 0) throw notFound()
  await recordOwnAction(executor, acting, { action: 'webhook.deleted', details: { endpoint: id } })
}

/**
 * Gives an endpoint a new secret. The one before signs too for `bothHours`.
 * @throws ServiceError `not_found`.
 */
export async function rotateSecret(
  executor: Executor,
  peppers: Peppers,
  acting: Acting,
  id: string,
): Promise<{ readonly endpoint: Endpoint; readonly secret: string }> {
  const [endpoint] = await executor
    .update(webhookEndpoints)
    .set({
      secretVersion: sql`${webhookEndpoints.secretVersion} + 1`,
      lastPepperVersion: webhookEndpoints.pepperVersion,
      pepperVersion: peppers[0].version,
      bothUntil: sql`now() + make_interval(hours => ${bothHours})`,
    })
    .where(mine(acting.accountId, id))
    .returning(columns)
  if (!endpoint) throw notFound()
  await recordOwnAction(executor, acting, { action: 'webhook.rotated', details: { endpoint: id } })
  return { endpoint, secret: currentSecret(endpoint, peppers) }
}

type Signing = Pick<Endpoint, 'id' | 'secretVersion' | 'pepperVersion' | 'lastPepperVersion' | 'bothUntil'>

function currentSecret(endpoint: Signing, peppers: Peppers): string {
  return secretOf(endpoint.id, endpoint.secretVersion, endpoint.pepperVersion, peppers)
}

/**
 * The secrets that sign now, newest first, as Standard Webhooks writes them: `whsec_` and base64 of 32 bytes.
 * @throws Error if `KEY_PEPPER` no longer has the pepper of the newest.
 */
export function signingSecrets(endpoint: Signing, peppers: Peppers): readonly string[] {
  const { id, secretVersion, bothUntil, lastPepperVersion } = endpoint
  const isBoth = bothUntil !== null && bothUntil.getTime() > Date.now() && lastPepperVersion !== null
  const hasLast = isBoth && peppers.some(({ version }) => version === lastPepperVersion)
  return [
    currentSecret(endpoint, peppers),
    ...(hasLast ? [secretOf(id, secretVersion - 1, lastPepperVersion, peppers)] : []),
  ]
}

function secretOf(id: string, version: number, pepperVersion: number, peppers: Peppers): string {
  const pepper = peppers.find((one) => one.version === pepperVersion)
  if (!pepper) throw new Error(`KEY_PEPPER has no version ${pepperVersion} any more: rotate the secret`)
  return `whsec_${digestKey(`webhook\n${id}\n${version}`, pepper).toString('base64')}`
}

async function checkInput(
  executor: Executor,
  accountId: string,
  { url, events, projectId }: EndpointInput,
  allowPrivate: boolean,
): Promise<void> {
  const parsed = URL.parse(url)
  const protocols = allowPrivate ? ['https:', 'http:'] : ['https:']
  if (!parsed || !protocols.includes(parsed.protocol))
    throw wrongField('url', `must be an address that starts with ${protocols.join('// or ')}//`)
  if (parsed.username !== '' || parsed.password !== '')
    throw wrongField('url', 'must have no user and password: the signature proves who sends')
  if (!allowPrivate && !isPublicHost(parsed.hostname))
    throw wrongField('url', 'must be an address of the public internet (`WEBHOOK_PRIVATE_ADDRESSES`)')
  if (events.length === 0) throw wrongField('events', `must name one of ${webhookEvents.join(', ')}`)
  if (projectId === null) return
  const found = await executor.$count(
    projects,
    and(eq(projects.id, projectId), eq(projects.accountId, accountId)),
  )
  if (found === 0) throw notFound('project_id')
}
