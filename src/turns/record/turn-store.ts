import { sql } from 'drizzle-orm'
import type { StepRecord } from '../../agent/events.ts'
import type { Statement, Values } from '../../db/account-connections.ts'
import { type Database, type Executor, withIndexedTx } from '../../db/client.ts'
import type { Run } from '../run/run.ts'
import { isTerminal, type RunEvent, type TerminalEvent } from '../run/run-events.ts'
import { statements } from './statements.ts'

/** What a write appends to a run: events, and steps with their costs in micro-credits. */
export type Added = {
  readonly events: readonly RunEvent[]
  readonly steps: readonly StepRow[]
}

/** A finished step and its cost in micro-credits. Its number follows from the steps before it. */
export type StepRow = { readonly record: StepRecord; readonly costMicros: bigint }

export const costOf = (steps: readonly Pick<StepRow, 'costMicros'>[]): bigint =>
  steps.reduce((sum, { costMicros }) => sum + costMicros, 0n)

/** A run, its owner's epoch, and the numbers of events and steps, and the hold, that its row must have. */
export type RunPosition = Pick<
  Run,
  'id' | 'accountId' | 'apiKeyId' | 'messageId' | 'epoch' | 'eventCount' | 'stepCount' | 'holdMicros'
>

/** The last values of a run's row, its charge and its answer. Amounts are in micro-credits. */
export type RunEndRow = {
  readonly status: 'completed' | 'failed' | 'cancelled'
  readonly reply: TerminalEvent
  readonly finishReason: string | null
  readonly cost: string
  /** Null: nothing is charged, and the ledger gets no row. */
  readonly charge: string | null
  readonly facts: object
  /** Position of the answer in its turn. */
  readonly position: number
  /** The answer as a message for later turns, as JSON. Null if the turn has none. */
  readonly answer: string | null
}

/** What a write does besides appending. */
export type WritePurpose =
  | { readonly kind: 'append' }
  /**
   * Adds `more` micro-credits to the hold for the next model call, and checks the key. `allowed`: whether the spending
   * caps of the key allow that; absent: nobody has looked.
   */
  | { readonly kind: 'prepareCall'; readonly more: bigint; readonly allowed?: boolean }
  | { readonly kind: 'end'; readonly row: RunEndRow }

/**
 * The answer to a write. If `owned` is false, nothing was written: the run has another owner, has ended, or its counts
 * differ.
 */
export type WriteAnswer = {
  readonly owned: boolean
  /** Of `prepareCall`; null for a run without a key. */
  readonly keyUsable?: boolean | null
  /** Of `prepareCall`: whether the hold was extended. */
  readonly enough?: boolean
  /** Of `end`: whether other turns of the account may be waiting. */
  readonly waiting?: boolean
}

/** Events that one run adds. */
export type RunEvents = Omit<RunPosition, 'apiKeyId' | 'messageId' | 'holdMicros'> & {
  readonly events: readonly RunEvent[]
}

/** Sends a statement: as its own transaction, or in one that is open. */
export type Send = <Row extends Record<string, unknown>>(
  statement: Statement,
  values: Values,
) => Promise<readonly Row[]>

/** The statements that admit and write turns, each its own transaction on the connection of its account. */
export type TurnStore = {
  /** @param accountId whose rows the statements see. */
  sendTo(accountId: string): Send
  /** Opens a transaction of the account, for `sendIn`. */
  transaction<T>(accountId: string, work: (tx: Executor) => Promise<T>): Promise<T>
  /**
   * Appends events to many runs of any accounts in one transaction.
   * @returns the ids of the runs that were written. The others have other counts or are locked.
   */
  appendToRuns(lines: readonly RunEvents[]): Promise<ReadonlySet<string>>
}

export function createTurnStore(database: Database): TurnStore {
  const { accountConnections: connections } = database
  return {
    sendTo: (accountId) => (statement, values) => connections.execute(accountId, statement, values),
    transaction: (accountId, work) => withIndexedTx(database, { accountId }, work),
    async appendToRuns(lines) {
      const rows = await connections.execute<{ run: string }>('*', statements.appendToRuns, {
        runs: lines.map(({ id }) => id),
        accounts: lines.map(({ accountId }) => accountId),
        epochs: lines.map(({ epoch }) => epoch),
        eventsBefore: lines.map(({ eventCount }) => eventCount),
        stepsBefore: lines.map(({ stepCount }) => stepCount),
        events: lines.map(({ events }) => events.length),
        entries: lines.map(({ events }) => JSON.stringify(events)),
      })
      return new Set(rows.map(({ run }) => run))
    },
  }
}

