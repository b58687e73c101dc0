import { type Database, withTx } from '../../../src/db/client.ts'
import { newId } from '../../../src/ids.ts'
import { startTurn } from '../../../src/turns/admission/start-turn.ts'
import type { TurnInput } from '../../../src/turns/admission/turn-input.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import type { RunRequest } from '../../../src/turns/run/run-request.ts'
import { defaultTurnLimits } from '../../../src/turns/run/turn-limits.ts'
import type { Caller } from './caller.ts'

export const plainRequest: RunRequest = {
  sampling: {},
  clientTools: [],
  toolChoice: 'auto',
  sources: 'inline',
}

export type StartOptions = {
  readonly sessionId?: string
  readonly owner?: string
  readonly firstCallMicros?: bigint
  readonly text?: string
}

/** A question in the form that admission takes. */
export function plainInput(options: StartOptions = {}): TurnInput {
  return {
    model: 'service',
    firstCallMicros: options.firstCallMicros ?? 2_000_000n,
    messages: [{ role: 'user', content: options.text ?? 'question' }],
    sessionId: options.sessionId,
    projectId: undefined,
    request: plainRequest,
    identity: { hash: Buffer.alloc(32), key: undefined, retried: false },
    onDisconnect: 'continue',
  }
}

/** Admits a turn; its owner is a replica that does not exist, unless one is named. */
export async function start(database: Database, person: Caller, options: StartOptions = {}): Promise<Run> {
  const { principal, plans } = person
  const lease = { owner: options.owner ?? 'replica_gone', seconds: 15 }
  const admission = { plans, limits: defaultTurnLimits, lease, runId: newId('run') }
  const started = await withTx(database, principal, (tx) =>
    startTurn(tx, principal, plainInput(options), admission),
  )
  return started.run
}
