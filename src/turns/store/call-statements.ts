import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import type { PreparedCall, PreparedStatement } from '../../db/statement-batch.ts'
import type { CallName, TurnCall } from './turn-calls.ts'

const appended = 'account run epoch events_before steps_before events steps'

/** The database function of each call, and its parameters in order. */
const functions: Readonly<Record<CallName, readonly [name: string, parameters: string]>> = {
  append: ['append_to_run_2', `${appended} more for_step`],
  prepareCall: ['append_to_run_2', `${appended} more for_step`],
  finish: [
    'end_turn',
    `${appended} status output error_code error_message finish_reason usage cost charge facts
    session message turn position answer`,
  ],
  admit: [
    'admit_run_2',
    `account planName apiAccess monthlyMicros turnsPerMinute concurrentTurns queuedTurns
    keyId hash key retried retryWindowMinutes keyHours
    underPressure again settled lost lostAt gone sentAt notAfter
    sessionId newSessionId projectId afterTurn hasQuestion sessionName
    runId messageId model request input onDisconnect
    holdMicros ampleMicros ampleParts maxMicros tokenMicros
    leaseOwner clientAt leaseSeconds turnSeconds`,
  ],
}

type CallStatement = PreparedStatement & { readonly parameters: readonly string[] }

const statementOf = (call: string, [name, names]: readonly [string, string]): CallStatement => {
  const parameters = names.split(/\s+/)
  const places = parameters.map((_, index) => `$${index + 1}`)
  return { name: call, text: `select to_json(${name}(${places.join(', ')}))`, parameters }
}

const statements = Object.fromEntries(
  Object.entries(functions).map(([call, named]) => [call, statementOf(call, named)]),
) as Readonly<Record<CallName, CallStatement>>

const valuesOf = (account: string, call: TurnCall): readonly unknown[] =>
  statements[call.call].parameters.map((name) => (name === 'account' ? account : call[name]))

/** A call as a statement of its connection. */
export function preparedCall(account: string, call: TurnCall): PreparedCall {
  return { statement: statements[call.call], values: valuesOf(account, call) }
}

/** Comes before several calls: they hold their locks until the last is done. See the function. */
export function opening(account: string): PreparedCall {
  return { statement: { name: 'open_calls', text: 'select null from open_calls($1)' }, values: [account] }
}

/** Makes a call in an open transaction. */
export async function callIn(tx: Executor, account: string, call: TurnCall): Promise<unknown> {
  const values = valuesOf(account, call).map((value) => sql.param(value ?? null))
  const made = sql`${sql.raw(functions[call.call][0])}(${sql.join(values, sql`, `)})`
  const { rows } = await tx.execute<{ answer: unknown }>(sql`select to_json(${made}) as answer`)
  return rows[0]?.answer
}
