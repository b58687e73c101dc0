import { accountSuspended } from '../../accounts/accounts.ts'
import type { Principal } from '../../accounts/principal.ts'
import type { Executor } from '../../db/client.ts'
import { databaseFault, foreignKeyViolation } from '../../db/errors.ts'
import { newId } from '../../ids.ts'
import type { Run } from '../run/run.ts'
import { retryWindowMinutes } from './idempotency.ts'
import { insertRun, type Start } from './insert-run.ts'
import { beginTurn, startTooLate, suspendedAccount } from './start-statements.ts'
import { hasQuestion, InquiryNeeded } from './start-turn.ts'
import type { TurnInput } from './turn-input.ts'

/** Whether the fast path can admit this start in one call: a new session in the key's own project. */
export function qualifiesForFastPath({ keyId, plan, binding }: Principal, input: TurnInput): boolean {
  return (
    keyId !== null &&
    plan.apiAccess &&
    binding.projectId !== null &&
    input.sessionId === undefined &&
    input.projectId === undefined &&
    input.identity.key === undefined &&
    !input.identity.retried &&
    !bringsFiles(input) &&
    hasQuestion(input.messages)
  )
}

/** Instants by the server's clock: when the call is sent, and when it is too late to begin a run. */
type CallTimes = { readonly sentAt: Date; readonly notAfter: Date }

/**
 * `settled`: replicas, this one included, whose clients of equal requests have been checked and do not block
 * this start.
 */
type UsualOwner = Pick<Start, 'runId' | 'lease' | 'clientAt' | 'limits'> &
  CallTimes & { readonly settled: readonly string[] }

/**
 * Admits and writes a start in one database call. Returns undefined, with nothing written, if the case is not
 * simple or the call arrived after `notAfter`. `startTurn` then decides.
 * @throws what `insertRun` throws, the database's error, and `InquiryNeeded` if other replicas must be asked about
 *   equal requests.
 */
export async function startOnFastPath(
  executor: Executor,
  principal: Principal,
  input: TurnInput,
  owner: UsualOwner,
): Promise<Run | undefined> {
  const { plan, binding } = principal
  const { sentAt, notAfter, settled, ...rest } = owner
  let unsettled: readonly string[] | null = null
  const session = { id: newId('session'), projectId: binding.projectId ?? '', turnCount: 0, name: '' }
  try {
    const run = await insertRun(
      executor,
      principal,
      input,
      { session, fresh: input.messages, ...rest },
      async (tx, values) => {
        const rows = await beginTurn(tx, {
          ...values,
          plan: plan.name,
          turnsPerMinute: plan.turnsPerMinute,
          concurrentTurns: plan.concurrentTurns,
          ...{ retryWindowMinutes, settled, sentAt, notAfter },
        })
        unsettled = rows[0]?.unsettled ?? null
        return rows
      },
    )
    if (!run && unsettled) throw new InquiryNeeded(unsettled)
    return run
  } catch (error) {
    const code = databaseFault(error)?.code
    if (code === suspendedAccount) throw accountSuspended()
    // A foreign key violation means that the key's project was deleted after the key was looked up.
    if (code === startTooLate || code === foreignKeyViolation) return undefined
    throw error
  }
}

function bringsFiles({ attachments }: TurnInput): boolean {
  return attachments !== undefined && attachments.ids.size + attachments.inline.size > 0
}
