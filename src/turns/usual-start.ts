import type { Principal } from '../accounts/principal.ts'
import type { Executor } from '../db/client.ts'
import { newId } from '../ids.ts'
import { guardMinutes } from './idempotency.ts'
import { beginTurn } from './start-statements.ts'
import { hasQuestion, type TurnInput } from './start-turn.ts'
import { type Start, type Writing, writeRun } from './write-run.ts'

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

/** In one call. Without a run something is not as usual, nothing is written, and `startTurn` has to decide. */
export function writeUsual(
  executor: Executor,
  principal: Principal,
  input: TurnInput,
  owner: Pick<Start, 'lease' | 'limits'>,
): Writing {
  const { plan, binding } = principal
  const session = { id: newId('session'), projectId: binding.projectId ?? '', turnCount: 0, name: '' }
  const start = { session, fresh: input.messages, ...owner }
  return writeRun(executor, principal, input, start, (tx, values) =>
    beginTurn(tx, {
      ...values,
      plan: plan.name,
      turnsPerMinute: plan.turnsPerMinute,
      concurrentTurns: plan.concurrentTurns,
      guardMinutes,
    }),
  )
}

function bringsFiles({ attachments }: TurnInput): boolean {
  return attachments !== undefined && attachments.ids.size + attachments.inline.size > 0
}
