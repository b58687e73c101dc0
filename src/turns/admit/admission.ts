import { sql } from 'drizzle-orm'
import type { Principal } from '../../accounts/principal.ts'
import type { ModelMessage } from '../../agent/provider.ts'
import type { Executor } from '../../db/client.ts'
import { databaseFault } from '../../db/errors.ts'
import { newId } from '../../ids.ts'
import { statements } from '../record/statements.ts'
import { type Send, sendIn } from '../record/turn-store.ts'
import { questionOf } from '../run/model-history.ts'
import type { Run } from '../run/run.ts'
import { hasQuestion, newInput } from '../run/transcript.ts'
import { attachFiles } from '../sessions/attachments.ts'
import {
  type Admission,
  type AdmissionFacts,
  type Admitted,
  type Decision,
  type Repetition,
  windowMinutes,
} from './admission-types.ts'
import { holdOf, Look, type Place, paceOf, projectOf } from './look.ts'
import type { TurnInput } from './turn-input.ts'

/** Hours for which an `Idempotency-Key` is remembered. */
const keyHours = 24

/**
 * Admits a turn in one statement, if nothing speaks against it: the common case.
 * @returns undefined if it was not admitted, for whatever reason. Nothing was written then.
 */
export async function admitAtOnce(send: Send, admission: Admission): Promise<Admitted | undefined> {
  const { principal, input } = admission
  const isPlain =
    input.identity.key === undefined &&
    !input.identity.retried &&
    !bringsFiles(input) &&
    hasPlace(principal, input)
  if (!isPlain || !mayCall(principal)) return undefined
  const facts: AdmissionFacts = { rule: 'plain' }
  try {
    return await write(send, admission, { facts })
  } catch (error) {
    // The session has an open turn, or is gone; or a start on another replica took the number of the turn.
    if (isRefused.has(databaseFault(error)?.code ?? '')) return undefined
    throw error
  }
}

/** SQLSTATE of violations of `not null` and `unique`. */
const isRefused = new Set(['23502', '23505'])

/** Whether the place of the turn is known without a look: a session, or the key's project. */
function hasPlace(principal: Principal, input: TurnInput): boolean {
  return input.sessionId !== undefined || Boolean(projectOf(principal, input))
}

const mayCall = ({ keyId, plan }: Principal): boolean =>
  (keyId === null || plan.apiAccess) && plan.turnsPerMinute > 0 && plan.concurrentTurns > 0

function bringsFiles({ attachments }: TurnInput): boolean {
  return attachments !== undefined && attachments.ids.size + attachments.inline.size > 0
}

/**
 * Looks only whether the request repeats a run.
 * @throws ServiceError of `refusals`, if account or key are refused, or the idempotency key belongs to another request.
 */
export async function findRepeated(tx: Executor, admission: Admission): Promise<Repetition | undefined> {
  const look = new Look(tx, admission)
  await look.account()
  await look.key()
  return look.equalRun()
}

/**
 * Looks at each rule under the account's lock, in their order, and admits the turn with the same statement if none refuses
 * it. It also does what one statement cannot: it finds equal requests, creates the default project, gives the month's
 * allowance and stores the files of the request.
 * @param tx a transaction that the caller rolls back if this throws.
 * @param again whether an earlier attempt at this start may have written the run.
 * @param isLast an equal run that is still undecided no longer counts.
 * @throws ServiceError of `refusals`. `NotLastTurn` if the session has a newer turn than `input.after`.
 */
export async function admitWithLook(
  tx: Executor,
  admission: Admission,
  { again, isLast }: { readonly again: boolean; readonly isLast: boolean },
): Promise<Decision> {
  const look = new Look(tx, admission)
  await look.account()
  if (again && (await look.isWritten())) return { kind: 'written' }
  await look.key()
  const known = await look.equalRun()
  if (known?.kind === 'repeated') return known
  if (known && !isLast) return known
  const place = await look.place()
  await look.limits(place)
  await look.credits(place)
  const { input } = admission
  const files = bringsFiles(input) ? input.attachments : undefined
  const facts: AdmissionFacts = {
    rule: place.isQueued ? 'queued' : 'looked',
    ...(known && { equal_run: known.runId }),
  }
  const admitted = await write(sendIn(tx), look.admission, {
    ...place,
    facts,
    withoutInput: files !== undefined,
    checked: true,
  })
  if (!admitted) throw new Error('a turn that no rule refuses was not admitted')
  if (!files) return admitted
  const { accountId, projectId, sessionId, id, turn } = admitted.run
  const where = { accountId, projectId, sessionId, runId: null }
  const fresh = await attachFiles(tx, admission.principal, where, admitted.fresh, files, look.plan)
  await tx.execute(sql`
    insert into messages (id, account_id, session_id, run_id, turn, position, role, content, transcript)
    select m.id, ${accountId}, ${sessionId}, ${id}, ${turn}, m.position, m.content->>'role', m.content, decode(m.transcript, 'hex')
    from jsonb_to_recordset(${inputRows(fresh, input.transcript)}::jsonb) as m (id text, position int, content jsonb, transcript text)`)
  return { ...admitted, fresh }
}

