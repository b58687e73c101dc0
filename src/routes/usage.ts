import { z } from 'zod'
import { creditsNumber, creditsText } from '../billing/credits.ts'
import { readUsage, type UsageGroup, type UsageRow, usageGroups } from '../billing/usage/usage.ts'
import { spanOf, usageDay } from '../billing/usage/usage-span.ts'
import { withTx } from '../db/client.ts'
import { principalOf } from '../http/auth.ts'
import { listBody } from '../http/lists.ts'
import { type BodyOf, count, listOf, type RouteDocs } from '../http/openapi/docs.ts'
import { wholeNumber } from '../http/openapi/whole-number.ts'
import { type Api, idText } from '../http/openapi/zod.ts'
import type { Services } from '../turns/services.ts'

const query = z.object({
  group_by: z.enum(usageGroups).default('day'),
  start: usageDay.optional(),
  /** The last day that counts. */
  end: usageDay.optional(),
  limit: wholeNumber(1, 1_000).default(100),
  after: idText.optional(),
})

const usageSchema = z
  .object({
    id: z.string().describe('The day, the model, or the id of the key, project or member'),
    object: z.literal('usage'),
    day: z.string().optional(),
    model: z.string().optional(),
    key: z.string().optional(),
    project: z.string().optional(),
    member: z
      .string()
      .optional()
      .describe('Own account of the person; empty for charges without a known one'),
    turns: count,
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    credits: z.string().describe('Exact, as decimal text'),
    cost: z.number().min(0).describe('The same as a number'),
  })
  .meta({
    id: 'Usage',
    description:
      'One group of turns. Of `day`, `model`, `key`, `project`, `member` it has the one grouped by.',
  })

const usageList = listOf(usageSchema).meta({ id: 'UsageList' })

const docs: RouteDocs = {
  summary: 'What was charged',
  description:
    'Sums over the ledger by day, model, key, project or member: the last 30 days by default, at most 366.',
  tag: 'Account',
  response: usageList,
}

/** `GET /v1/usage`: charges from the ledger, summed by day, model, key, project or member. */
export function usageRoutes(app: Api, { database }: Services): void {
  app.get(
    '/usage',
    { config: { scope: 'any-key', docs }, schema: { querystring: query } },
    async (request): Promise<BodyOf<typeof usageList>> => {
      const principal = principalOf(request)
      const { group_by: group, limit, after } = request.query
      const span = spanOf(request.query)
      const rows = await withTx(database, principal, (tx) =>
        readUsage(tx, principal, { group, ...span, limit: limit + 1, after }),
      )
      const data = rows.slice(0, limit).map((row) => usageBody(row, group))
      return listBody(data, rows.length > limit)
    },
  )
}

function usageBody(row: UsageRow, group: UsageGroup): BodyOf<typeof usageSchema> {
  return {
    id: row.group,
    object: 'usage',
    [group]: row.group,
    turns: row.turns,
    prompt_tokens: row.promptTokens,
    completion_tokens: row.completionTokens,
    total_tokens: row.promptTokens + row.completionTokens,
    credits: creditsText(row.costMicros),
    cost: creditsNumber(row.costMicros),
  }
}
