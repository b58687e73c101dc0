import type { FastifyInstance } from 'fastify'
import { findKey } from '../accounts/keys/keys.ts'
import type { Principal } from '../accounts/principal.ts'
import { availableIn, creditsOf, ensureAllowance, nextRenewal } from '../billing/account-credits.ts'
import { creditsText } from '../billing/credits.ts'
import { readKeySpending } from '../billing/key-spending.ts'
import { type Executor, withTx } from '../db/client.ts'
import { notFound } from '../errors.ts'
import { principalOf } from '../http/auth.ts'
import { unixSeconds } from '../http/lists.ts'
import type { BodyOf, RouteDocs } from '../http/openapi/docs.ts'
import type { Services } from '../turns/services.ts'
import { findProject } from '../turns/sessions/projects.ts'
import { defaultsBody, type keyPlan, keySchema, spendingBody } from './key-schema.ts'

const docs: RouteDocs = {
  summary: 'What this key may do, what it has spent, and what is left of its plan',
  description:
    'For any key, whatever its scopes. `spending` has what the key was charged, its spending caps and what they leave; `limits` are its own, beside those of `plan`; `defaults` apply to requests that do not say otherwise.',
  tag: 'Account',
  response: keySchema,
  errors: ['not_found'],
}

/** `GET /v1/key`: permissions, limits, defaults and spending of the key in use, and what is left of its account's plan. */
export function keyRoutes(app: FastifyInstance, { database }: Services): void {
  app.get('/key', { config: { scope: 'any-key', docs } }, (request) => {
    const principal = principalOf(request)
    return withTx(database, principal, (tx) => keyBody(tx, principal))
  })
}

async function keyBody(tx: Executor, principal: Principal): Promise<BodyOf<typeof keySchema>> {
  const { accountId, keyId, plan } = principal
  const key = await findKey(tx, accountId, keyId ?? '')
  if (!key) throw notFound()
  const project = key.projectId === null ? undefined : await findProject(tx, principal, key.projectId)
  await ensureAllowance(tx, accountId, plan)
  const credits = await creditsOf(tx, accountId)
  return {
    object: 'api_key',
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    last_four: key.lastFour,
    scopes: key.scopes,
    binding: key.binding,
    project_id: key.projectId,
    project: project ? { id: project.id, name: project.name } : null,
    created_at: unixSeconds(key.createdAt),
    expires_at: key.expiresAt ? unixSeconds(key.expiresAt) : null,
    limits: { requests_per_minute: key.requestsPerMinute, concurrent_turns: key.concurrentTurns },
    spending: spendingBody(key, await readKeySpending(tx, { accountId, keyId: key.id }), new Date()),
    allowed_addresses: key.allowedAddresses,
    defaults: defaultsBody(key.defaults),
    plan: planBody(principal),
    credits: {
      available: creditsText(availableIn(credits)),
      held: creditsText(credits.heldMicros),
      renews_at: unixSeconds(await nextRenewal(tx)),
    },
  }
}

function planBody({ plan }: Principal): BodyOf<typeof keyPlan> {
  return {
    name: plan.name,
    monthly_credits: creditsText(plan.monthlyMicros),
    requests_per_minute: plan.requestsPerMinute,
    turns_per_minute: plan.turnsPerMinute,
    concurrent_turns: plan.concurrentTurns,
    queued_turns: plan.queuedTurns,
    stored_bytes: plan.storedBytes,
    file_bytes: plan.fileBytes,
  }
}
