import { sql } from 'drizzle-orm'
import type { Plans } from '../accounts/plans.ts'
import { creditsText } from '../billing/credits.ts'
import { type Database, type Executor, withBackgroundTx } from '../db/client.ts'
import { reasonOf } from '../db/errors.ts'
import { sentNotices } from '../db/schema/index.ts'
import type { Logger } from '../log.ts'
import { type Language, type Letter, letter } from '../mail/letters.ts'
import { failureOf, type Mailer } from '../mail/mailer.ts'
import { startPeriodicTask } from '../periodic-work.ts'
import { recentlyEndedJobs } from '../sources/library-jobs/jobs.ts'
import type { WebhookEvent } from '../webhooks/endpoints.ts'
import { type Budget, dueBudgets, isDue, type Untold, type Way } from './due-budgets.ts'

const everyMs = 5 * 60_000
/** Days before the expiry of a key. */
const keyDays = 7
/** Notices per round and kind, so that a round stays short. The next one goes on. */
const maxNotices = 500

type Owner = {
  readonly account: string
  readonly email: string
  readonly language: Language
  readonly ways: readonly Way[]
}

/** One thing that an owner is to be told. */
type Due = Owner & {
  readonly kind: string
  readonly about: string
  readonly event: WebhookEvent
  /** Null: of the account as a whole. */
  readonly projectId: string | null
  readonly data: object
  /** Absent: told by webhooks only. */
  readonly letter?: (mailer: Mailer) => Letter
}

/** @param ways those that work here. */
const untoldIn =
  (ways: readonly Way[]): Untold =>
  (kind, event, about) =>
    sql`
    cross join lateral (select coalesce(array_agg(w.way), '{}') as ways from (values ${sql.join(
      ways.map((way) => sql`(${way}, ${noticeKind(way, kind)})`),
      sql`, `,
    )}) as w (way, kind)
      where not exists (select from sent_notices sent
          where sent.account_id = a.id and sent.kind = w.kind and sent.about = ${about})
        and (w.way = 'mail' or exists (select from webhook_endpoints e
          where e.account_id = a.id and not e.disabled and ${event} = any(e.events)))) as untold`

const noticeKind = (way: Way, kind: string) => (way === 'mail' ? kind : `webhook:${kind}`)

async function expiringKeys(executor: Executor, untold: Untold): Promise<readonly Due[]> {
  const { rows } = await executor.execute<
    Owner & { id: string; name: string; prefix: string; project: string | null; at: string }
  >(sql`
    select k.id, k.name, k.prefix, k.project_id as project, k.expires_at::text as at,
      a.id as account, a.email, a.language, untold.ways
    from api_keys k join accounts a on a.id = k.account_id ${untold('key_expiring', 'key.expiring', sql`k.id`)}
    where k.revoked_at is null and k.expires_at between now() and now() + make_interval(days => ${keyDays}) and ${isDue}
    limit ${maxNotices}`)
  return rows.map(({ id, name, prefix, project, at: text, ...owner }) => {
    const at = new Date(text)
    return {
      ...{ ...owner, kind: 'key_expiring', about: id, event: 'key.expiring', projectId: project },
      data: { key_id: id, name, prefix, expires_at: Math.floor(at.getTime() / 1_000) },
      letter: ({ product, url }) =>
        letter('keyExpiring', owner.language, product, { name, prefix, at, url: url('/settings/keys') }),
    }
  })
}

/** Accounts with less than a tenth of their monthly allowance, once a month. */
async function lowCredits(executor: Executor, untold: Untold, plans: Plans): Promise<readonly Due[]> {
  const names = [...plans.names]
  const tenths = names.map((name) => String(plans.of(name).monthlyMicros / 10n))
  const { rows } = await executor.execute<Owner & { month: string; micros: string }>(sql`
    select a.id as account, a.email, a.language, a.allowance_month::text as month,
      (a.allowance_micros + a.granted_micros)::text as micros, untold.ways
    from accounts a
      join unnest(${sql.param(names)}::text[], ${sql.param(tenths)}::bigint[]) as p (plan, tenth) on p.plan = a.plan
      ${untold('low_credits', 'credits.low', sql`a.allowance_month::text`)}
    where a.allowance_month = date_trunc('month', now() at time zone 'UTC')::date
      and a.allowance_micros + a.granted_micros < p.tenth and ${isDue}
    limit ${maxNotices}`)
  return rows.map(({ month, micros, ...owner }) => ({
    ...{ ...owner, kind: 'low_credits', about: month, event: 'credits.low', projectId: null },
    data: { account_id: owner.account, credits: creditsText(BigInt(micros)) },
    letter: ({ product, url }) => {
      const credits = (BigInt(micros) / 1_000_000n).toLocaleString(owner.language)
      return letter('lowCredits', owner.language, product, { credits, url: url('/usage') })
    },
  }))
}

