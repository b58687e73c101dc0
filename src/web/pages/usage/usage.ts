import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { addressesOf } from '../../../accounts/members/members.ts'
import type { Principal } from '../../../accounts/principal.ts'
import { creditsOf, ensureAllowance, nextRenewal } from '../../../billing/account-credits.ts'
import { listCharges, namesOf } from '../../../billing/usage/charges.ts'
import { readUsage, type UsageGroup } from '../../../billing/usage/usage.ts'
import { type Span, spanOf, usageDay } from '../../../billing/usage/usage-span.ts'
import { type Executor, withTx } from '../../../db/client.ts'
import { countTurns } from '../../../turns/read/turn-counts.ts'
import { storedBytes } from '../../../workspace/quota.ts'
import { readFields } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { accountsOnly } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { usageCsv } from './usage-csv.ts'
import { periods } from './usage-shown.ts'
import { usagePage } from './usage-view.ts'

const query = z.object({
  period: z.enum(periods).catch('30'),
  /** Position of the table of charges: it continues after this charge. */
  after: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional(),
})
const csvQuery = z.object({ from: usageDay.optional(), to: usageDay.optional() })

const rowsShown = 25
/** Maximum number of groups per kind; the CSV file has all charges. */
const maxGroups = 1_000

/** `/usage`: credits, charges and the limits of the plan. `/usage.csv`: every charge. */
export function usagePages(app: FastifyInstance, services: WebServices): void {
  const { database, rateLimits } = services

  app.get('/usage', accountsOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    const { period, after } = readFields(query, request.query)
    const span = spanOfPeriod(period)
    const read = await withTx(database, principal, async (tx) => {
      await ensureAllowance(tx, principal.accountId, principal.plan)
      const page = { ...span, order: 'desc', limit: rowsShown + 1, after: after && BigInt(after) } as const
      return {
        credits: await creditsOf(tx, principal.accountId),
        renewsAt: await nextRenewal(tx),
        turns: await countTurns(tx, principal.accountId, principal.plan),
        storedBytes: await storedBytes(tx, principal.accountId),
        days: await readUsage(tx, principal, { group: 'day', ...span, limit: 400 }),
        models: await groupsOf(tx, principal, 'model', span),
        keys: await groupsOf(tx, principal, 'key', span),
        projects: await groupsOf(tx, principal, 'project', span),
        members: await groupsOf(tx, principal, 'member', span),
        charges: await listCharges(tx, principal, { ...page, after: page.after || undefined }),
      }
    })
    const addresses = await addressesOf(
      database.system,
      read.members.map(({ group }) => group),
    )
    const members = read.members.map((row) => ({ ...row, name: addresses.get(row.group) }))
    const requests = await rateLimits.requestsLately(principal.accountId)
    const charges = read.charges.slice(0, rowsShown)
    const hasMore = read.charges.length > rowsShown
    return sendPage(
      reply,
      usagePage(textsOf(request), {
        ...read,
        members,
        accountId: principal.accountId,
        plan: principal.plan,
        period,
        span,
        after,
        requests,
        charges,
        hasMore,
      }),
    )
  })

  app.get('/usage.csv', accountsOnly, (request, reply) => {
    const { principal } = visitorOf(request)
    const { from, to } = readFields(csvQuery, request.query)
    const span = spanOf({ start: from, end: to })
    const name = `usage-${dayText(span.from)}-to-${dayText(new Date(span.to.getTime() - 1))}.csv`
    return reply
      .type('text/csv; charset=utf-8; header=present')
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(Readable.from(usageCsv(database, principal, span)))
  })
}

/** Groups by cost, highest first, with the names of keys and projects. */
async function groupsOf(tx: Executor, principal: Principal, group: Exclude<UsageGroup, 'day'>, span: Span) {
  const rows = await readUsage(tx, principal, { group, ...span, limit: maxGroups })
  const ids = rows.map((row) => row.group)
  const isNamed = group === 'key' || group === 'project'
  const names = isNamed ? await namesOf(tx, principal, group, ids) : new Map<string, string>()
  return rows
    .toSorted((a, b) => (a.costMicros === b.costMicros ? 0 : a.costMicros < b.costMicros ? 1 : -1))
    .map((row) => ({ ...row, name: names.get(row.group) }))
}

/** Whole days in UTC, today included. */
function spanOfPeriod(period: (typeof periods)[number]): Span {
  const today = dayText(new Date())
  if (period === 'month') return spanOf({ start: `${today.slice(0, 8)}01`, end: today })
  const start = new Date(Date.parse(`${today}T00:00:00Z`) - (Number(period) - 1) * 86_400_000)
  return spanOf({ start: dayText(start), end: today })
}

function dayText(at: Date): string {
  return at.toISOString().slice(0, 10)
}