/** Sends statements in an open transaction. */
export function sendIn(tx: Executor): Send {
  return async <Row extends Record<string, unknown>>(
    { text, parameters }: Statement,
    values: Values,
  ): Promise<readonly Row[]> => {
    const sent = parameters(values)
    const places = text.split(/\$(\d+)/)
    // Odd pieces are the numbers of the parameters.
    const query = places.map((piece, i) => (i % 2 ? sql.param(sent[Number(piece) - 1]) : sql.raw(piece)))
    const { rows } = await tx.execute(sql.join(query))
    return rows as Row[]
  }
}

/** Writes to a run. A late copy of a write finds other counts and writes nothing. */
export async function writeToRun(
  send: Send,
  run: RunPosition,
  { events, steps }: Added,
  purpose: WritePurpose,
): Promise<WriteAnswer> {
  const values = {
    account: run.accountId,
    run: run.id,
    epoch: run.epoch,
    eventsBefore: run.eventCount,
    stepsBefore: run.stepCount,
    events: events.length,
    steps: steps.length,
    // The driver would write an array as one of Postgres.
    entries: JSON.stringify([...events.map(eventEntry), ...steps.map(stepEntry)] satisfies LogEntry[]),
    stepMicros: costOf(steps),
  }
  switch (purpose.kind) {
    case 'append': {
      const rows = await send(statements.append, values)
      return { owned: rows.length > 0 }
    }
    case 'prepareCall':
      return prepare(send, { ...values, key: run.apiKeyId, holdBefore: run.holdMicros }, purpose)
    case 'end': {
      const { reply, facts, ...row } = purpose.row
      const json = { reply: JSON.stringify(reply), facts: JSON.stringify(facts) }
      const [ended] = await send<{ waiting: boolean }>(statements.end, {
        ...{ ...values, ...row, ...json },
        message: run.messageId,
      })
      return ended ? { owned: true, waiting: ended.waiting } : { owned: false }
    }
  }
}

/** A line of the log. The data of the last event are the reply in the run's row. */
export type LogEntry = Exclude<RunEvent, TerminalEvent> | EndEntry | StepEntry

export type EndEntry = { readonly type: TerminalEvent['type'] }

/** A finished step and its cost in micro-credits, as decimal text. */
export type StepEntry = { readonly type: 'step'; readonly record: StepRecord; readonly micros: string }

const eventEntry = (event: RunEvent): LogEntry => (isTerminal(event) ? { type: event.type } : event)

const stepEntry = ({ record, costMicros }: StepRow): LogEntry => ({
  type: 'step',
  record,
  micros: `${costMicros}`,
})

/**
 * Records that the client of a run disconnected.
 * @param holder the replica that held the connection.
 * @returns false if the client has retried and is connected to another replica.
 */
export async function recordDisconnect(send: Send, runId: string, holder: string): Promise<boolean> {
  return (await send(statements.disconnect, { run: runId, owner: holder })).length > 0
}

type Prepared = {
  readonly capped: boolean
  readonly owned: boolean
  readonly key_usable: boolean | null
  readonly enough: boolean
}

/** Thrown for a key with spending caps, which only a transaction can look at. Nothing was written. */
export class KeyHasCaps extends Error {
  override readonly name = 'KeyHasCaps'
}

async function prepare(
  send: Send,
  values: Values,
  { more, allowed }: Extract<WritePurpose, { kind: 'prepareCall' }>,
): Promise<WriteAnswer> {
  const [answer] = await send<Prepared>(statements.prepareCall, {
    ...{ ...values, more },
    ...{ allowed: allowed ?? true, capChecked: allowed !== undefined },
  })
  if (answer?.capped) throw new KeyHasCaps()
  if (!answer?.owned) return { owned: false }
  return { owned: true, keyUsable: answer.key_usable, enough: answer.enough }
}
