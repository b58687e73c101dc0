import {
  type AccountState,
  here,
  isOfKey,
  isOpen,
  type NumberedRun,
  numberedRuns,
  type RequestState,
} from './state.ts'

/** All ids are fixed, because a case is never committed. */
export const fixed = {
  accountId: 'acct_state',
  keyId: 'key_state',
  projectId: 'proj_state',
  otherProjectId: 'proj_other',
  runId: 'run_own',
  idempotencyKey: 'the key',
  hash: Buffer.alloc(32, 1),
  otherHash: Buffer.alloc(32, 2),
} as const

/** Sends a statement without waiting for its result. */
export type Send = (text: string, values?: readonly unknown[]) => void

export const sessionId = (session: RequestState['session']) => `sess_${session}`

/** Writes the account's sessions with their runs. */
export function writeRuns(send: Send, account: AccountState): void {
  const runs = numberedRuns(account)
  for (const session of [0, 1, 2, 3]) {
    const turns = runs.filter((run) => run.session === session)
    writeSession(send, sessionId(session), session === 0 ? '' : 'A name', turns.length)
  }
  for (const run of runs) writeRun(send, run, isOpen(run) ? here : null)
}

function writeSession(send: Send, id: string, name: string, turns: number): void {
  send(
    `insert into sessions (id, account_id, project_id, model, name, turn_count) values ($1, $2, $3, 'service', $4, $5)`,
    [id, fixed.accountId, fixed.otherProjectId, name, turns],
  )
}

function writeRun(send: Send, run: NumberedRun, owner: string | null): void {
  const { accountId, keyId, otherProjectId, hash, otherHash } = fixed
  send(
    `insert into runs (id, account_id, project_id, session_id, api_key_id, message_id, turn, account_turn, model, status,
      request, request_hash, hold_micros, most_micros, epoch, lease_owner, deadline_at, client_at, client_closed_at,
      created_at, finished_at)
    values ($1, $2, $3, $4, $5, 'msg_' || $1, $6, $7, 'service', $8, '{}', $9, $15, 0, 1, $10, now() + interval '1 hour',
      $11, $12::timestamptz, now() - make_interval(secs => $13), now() - make_interval(secs => $14))`,
    [
      ...[run.id, accountId, otherProjectId, sessionId(run.session), isOfKey(run) ? keyId : null, run.turn],
      ...[run.numbered ? run.number : null, run.status, run.equal ? hash : otherHash, owner, run.clientAt],
      ...[run.clientClosed ? '2026-01-01' : null, run.ageSeconds, isOpen(run) ? null : endedAgo(run)],
      run.holdMicros,
    ],
  )
}

/** Seconds since the run ended. It did not end before it began. */
export const endedAgo = ({ endedSecondsAgo, ageSeconds }: NumberedRun) =>
  Math.min(endedSecondsAgo, ageSeconds)

/** The run that an earlier attempt of the same start wrote, in a session of its own. */
export function writeEarlier(send: Send, earlier: RequestState['earlier']): void {
  if (earlier === undefined || earlier === 'nothing') return
  const isQueued = earlier === 'queued'
  writeSession(send, 'sess_9', '', 1)
  const run: NumberedRun = {
    ...{ id: fixed.runId, session: 9, turn: 1, number: 1_000, status: isQueued ? 'queued' : 'in_progress' },
    ...{
      ageSeconds: 1,
      endedSecondsAgo: 0,
      numbered: true,
      equal: true,
      clientAt: here,
      clientClosed: false,
      ofKey: true,
      holdMicros: 0n,
    },
  }
  writeRun(send, run, isQueued ? null : here)
}

export function writeIdempotencyKey(
  send: Send,
  { runs }: AccountState,
  { idempotencyKey: state, web }: RequestState,
): void {
  if (state === 'none' || state === 'new' || runs.length === 0) return
  const { accountId, keyId, idempotencyKey, hash, otherHash } = fixed
  send(
    `insert into idempotency_keys (account_id, api_key_id, key, request_hash, run_id, created_at, expires_at)
    values ($1, $2, $3, $4, 'run_0', now() - interval '1 hour', now() + make_interval(hours => $5))`,
    [
      // A person's requests have no key of the API.
      ...[accountId, web === (state === 'of another key') ? keyId : '', idempotencyKey],
      ...[state === 'of another request' ? otherHash : hash, state === 'expired' ? -1 : 1],
    ],
  )
}
