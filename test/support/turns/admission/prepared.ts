import type pg from 'pg'
import type { Plan, Plans } from '../../../../src/accounts/plans.ts'
import { builtInPlans } from '../../../../src/accounts/plans.ts'
import type { Principal } from '../../../../src/accounts/principal.ts'
import { scopes } from '../../../../src/accounts/scopes.ts'
import type { Run } from '../../../../src/turns/run/run.ts'
import { plainInput } from '../start.ts'
import { type AccountState, here, type RequestState, type RunState } from './state.ts'

const accountId = 'acct_state'
const keyId = 'key_state'
const projectId = 'proj_state'
const otherProjectId = 'proj_other'
export const ownRunId = 'run_own'
const idempotencyKey = 'the key'
const hash = Buffer.alloc(32, 1)
const otherHash = Buffer.alloc(32, 2)

/** Sends a statement without waiting for its result. */
type Send = (text: string, values?: readonly unknown[]) => void

/** A case whose rows are written: who sends what, and what an admission must know besides. */
export type Prepared = Awaited<ReturnType<typeof prepare>>

/** Writes the rows of a case into the open transaction. All ids are fixed, because it is never committed. */
export async function prepare(client: pg.PoolClient, account: AccountState, request: RequestState) {
  const sent: Promise<unknown>[] = []
  const send: Send = (text, values = []) => void sent.push(client.query(text, [...values]))
  writeAccount(send, account)
  const turns = writeRuns(send, account)
  if (request.earlier && request.earlier !== 'nothing') writeEarlier(send, request.earlier)
  writeIdempotencyKey(send, account, request)
  if (account.deleted) send(`update accounts set password_hash = '' where id = $1`, [accountId])
  if (account.suspended) send('update accounts set suspended_at = now() where id = $1', [accountId])
  const plan = planOf(account)
  const principal: Principal = {
    accountId,
    plan: account.planChanged
      ? { ...plan, name: 'before', turnsPerMinute: 1_000, concurrentTurns: 1_000 }
      : plan,
    keyId: request.web ? null : keyId,
    scopes: new Set(scopes),
    binding: bindingOf(account),
  }
  const { rows } = await client.query<{ now: Date }>('select now()')
  await Promise.all(sent)
  const now = rows[0]?.now.getTime() ?? 0
  return {
    account,
    request,
    principal,
    plan,
    plans: { names: [plan.name], of: () => plan } satisfies Plans,
    input: inputOf(request, turns),
    runId: ownRunId,
    lease: { owner: here, seconds: 15 },
    limits: { turnSeconds: 1_800, maxMicros: request.maxMicros },
    clientAt: request.clientAt,
    settled: {
      replicas: new Set(request.answered),
      gone: new Set(request.gone),
      lost: new Map(request.lost.map(([run, replica]) => [idOf(run), replica])),
    },
    sentAt: new Date(now - request.sentSecondsAgo * 1_000),
    notAfter: new Date(now + (request.late ? -1_000 : 600_000)),
  }
}

const idOf = (run: number) => `run_${run}`

function planOf({ plan }: AccountState): Plan {
  return { ...builtInPlans.of('pro'), ...plan, name: 'now' }
}

function bindingOf({ binding }: AccountState): Principal['binding'] {
  if (binding === 'project' || binding === 'deleted project') return { kind: 'project', projectId }
  if (binding === 'dedicated') return { kind: 'dedicated', projectId: null }
  return { kind: 'owner', projectId: binding === 'owner' ? projectId : null }
}

type Turn = { readonly session: number; readonly turn: number; readonly status: string; readonly id: string }

