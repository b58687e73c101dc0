import { z } from 'zod'
import type { KeyDefaults } from '../accounts/key-defaults.ts'
import type { KeyLimits } from '../accounts/keys/key-settings.ts'
import { creditsText } from '../billing/credits.ts'
import { type CapPeriod, capReset, type KeySpending } from '../billing/key-spending.ts'
import { unixSeconds } from '../http/lists.ts'
import { type BodyOf, count, instant } from '../http/openapi/docs.ts'

const credits = z.string().describe('Credits, as decimal text')

const spendingOf = z.object({
  used: credits,
  cap: credits.nullable().describe('Null: no cap'),
  remaining: credits.nullable().describe('What the cap leaves after charges and holds; null without a cap'),
  resets_at: instant.nullable().describe('When `used` starts at 0 again; null for the life of the key'),
})

export const keyPlan = z.object({
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

export const keySchema = z
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
export function spendingBody(
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

export function defaultsBody(defaults: KeyDefaults): BodyOf<typeof keyDefaults> {
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
