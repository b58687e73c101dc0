import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { KeyDefaults } from '../accounts/key-defaults.ts'
import type { KeyLimits } from '../accounts/keys/key-settings.ts'
import { findKey } from '../accounts/keys/keys.ts'
import type { Principal } from '../accounts/principal.ts'
import { availableIn, creditsOf, ensureAllowance, nextRenewal } from '../billing/account-credits.ts'
import { creditsText } from '../billing/credits.ts'
import { type CapPeriod, capReset, type KeySpending, readKeySpending } from '../billing/key-spending.ts'
import { type Executor, withTx } from '../db/client.ts'
import { notFound } from '../errors.ts'
import { principalOf } from '../http/auth.ts'
import { unixSeconds } from '../http/lists.ts'
import { type BodyOf, count, instant, type RouteDocs } from '../http/openapi/docs.ts'
import type { Services } from '../turns/services.ts'
import { findProject } from '../turns/sessions/projects.ts'

const credits = z.string().describe('Credits, as decimal text')

const spendingOf = z.object({
  used: credits,
  cap: credits.nullable().describe('Null: no cap'),
  remaining: credits.nullable().describe('What the cap leaves after charges and holds; null without a cap'),
  resets_at: instant.nullable().describe('When `used` starts at 0 again; null for the life of the key'),
})

const keyPlan = z.object({
  name: z.string(),
  monthly_credits: credits,
  requests_per_minute: count,
  turns_per_minute: count,
  concurrent_turns: count,
  queued_turns: count,
  stored_bytes: count,
  file_bytes: count,
})

const keyDefaults = z
  .object({
    model: z.string(),
    on_disconnect: z.enum(['continue', 'cancel']),
    tools: z.array(z.string()),
    citation_style: z.enum(['numbers', 'links']),
    max_output_tokens: count,
    max_cost: credits,
    continue_history: z.boolean(),
  })
  .partial()

const keySchema = z
  .object({
    object: z.literal('api_key'),
    id: z.string(),
    name: z.string(),
    prefix: z.string(),
    last_four: z.string(),
    scopes: z.array(z.string()),
    binding: z
      .enum(['project', 'dedicated', 'owner'])
      .describe(
        'What it reaches: one project, a project of its own made on first use, or all of the account',
      ),
    project_id: z.string().nullable(),
    project: z
      .object({ id: z.string(), name: z.string() })
      .nullable()
      .describe('The project of requests that name none; null before an owner-wide key needs one'),
    created_at: instant,
    expires_at: instant.nullable(),
    limits: z
      .object({ requests_per_minute: count.nullable(), concurrent_turns: count.nullable() })
      .describe('Of the key itself; null: only the limits of the plan'),
    spending: z
      .object({ day: spendingOf, month: spendingOf, total: spendingOf, held: credits })
      .describe('Charges of the key by day and month (UTC) and in all; `held` by its unfinished turns'),
    allowed_addresses: z
      .array(z.string())
      .nullable()
      .describe('Addresses and ranges from which the key may be used; null: any'),
    defaults: keyDefaults.describe('What a request means where it does not say it; only what is set'),
    plan: keyPlan,
    credits: z.object({ available: credits, held: credits, renews_at: instant }),
  })
  .meta({ id: 'ApiKey', description: 'The key in use. Its secret is shown nowhere.' })

/** @param now decides when the periods end. */
function spendingBody(
  limits: KeyLimits,
  spending: KeySpending,
  now: Date,
): BodyOf<typeof keySchema>['spending'] {
  const caps = { day: limits.dayCapMicros, month: limits.monthCapMicros, total: limits.totalCapMicros }
  const of = (period: CapPeriod) => {
    const [cap, used, reset] = [caps[period], spending[period], capReset(period, now)]
    const left = cap === null ? null : cap - used - spending.held
    return {
      used: creditsText(used),
      cap: cap === null ? null : creditsText(cap),
      remaining: left === null ? null : creditsText(left > 0n ? left : 0n),
      resets_at: reset && unixSeconds(reset),
    }
  }
  return { day: of('day'), month: of('month'), total: of('total'), held: creditsText(spending.held) }
}

function defaultsBody(defaults: KeyDefaults): BodyOf<typeof keyDefaults> {
  const { model, onDisconnect, tools, citationStyle, maxOutputTokens, maxCostMicros, continueHistory } =
    defaults
  return {
    ...(model !== undefined && { model }),
    ...(onDisconnect && { on_disconnect: onDisconnect }),
    ...(tools && { tools: [...tools] }),
    ...(citationStyle && { citation_style: citationStyle }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(maxCostMicros !== undefined && { max_cost: creditsText(BigInt(maxCostMicros)) }),
    ...(continueHistory !== undefined && { continue_history: continueHistory }),
  }
}

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