function inputOf(request: RequestState, turns: readonly Turn[]) {
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

const sessionId = (session: RequestState['session']) => `sess_${session}`

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
    send(
      `insert into api_keys (id, account_id, name, prefix, last_four, digest, pepper_version, scopes, binding, project_id,
        expires_at, revoked_at)
      values ($1, $2, 'k', 'p', 'four', '\\x01', 1, '{}', $3, $4,
        now() + case $5 when 'expires later' then interval '1 hour' when 'expired' then - interval '1 hour' end,
        case $5 when 'revoked' then now() end)`,
      [keyId, accountId, kind, account.binding === 'deleted project' ? null : bound, account.key],
    )
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

/** Numbers follow time, unless the clock was set back. No two open turns have one number. */
function writeRuns(send: Send, { runs, clockSetBack }: AccountState): readonly Turn[] {
  const ordered = clockSetBack ? runs : runs.toSorted((a, b) => b.ageSeconds - a.ageSeconds)
  const turns: Turn[] = []
  for (const [number, run] of ordered.entries()) {
    const turn = 1 + turns.filter(({ session }) => session === run.session).length
    if (turn === 1) writeSession(send, run.session, ordered)
    turns.push({ session: run.session, turn, status: run.status, id: idOf(number) })
    writeRun(send, idOf(number), run, { turn, number: number + 1 })
  }
  for (const session of [0, 1, 2, 3])
    if (!ordered.some((run) => run.session === session)) writeSession(send, session, [])
  return turns
}

function writeSession(send: Send, session: number, runs: readonly RunState[]): void {
  send(
    `insert into sessions (id, account_id, project_id, model, name, turn_count) values ($1, $2, $3, 'service', $4, $5)`,
    [
      sessionId(session),
      accountId,
      otherProjectId,
      session === 0 ? '' : 'A name',
      runs.filter((run) => run.session === session).length,
    ],
  )
}

function writeRun(
  send: Send,
  id: string,
  run: RunState,
  { turn, number }: { readonly turn: number; readonly number: number },
): void {
  const isOpen = run.status === 'queued' || run.status === 'in_progress'
  send(
    `insert into runs (id, account_id, project_id, session_id, api_key_id, message_id, turn, account_turn, model, status,
      request, request_hash, hold_micros, most_micros, epoch, lease_owner, deadline_at, client_at, client_closed_at,
      created_at, finished_at)
    values ($1, $2, $3, $4, $5, 'msg_' || $1, $6, $7, 'service', $8, '{}', $9, 0, 0, 1, $10, now() + interval '1 hour',
      $11, $12::timestamptz, now() - make_interval(secs => $13), now() - make_interval(secs => $14))`,
    [
      ...[
        id,
        accountId,
        otherProjectId,
        sessionId(run.session),
        keyId,
        turn,
        run.numbered ? number : null,
        run.status,
      ],
      ...[
        run.equal ? hash : otherHash,
        isOpen ? here : null,
        run.clientAt,
        run.clientClosed ? '2026-01-01' : null,
      ],
      ...[run.ageSeconds, isOpen ? null : Math.min(run.endedSecondsAgo, run.ageSeconds)],
    ],
  )
}

/** The run that an earlier attempt of the same start wrote, in a session of its own. */
function writeEarlier(send: Send, earlier: NonNullable<RequestState['earlier']>): void {
  send(
    `insert into sessions (id, account_id, project_id, model, name, turn_count) values ('sess_own', $1, $2, 'service', '', 1)`,
    [accountId, otherProjectId],
  )
  const status = earlier === 'queued' ? 'queued' : 'in_progress'
  const run: RunState = {
    ...{ session: 0, status, ageSeconds: 1, endedSecondsAgo: 0, numbered: true, equal: true },
    ...{ clientAt: here, clientClosed: false },
  }
  writeRun(send, ownRunId, run, { turn: 1_000, number: 1_000 })
  send(
    `update runs set session_id = 'sess_own', turn = 1, epoch = $2, lease_owner = $3, started_at = $4 where id = $1`,
    earlier === 'queued'
      ? [ownRunId, 0, null, null]
      : [
          ownRunId,
          earlier === 'in_progress' ? 1 : 2,
          earlier === 'in_progress' ? here : 'replica_a',
          '2026-01-01',
        ],
  )
}

function writeIdempotencyKey(
  send: Send,
  { runs }: AccountState,
  { idempotencyKey: state, web }: RequestState,
): void {
  if (state === 'none' || state === 'new' || runs.length === 0) return
  send(
    `insert into idempotency_keys (account_id, api_key_id, key, request_hash, run_id, created_at, expires_at)
    values ($1, $2, $3, $4, 'run_0', now() - interval '1 hour', now() + make_interval(hours => $5))`,
    [
      ...[accountId, web ? '' : keyId, idempotencyKey],
      ...[state === 'of another request' ? otherHash : hash, state === 'expired' ? -1 : 1],
    ],
  )
}
