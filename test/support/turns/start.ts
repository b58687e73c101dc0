import { type Database, withTx } from '../../../src/db/client.ts'
import { newId } from '../../../src/ids.ts'
import { admitAtOnce, admitWithLook } from '../../../src/turns/admit/admission.ts'
import type { Admission, Decision } from '../../../src/turns/admit/admission-types.ts'
import type { TurnInput } from '../../../src/turns/admit/turn-input.ts'
import type { TurnStore } from '../../../src/turns/record/turn-store.ts'
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
  const lease = { owner: options.owner ?? 'replica_gone', seconds: 15 }
  const admission = admissionOf(person, { lease, input: plainInput(options) })
  return admitted(await look(database, admission))
}

/** Looks at every rule in a transaction, as a start does that one statement does not admit. */
export function look(database: Database, admission: Admission, again = false): Promise<Decision> {
  return withTx(database, admission.principal, (tx) => admitWithLook(tx, admission, { again, isLast: true }))
}

/**
 * Decides as a start does that no failure disturbs: in one statement, or by a look at every rule.
 * @param isLast an equal run that is still undecided no longer counts.
 */
export async function decide(store: TurnStore, admission: Admission, isLast = true): Promise<Decision> {
  const { accountId } = admission.principal
  const admitted = await admitAtOnce(store.sendTo(accountId), admission)
  return (
    admitted ?? store.transaction(accountId, (tx) => admitWithLook(tx, admission, { again: false, isLast }))
  )
}

/** An admission with an owner that does not exist. */
export function admissionOf({ plans, principal }: Caller, more: Partial<Admission> = {}): Admission {
  const lease = { owner: 'replica_gone', seconds: 15 }
  return {
    ...{ principal, plans, lease, limits: defaultTurnLimits, input: plainInput() },
    ...{ runId: newId('run'), clientAt: null },
    ...more,
  }
}

/** @throws Error for any other decision. */
export function admitted(decision: Decision): Run {
  if (decision.kind !== 'admitted') throw new Error(`decided "${decision.kind}"`)
  return decision.run
}
