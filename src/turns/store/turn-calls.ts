import type { StepRecord } from '../../agent/events.ts'
import type { Run } from '../run/run.ts'
import type { RunEvent } from '../run/run-events.ts'

/** What a write appends to a run: events, and steps with their costs in micro-credits. */
export type Added = {
  readonly events: readonly RunEvent[]
  readonly steps: readonly { readonly record: StepRecord; readonly costMicros: bigint }[]
}

/** A run, its owner's epoch, and the numbers of events and steps that its row must have. */
export type RunPosition = Pick<Run, 'id' | 'accountId' | 'epoch' | 'eventCount' | 'stepCount'>

/** The last values of a run's row, its charge and its answer. Amounts are in micro-credits. */
export type RunEndRow = {
  readonly status: 'completed' | 'failed' | 'cancelled'
  /** JSON. */
  readonly output: string
  readonly error_code: string | null
  readonly error_message: string
  readonly finish_reason: string | null
  readonly usage: object
  readonly cost: string
  /** Null: nothing is charged. */
  readonly charge: string | null
  readonly facts: object
  readonly session: string
  readonly message: string
  readonly turn: number
  readonly position: number
  /** The answer as a message for later turns, as JSON. Null if the turn has none. */
  readonly answer: string | null
}

/** What a write does besides appending. */
export type CallPurpose =
  | { readonly call: 'append' }
  /** Adds `more` micro-credits to the hold for the model call of step `for_step`, and checks the key. */
  | { readonly call: 'prepareCall'; readonly more: string; readonly for_step: number }
  | ({ readonly call: 'finish' } & RunEndRow)

export type CallName = CallPurpose['call'] | 'admit'

/** A call with its values, by the names of `call-statements`. */
export type TurnCall = { readonly call: CallName } & Readonly<Record<string, unknown>>

/**
 * For a call that depends on the clock and on a client's connection. It is called when the call is sent, and returns
 * further values of it. If it rejects, the call fails with that and is not sent. Such a call comes last in its batch,
 * because it must commit soon.
 */
export type OnSend = () => SendValues | Promise<SendValues>

type SendValues = Readonly<Record<string, unknown>>

/**
 * Answer of `append`, `prepareCall` and `finish`. If `owned` is false, nothing was written: the run has another
 * owner, has ended, or its counts differ.
 */
export type WriteAnswer = {
  readonly owned: boolean
  /** Of `prepareCall`; null for a run without a key. */
  readonly key_usable?: boolean | null
  /** Of `prepareCall`: whether the hold was extended. */
  readonly enough?: boolean | null
  /** Of `finish`: whether other turns of the account may be waiting. */
  readonly waiting?: boolean | null
}

/** The call that appends to a run. A late copy of it finds other counts and writes nothing. */
export function runCall(run: RunPosition, { events, steps }: Added, purpose: CallPurpose): TurnCall {
  return {
    ...purpose,
    run: run.id,
    epoch: run.epoch,
    events_before: run.eventCount,
    steps_before: run.stepCount,
    // The driver would write an array as one of Postgres.
    events: JSON.stringify(events),
    steps: JSON.stringify(steps.map(({ record, costMicros }) => ({ record, micros: `${costMicros}` }))),
  }
}
