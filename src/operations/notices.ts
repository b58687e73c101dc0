import { sql } from 'drizzle-orm'
import type { Plans } from '../accounts/plans.ts'
import { type Database, type Executor, withBackgroundTx } from '../db/client.ts'
import { reasonOf } from '../db/errors.ts'
import { sentNotices } from '../db/schema/index.ts'
import type { Logger } from '../log.ts'
import { type Language, type Letter, letter } from '../mail/letters.ts'
import { failureOf, type Mailer } from '../mail/mailer.ts'
import { startPeriodicTask } from '../periodic-work.ts'

const everyMs = 60 * 60_000
const retryMs = 5 * 60_000
/** Days before the expiry of a key. */
const keyDays = 7
/** Letters per round and kind, so that a round stays short. The next one goes on. */
const maxLetters = 500

type Due = {
  readonly account: string
  readonly email: string
  readonly kind: 'key_expiring' | 'low_credits'
  readonly about: string
  readonly letter: Letter
}

type Recipient = { readonly account: string; readonly email: string; readonly language: Language }

const unsent = (kind: Due['kind'], account: string, about: string) => sql`not exists (
  select from sent_notices n where n.account_id = ${sql.raw(account)} and n.kind = ${kind} and n.about = ${sql.raw(about)})`

const isReachable = sql`a.password_hash <> '' and a.suspended_at is null`

async function expiringKeys(executor: Executor, mailer: Mailer): Promise<readonly Due[]> {
  const { rows } = await executor.execute<
    Recipient & { id: string; name: string; prefix: string; at: string }
  >(sql`
    select k.id, k.name, k.prefix, k.expires_at::text as at, a.id as account, a.email, a.language
    from api_keys k join accounts a on a.id = k.account_id
    where k.revoked_at is null and k.expires_at between now() and now() + make_interval(days => ${keyDays})
      and ${isReachable} and ${unsent('key_expiring', 'a.id', 'k.id')}
    limit ${maxLetters}`)
  return rows.map(({ account, email, language, id, name, prefix, at }) => {
    const facts = { name, prefix, at: new Date(at), url: mailer.url('/settings/keys') }
    return {
      ...{ account, email, kind: 'key_expiring', about: id },
      letter: letter('keyExpiring', language, mailer.product, facts),
    }
  })
}

/** Accounts with less than a tenth of their monthly allowance, once a month. */
async function lowCredits(executor: Executor, mailer: Mailer, plans: Plans): Promise<readonly Due[]> {
  const names = [...plans.names]
  const tenths = names.map((name) => String(plans.of(name).monthlyMicros / 10n))
  const { rows } = await executor.execute<Recipient & { month: string; micros: string }>(sql`
    select a.id as account, a.email, a.language, a.allowance_month::text as month,
      (a.allowance_micros + a.granted_micros)::text as micros
    from accounts a
      join unnest(${sql.param(names)}::text[], ${sql.param(tenths)}::bigint[]) as p (plan, tenth) on p.plan = a.plan
    where a.allowance_month = date_trunc('month', now() at time zone 'UTC')::date
      and a.allowance_micros + a.granted_micros < p.tenth
      and ${isReachable} and ${unsent('low_credits', 'a.id', 'a.allowance_month::text')}
    limit ${maxLetters}`)
  return rows.map(({ account, email, language, month, micros }) => {
    const credits = (BigInt(micros) / 1_000_000n).toLocaleString(language)
    return {
      ...{ account, email, kind: 'low_credits', about: month },
      letter: letter('lowCredits', language, mailer.product, { credits, url: mailer.url('/usage') }),
    }
  })
}

/**
 * Mails notices that are due: keys that expire soon, and few credits. Each is claimed by its row before it is sent, so that
 * replicas send it once; one that could not be sent is due again.
 * @returns the number of letters.
 */
export async function sendNotices(
  database: Database,
  mailer: Mailer,
  plans: Plans,
  log: Logger,
): Promise<number> {
  const due = await withBackgroundTx(database, async (tx) => [
    ...(await expiringKeys(tx, mailer)),
    ...(await lowCredits(tx, mailer, plans)),
  ])
  let sent = 0
  for (const { account, email, kind, about, letter: told } of due) {
    const claimed = await withBackgroundTx(database, (tx) =>
      tx.insert(sentNotices).values({ accountId: account, kind, about }).onConflictDoNothing(),
    )
    if (claimed.rowCount === 0) continue
    try {
      await mailer.send({ to: email, letter: told })
      sent += 1
    } catch (error) {
      log.warn({ reason: failureOf(error), kind }, 'a notice could not be sent')
      await withBackgroundTx(database, (tx) =>
        tx.execute(
          sql`delete from sent_notices where account_id = ${account} and kind = ${kind} and about = ${about}`,
        ),
      )
    }
  }
  return sent
}

/** Sends notices every hour while the service runs. */
export function keepNotices(
  database: Database,
  mailer: Mailer,
  plans: Plans,
  log: Logger,
): { stop(): Promise<void> } {
  const round = async () => {
    await sendNotices(database, mailer, plans, log)
  }
  const report = (error: unknown) => log.warn({ reason: reasonOf(error) }, 'notices could not be looked up')
  return startPeriodicTask(round, everyMs, report, retryMs)
}
