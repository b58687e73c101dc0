import { type SQL, type SQLChunk, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import type { CallName, TurnCall } from './turn-calls.ts'

const appended = 'account run epoch events_before steps_before events steps'

/** The database function of each call, and its parameters in order. */
const functions: Readonly<Record<CallName, readonly [name: string, parameters: readonly string[]]>> = {
  append: ['append_to_run_2', `${appended} more for_step`.split(' ')],
  prepareCall: ['append_to_run_2', `${appended} more for_step`.split(' ')],
  finish: [
    'end_turn',
    `${appended} status output error_code error_message finish_reason usage cost charge facts
    session message turn position answer`.split(/\s+/),
  ],
  admit: [
    'admit_run',
    `account planName apiAccess monthlyMicros turnsPerMinute concurrentTurns queuedTurns
    keyId hash key retried retryWindowMinutes keyHours
    underPressure again settled lost lostAt gone sentAt notAfter
    sessionId newSessionId projectId afterTurn hasQuestion sessionName
    runId messageId model request input onDisconnect
    holdMicros ampleMicros ampleParts maxMicros
    leaseOwner clientAt leaseSeconds turnSeconds`.split(/\s+/),
  ],
}

/** The calls in one expression, which is a JSON array of their answers. It makes them in order. */
const answersTo = (calls: readonly (readonly [call: CallName, argumentOf: (name: string) => SQLChunk])[]) => {
  const made = calls.map(([call, argumentOf]) => {
    const [name, parameters] = functions[call]
    return sql`${sql.raw(name)}(${sql.join(parameters.map(argumentOf), sql`, `)})`
  })
  return sql<readonly unknown[]>`json_build_array(${sql.join(made, sql`, `)})`
}

/** A single call, without its values. The server parses and plans it once per connection. */
const prepared = (executor: Executor, call: CallName) =>
  executor
    .select({ answers: answersTo([[call, sql.placeholder]]) })
    .from(sql`(select) as once`)
    .prepare(call)

export type SendCall = (account: string, call: TurnCall) => Promise<unknown>

/** Prepares single calls on an executor. */
export function singleCalls(executor: Executor): SendCall {
  const known: Partial<Record<CallName, ReturnType<typeof prepared>>> = {}
  return async (account, call) => {
    const query = known[call.call] ?? prepared(executor, call.call)
    known[call.call] = query
    const [, parameters] = functions[call.call]
    const values = Object.fromEntries(parameters.map((name) => [name, call[name] ?? null]))
    const [row] = await query.execute({ ...values, account })
    return row?.answers[0]
  }
}

/**
 * Makes several calls in one statement, which is one transaction. They hold their locks until the last is done, so
 * `open_calls` first takes the locks that others would wait for, and gives up soon.
 */
export async function callTogether(
  executor: Executor,
  account: string,
  calls: readonly TurnCall[],
): Promise<readonly unknown[]> {
  const answers = answersTo(
    calls.map((call) => [call.call, (name) => argument(name === 'account' ? account : call[name])]),
  )
  const { rows } = await executor.execute<{ answers: readonly unknown[] }>(
    sql`select ${answers} as answers from open_calls(${account})`,
  )
  return rows[0]?.answers ?? []
}

/** Drizzle would take an array for a list. Other plain values need no wrapper, which costs time. */
function argument(value: unknown): SQLChunk {
  return typeof value === 'object' && value !== null ? sql.param(value) : ((value ?? null) as SQL)
}