type Written = {
  readonly project: string
  readonly turn: number
  readonly instructions: string | null
  readonly admission: unknown
  readonly hold: string
  readonly held_allowance: string
  /** Instants are texts in a transaction, because the query builder leaves them as they come. */
  readonly created_at: Date | string
  readonly deadline_at: Date | string
  readonly lease_expires_at: Date | string | null
  readonly started_at: Date | string | null
}

/** Sends the admitting statement. Undefined if it admitted nothing. */
async function write(
  send: Send,
  admission: Admission,
  {
    projectId,
    isQueued = false,
    withoutInput = false,
    checked = false,
    facts,
  }: Partial<Place> & {
    readonly facts: AdmissionFacts
    /** The caller writes the input in the same transaction. */
    readonly withoutInput?: boolean
    /** Whether the key's limits and equal requests were looked at. */
    readonly checked?: boolean
  },
): Promise<Admitted | undefined> {
  const { principal, input, limits, lease, clientAt } = admission
  const { plan } = principal
  const inSession = input.sessionId !== undefined
  const fresh = newInput(input.messages, inSession)
  if (!hasQuestion(fresh)) return undefined
  const run = newRun(principal, input, admission)
  const sessionId = input.sessionId ?? newId('session')
  const [row] = await send<Written>(inSession ? statements.admitInSession : statements.admit, {
    ...{
      account: principal.accountId,
      key: principal.keyId,
      member: principal.memberId ?? null,
      hash: input.identity.hash,
      checked,
      windowMinutes,
    },
    ...{ plan: plan.name, slots: plan.concurrentTurns, slot: isQueued ? 0 : 1, monthly: plan.monthlyMicros },
    ...paceOf(plan),
    ...{
      hold: holdOf(input, limits),
      max: limits.maxMicros,
      queued: isQueued,
      tokenMicros: input.tokenMicros,
    },
    ...{ session: sessionId, sessionName: sessionNameOf(fresh), after: input.after?.turn },
    project: projectId ?? projectOf(principal, input),
    ...{
      run: run.id,
      message: run.messageId,
      model: input.model,
      onDisconnect: input.onDisconnect,
      clientAt,
    },
    ...{
      request: JSON.stringify(input.request),
      input: withoutInput ? '[]' : inputRows(fresh, input.transcript),
    },
    ...{ idempotencyKey: input.identity.key, keyHours, facts: JSON.stringify(facts) },
    ...{ owner: lease.owner, leaseSeconds: lease.seconds, turnSeconds: limits.turnSeconds },
  })
  if (!row) return undefined
  const isRunning = row.started_at !== null
  return {
    kind: 'admitted',
    fresh,
    run: {
      ...run,
      ...{ sessionId, projectId: row.project, turn: row.turn },
      ...{
        holdMicros: BigInt(row.hold),
        heldAllowanceMicros: BigInt(row.held_allowance),
        admission: row.admission,
      },
      projectInstructions: row.instructions,
      status: isRunning ? 'in_progress' : 'queued',
      epoch: isRunning ? 1 : 0,
      leaseOwner: isRunning ? lease.owner : null,
      ...{ createdAt: new Date(row.created_at), deadlineAt: new Date(row.deadline_at) },
      leaseExpiresAt: row.lease_expires_at === null ? null : new Date(row.lease_expires_at),
      startedAt: row.started_at === null ? null : new Date(row.started_at),
    },
  }
}

/** A new run without the columns that the server sets. */
function newRun(
  { accountId, keyId, memberId }: Principal,
  input: TurnInput,
  { runId, limits, clientAt }: Pick<Admission, 'runId' | 'limits' | 'clientAt'>,
) {
  return {
    id: runId,
    accountId,
    apiKeyId: keyId,
    memberId: memberId ?? null,
    messageId: newId('message'),
    model: input.model,
    request: input.request,
    requestHash: input.identity.hash,
    maxMicros: limits.maxMicros,
    onDisconnect: input.onDisconnect,
    clientAt,
    ...untouched,
  }
}

/** Columns of a run that its execution sets. */
const untouched = {
  reply: null,
  finishReason: null,
  costMicros: 0n,
  stepCount: 0,
  eventCount: 0,
  cancelRequestedAt: null,
  clientClosedAt: null,
  finishedAt: null,
} satisfies Partial<Run>

/**
 * The input as rows for the admitting statement.
 * @param transcript hash of the conversation up to the last of these messages, which gets it.
 */
function inputRows(messages: readonly ModelMessage[], transcript?: Buffer): string {
  const last = messages.length - 1
  const rows = messages.map((content, position) => ({
    id: newId('message'),
    position,
    content,
    ...(position === last && transcript && { transcript: transcript.toString('hex') }),
  }))
  return JSON.stringify(rows)
}

const maxName = 80

/** The first question becomes the session's name. A longer one ends with an ellipsis, after a whole word if possible. */
function sessionNameOf(input: readonly ModelMessage[]): string {
  const letters = [...questionOf(input).replaceAll(/\s+/g, ' ').trim()]
  if (letters.length <= maxName) return letters.join('')
  const start = letters.slice(0, maxName - 1).join('')
  return `${start.replace(/(?<=.{40})[\s,;:.–-]+\S{0,20}$/u, '')}…`
}
