import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { findKey } from '../accounts/keys/keys.ts'
import { creditsText } from '../billing/credits.ts'
import { balanceOf, ensureAllowance, nextRenewal } from '../billing/pools.ts'
import { withTx } from '../db/client.ts'
import { notFound } from '../errors.ts'
import { principalOf } from '../http/auth.ts'
import { unixSeconds } from '../http/lists.ts'
import { type BodyOf, count, instant, type RouteDocs } from '../http/openapi/docs.ts'
import type { Services } from '../turns/services.ts'

const credits = z.string().describe('Credits, as decimal text')

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
    created_at: instant,
    expires_at: instant.nullable(),
    plan: z.object({
      name: z.string(),
      monthly_credits: credits,
      requests_per_minute: count,
      turns_per_minute: count,
      concurrent_turns: count,
      queued_turns: count,
      stored_bytes: count,
      file_bytes: count,
    }),
    credits: z.object({ available: credits, held: credits, renews_at: instant }),
  })
  .meta({ id: 'ApiKey', description: 'The key in use. Its secret is shown nowhere.' })

const docs: RouteDocs = {
  summary: 'What this key may do, and what is left of its plan',
  tag: 'Account',
  response: keySchema,
  errors: ['not_found'],
}

/** `GET /v1/key`: permissions of the key in use, and what is left of its account's plan. */
export function keyRoutes(app: FastifyInstance, { database }: Services): void {
  app.get(
    '/key',
    { config: { scope: 'any-key', docs } },
    async (request): Promise<BodyOf<typeof keySchema>> => {
      const principal = principalOf(request)
      const { plan } = principal
      return withTx(database, principal, async (tx) => {
        const key = await findKey(tx, principal.accountId, principal.keyId ?? '')
        if (!key) throw notFound()
        await ensureAllowance(tx, principal.accountId, plan)
        const balance = await balanceOf(tx, principal.accountId)
        return {
          object: 'api_key',
          id: key.id,
          name: key.name,
          prefix: key.prefix,
          last_four: key.lastFour,
          scopes: key.scopes,
          binding: key.binding,
          project_id: key.projectId,
          created_at: unixSeconds(key.createdAt),
          expires_at: key.expiresAt ? unixSeconds(key.expiresAt) : null,
          plan: {
            name: plan.name,
            monthly_credits: creditsText(plan.monthlyMicros),
            requests_per_minute: plan.requestsPerMinute,
            turns_per_minute: plan.turnsPerMinute,
            concurrent_turns: plan.concurrentTurns,
            queued_turns: plan.queuedTurns,
            stored_bytes: plan.storedBytes,
            file_bytes: plan.fileBytes,
          },
          credits: {
            available: creditsText(balance.availableMicros),
            held: creditsText(balance.heldMicros),
            renews_at: unixSeconds(await nextRenewal(tx)),
          },
        }
      })
    },
  )
}
