import type { FastifyInstance } from 'fastify'
import { findKey } from '../accounts/keys.ts'
import { creditsText } from '../billing/credits.ts'
import { balanceOf, ensureAllowance, nextRenewal } from '../billing/pools.ts'
import { withTx } from '../db/client.ts'
import { notFound } from '../errors.ts'
import { principalOf } from '../http/auth.ts'
import { unixSeconds } from '../http/lists.ts'
import type { Services } from './services.ts'

/** `GET /v1/key`: what the key in use may do, and what is left of its account's plan. */
export function keyRoutes(app: FastifyInstance, { database }: Services): void {
  app.get('/key', { config: { scope: 'any-key' } }, async (request) => {
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
  })
}