async function reachedBudgets(executor: Executor, untold: Untold): Promise<readonly Due[]> {
  const rows = await dueBudgets(executor, untold, maxNotices)
  return rows.map((budget): Due => {
    const { account, email, language, ways } = budget
    return {
      ...{ account, email, language, ways, kind: 'budget', about: budget.about, event: 'budget.reached' },
      projectId: budget.scope === 'project' ? budget.id : null,
      data: budgetData(budget),
      letter: ({ product, url }) =>
        letter('budgetReached', language, product, {
          ...budget,
          spent: creditsText(budget.spentMicros),
          limit: creditsText(budget.limitMicros),
          url: url('/usage'),
        }),
    }
  })
}

const budgetData = ({ scope, id, name, period, percent, spentMicros, limitMicros }: Budget) => ({
  ...{ scope, id, name, period, percent },
  ...{ spent: creditsText(spentMicros), limit: creditsText(limitMicros) },
})

/** Imports into the library that ended within a day. Operators are told, by webhooks only. */
async function endedImports(executor: Executor, library: Database): Promise<readonly Due[]> {
  const untold = untoldIn(['webhook'])
  const ended = await recentlyEndedJobs(library.system)
  const due: Due[] = []
  for (const { id, collection, status, error } of ended) {
    const { rows } = await executor.execute<Owner>(sql`
      select a.id as account, a.email, a.language, untold.ways
      from accounts a ${untold('import_finished', 'import.finished', sql`${id}::text`)}
      where a.operator and ${isDue}`)
    const data = { id, collection, status, error }
    const about = { kind: 'import_finished', about: id, event: 'import.finished' as const, projectId: null }
    due.push(...rows.map((owner) => ({ ...owner, ...about, data })))
  }
  return due
}

export type NoticeServices = {
  readonly database: Database
  readonly library: Database
  /** Undefined: owners are told by webhooks only. */
  readonly mailer: Mailer | undefined
  readonly plans: Plans
  readonly log: Logger
}

/**
 * Tells owners what is due: keys that expire soon, few credits, and budgets. Each notice is claimed by its row before it is
 * sent, so that replicas send it once; a letter that could not be sent is due again.
 * @returns the number of letters and events.
 */
export async function sendNotices(services: NoticeServices): Promise<number> {
  const { database, library, mailer, plans } = services
  const untold = untoldIn(mailer ? ['mail', 'webhook'] : ['webhook'])
  const due = await withBackgroundTx(database, async (tx) => [
    ...(await expiringKeys(tx, untold)),
    ...(await lowCredits(tx, untold, plans)),
    ...(await reachedBudgets(tx, untold)),
    ...(await endedImports(tx, library)),
  ])
  let sent = 0
  for (const one of due) for (const way of one.ways) if (await tell(services, way, one)) sent += 1
  return sent
}

/** @returns false if another replica told it, or the letter could not be sent. */
async function tell({ database, mailer, log }: NoticeServices, way: Way, due: Due): Promise<boolean> {
  const notice = { accountId: due.account, kind: noticeKind(way, due.kind), about: due.about }
  const claimed = await withBackgroundTx(database, async (tx) => {
    const { rowCount } = await tx.insert(sentNotices).values(notice).onConflictDoNothing()
    if (rowCount === 0) return false
    if (way === 'webhook')
      await tx.execute(sql`select send_webhook(${due.account}, ${due.projectId}, ${due.event}, ${due.about},
        ${JSON.stringify(due.data)}::jsonb)`)
    return true
  })
  if (!claimed || way === 'webhook' || !mailer || !due.letter) return claimed
  try {
    await mailer.send({ to: due.email, letter: due.letter(mailer) })
    return true
  } catch (error) {
    log.warn({ reason: failureOf(error), kind: due.kind }, 'a notice could not be sent')
    const { accountId, kind, about } = notice
    await withBackgroundTx(database, (tx) =>
      tx.execute(
        sql`delete from sent_notices where account_id = ${accountId} and kind = ${kind} and about = ${about}`,
      ),
    )
    return false
  }
}

/** Whether this replica does what one of them is enough for. */
export type Leads = () => Promise<boolean>

/** Tells owners every five minutes while the service runs, if this replica leads. */
export function keepNotices(services: NoticeServices & { readonly leads: Leads }): { stop(): Promise<void> } {
  const round = async () => {
    if (await services.leads()) await sendNotices(services)
  }
  const report = (error: unknown) =>
    services.log.warn({ reason: reasonOf(error) }, 'notices could not be looked up')
  return startPeriodicTask(round, everyMs, report)
}
