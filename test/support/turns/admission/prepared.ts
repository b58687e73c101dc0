import type pg from 'pg'
import type { Plan, Plans } from '../../../../src/accounts/plans.ts'
import { builtInPlans } from '../../../../src/accounts/plans.ts'
import type { Principal } from '../../../../src/accounts/principal.ts'
import { scopes } from '../../../../src/accounts/scopes.ts'
import type { Run } from '../../../../src/turns/run/run.ts'
import { plainInput } from '../start.ts'
import { fixed, type Send, sessionId, writeEarlier, writeIdempotencyKey, writeRuns } from './prepared-runs.ts'
import { type AccountState, here, type NumberedRun, numberedRuns, type RequestState } from './state.ts'

const { accountId, keyId, projectId, otherProjectId, hash, idempotencyKey } = fixed

/** A case whose rows are written: who sends what, and what an admission must know besides. */
export type Prepared = Awaited<ReturnType<typeof prepare>>

/** Writes the rows of a case into the open transaction. All ids are fixed, because it is never committed. */
export async function prepare(client: pg.PoolClient, account: AccountState, request: RequestState) {
  const sent: Promise<unknown>[] = []
  const send: Send = (text, values = []) => void sent.push(client.query(text, [...values]))
  writeAccount(send, account)
  writeRuns(send, account)
  writeEarlier(send, request.earlier)
  writeIdempotencyKey(send, account, request)
  if (account.deleted) send(`update accounts set password_hash = '' where id = $1`, [accountId])
  if (account.suspended) send('update accounts set suspended_at = now() where id = $1', [accountId])
  const plan = planOf(account)
  const principal: Principal = {
    accountId,
    plan: account.planChanged ? { ...plan, name: 'before', turnsPerMinute: 1_000, queuedTurns: 1_000 } : plan,
    keyId: request.web ? null : keyId,
    scopes: new Set(scopes),
    binding: bindingOf(account),
  }
  const { rows } = await client.query<{ now: Date }>('select now()')
  await Promise.all(sent)
  const at = rows[0]?.now ?? new Date()
  const now = at.getTime()
  return {
    account,
    request,
    principal,
    plan,
    plans: { names: [plan.name], of: () => plan } satisfies Plans,
    input: inputOf(request, numberedRuns(account)),
    now: at,
    runId: fixed.runId,
    lease: { owner: here, seconds: 15 },
    limits: { turnSeconds: 1_800, maxMicros: request.maxMicros },
    clientAt: request.clientAt,
    settled: {
      replicas: new Set(request.answered),
      gone: new Set(request.gone),
      lost: new Map(request.lost.map(([run, replica]) => [`run_${run}`, replica])),
    },
    sentAt: new Date(now - request.sentSecondsAgo * 1_000),
    notAfter: new Date(now + (request.late ? -1_000 : 600_000)),
  }
}

function planOf({ plan }: AccountState): Plan {
  return { ...builtInPlans.of('pro'), ...plan, name: 'now' }
}

function bindingOf({ binding }: AccountState): Principal['binding'] {
  if (binding === 'project' || binding === 'deleted project') return { kind: 'project', projectId }
  if (binding === 'dedicated') return { kind: 'dedicated', projectId: null }
  return { kind: 'owner', projectId: binding === 'owner' ? projectId : null }
}

function inputOf(request: RequestState, turns: readonly NumberedRun[]) {
  const { session, after, question } = request
  const inSession = turns.filter((one) => one.session === session)
  const previous = after === undefined ? undefined : inSession.at(-1 - after)
  return {
    ...plainInput({ firstCallMicros: request.firstCallMicros, text: 'What is joy?' }),
    ...(!question && { messages: [{ role: 'assistant' as const, content: 'An answer.', toolCalls: [] }] }),
    sessionId: session === 'new' ? undefined : sessionId(session),
    projectId: { default: undefined, another: otherProjectId, missing: 'proj_missing' }[request.project],
    identity: {
      hash,
      key: request.idempotencyKey === 'none' ? undefined : idempotencyKey,
      retried: request.retried,
    },
    ...(previous && {
      after: { id: previous.id, sessionId: sessionId(session), turn: previous.turn } as Run,
    }),
  }
}

function writeAccount(send: Send, account: AccountState): void {
  send(`insert into accounts (id, email, plan, password_hash) values ($1, 'a@example.org', 'now', 'x')`, [
    accountId,
  ])
  const projects = account.binding === 'deleted project' ? [otherProjectId] : [projectId, otherProjectId]
  send(`insert into projects (id, account_id, name) select id, $1, 'P' from unnest($2::text[]) as p (id)`, [
    accountId,
    projects,
  ])
  if (account.key !== 'deleted') {
    const { kind, projectId: bound } = bindingOf(account)
    const { keyLimits: limits } = account
    send(
      `insert into api_keys (id, account_id, name, prefix, last_four, digest, pepper_version, scopes, binding, project_id,
        requests_per_minute, concurrent_turns, day_cap_micros, month_cap_micros, total_cap_micros, expires_at, revoked_at)
      values ($1, $2, 'k', 'p', 'four', '\\x01', 1, '{}', $3, $4,
        $6, $7, $8, $9, $10, now() + case $5 when 'expires later' then interval '1 hour' when 'expired' then - interval '1 hour' end,
        case $5 when 'revoked' then now() end)`,
      [
        keyId,
        accountId,
        kind,
        account.binding === 'deleted project' ? null : bound,
        account.key,
        ...[
          limits.requestsPerMinute,
          limits.concurrentTurns,
          limits.dayCap,
          limits.monthCap,
          limits.totalCap,
        ],
      ],
    )
    for (const { daysAgo, micros } of limits.spent) {
      send(
        `insert into key_spending (key_id, account_id, day, micros)
        values ($1, $2, (now() at time zone 'UTC')::date - $3::int, $4)`,
        [keyId, accountId, daysAgo, micros],
      )
    }
  }
  const months = { none: null, 'last month': -1, 'this month': 0 }
  const hours = { never: null, 'an hour ago': -1, tomorrow: 24, 'next month': 24 * 40 }
  const periods = new Set<string>()
  for (const { available, period, expires } of account.pools) {
    // A month has one allowance.
    const isNew = !periods.has(period)
    periods.add(period)
    send(
      `insert into credit_pools (account_id, kind, period_start, available_micros, expires_at)
      values ($1, $2, date_trunc('month', now(), 'UTC') + make_interval(months => $3), $4, now() + make_interval(hours => $5))`,
      [
        accountId,
        period === 'none' ? 'grant' : 'allowance',
        isNew ? months[period] : null,
        available,
        hours[expires],
      ],
    )
  }
  for (const { id, seenSecondsAgo, settledSecondsAgo } of account.replicas) {
    send(
      `insert into replicas (id, seen_at, settled_at)
      values ($1, now() - make_interval(secs => $2), now() - make_interval(secs => $3))`,
      [id, seenSecondsAgo, settledSecondsAgo],
    )
  }
}
