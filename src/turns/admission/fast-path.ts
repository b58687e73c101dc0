import { accountSuspended } from '../../accounts/accounts.ts'
import type { Principal } from '../../accounts/principal.ts'
import type { Executor } from '../../db/client.ts'
import { databaseFault, foreignKeyViolation } from '../../db/errors.ts'
import { newId } from '../../ids.ts'
import type { Run } from '../run/run.ts'
import { retryWindowMinutes } from './idempotency.ts'
import { insertRun, type Start } from './insert-run.ts'
import { beginTurn, suspendedAccount, tooLate } from './start-statements.ts'
import { hasQuestion, Unsettled } from './start-turn.ts'
import type { TurnInput } from './turn-input.ts'

/** Whether a start can be decided by the call that writes it: a new session in the key's own project. */
export function isUsual({ keyId, plan, binding }: Principal, input: TurnInput): boolean {
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

/** By the server's clock: when the call is sent, not later, and when it is too late for it. */
type CallTimes = { readonly sentAt: Date; readonly notAfter: Date }

/** `settled`: replicas whose clients of equal requests are no reason not to begin, this one included. */
type UsualOwner = Pick<Start, 'runId' | 'lease' | 'clientAt' | 'limits'> &
  CallTimes & { readonly settled: readonly string[] }

/**
 * In one call, which the server refuses after `notAfter`. Undefined when something is not as usual or it came too late:
 * nothing is written, and `startTurn` has to decide.
 * @throws what `insertRun` throws, and the database's error; `Unsettled` when other replicas have to be asked about equal requests.
 */
export async function writeUsual(
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
    if (!run && unsettled) throw new Unsettled(unsettled)
    return run
  } catch (error) {
    const code = databaseFault(error)?.code
    if (code === suspendedAccount) throw accountSuspended()
    // The key's project was deleted since the key was looked up.
    if (code === tooLate || code === foreignKeyViolation) return undefined
    throw error
  }
}

function bringsFiles({ attachments }: TurnInput): boolean {
  return attachments !== undefined && attachments.ids.size + attachments.inline.size > 0
}
