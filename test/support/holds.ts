import { type Database, withTx } from '../../src/db/client.ts'
import { newId } from '../../src/ids.ts'
import { createTurnStore, writeToRun } from '../../src/turns/record/turn-store.ts'
import type { Run } from '../../src/turns/run/run.ts'
import { readRun } from '../../src/turns/run/runs.ts'
import type { Caller } from './turns/caller.ts'
import { admissionOf, admitted, decide, plainInput } from './turns/start.ts'

/** The money of a turn without a model: the statements that start it, extend its hold and end it. */

/** @throws ServiceError `insufficient_credits` when the account has fewer credits. */
export async function placeHold(
  database: Database,
  caller: Caller,
  micros: bigint,
  runId = newId('run'),
): Promise<Run> {
  const input = plainInput({ firstCallMicros: micros })
  return admitted(await decide(createTurnStore(database), admissionOf(caller, { runId, input })))
}

const nothing = { events: [], steps: [] }

/** @returns whether the account had that much more; otherwise the hold keeps its size. */
export async function extendHold(database: Database, run: Run, micros: bigint): Promise<boolean> {
  const send = createTurnStore(database).sendTo(run.accountId)
  // The statement is for the hold that its sender knows, and a hold may have grown since the run started.
  const now = await withTx(database, run, (tx) => readRun(tx, run.id))
  const answer = await writeToRun(send, now ?? run, nothing, { kind: 'prepareCall', more: micros })
  if (!answer.owned) throw new Error('the run has ended')
  return answer.enough === true
}

/**
 * Ends the run: with one step that costs `chargeMicros`, or as failed and without a charge for null.
 * @returns false if it had ended before.
 */
export async function settleHold(
  database: Database,
  run: Run,
  chargeMicros: bigint | null,
): Promise<boolean> {
  const { owned } = await writeToRun(
    createTurnStore(database).sendTo(run.accountId),
    run,
    {
      events: [],
      steps: chargeMicros ? [{ record: { kind: 'model', text: '' } as never, costMicros: chargeMicros }] : [],
    },
    {
      kind: 'end',
      row: {
        status: chargeMicros === null ? 'failed' : 'completed',
        ...{ reply: { type: 'run.cancelled', end: {} as never }, finishReason: null, facts: {} },
        cost: String(chargeMicros ?? 0n),
        charge: chargeMicros === null ? null : String(chargeMicros),
        ...{ position: 1, answer: null },
      },
    },
  )
  return owned
}
