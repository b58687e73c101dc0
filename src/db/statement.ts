import type { Executor } from './client.ts'
import { databaseFault } from './errors.ts'

type Values = Readonly<Record<string, unknown>>

type Queries = {
  query(config: {
    name: string
    text: string
    values: unknown[]
    query_timeout?: number
    onSend?: () => unknown[]
  }): Promise<{ rows: unknown[] }>
}

/**
 * Options of a turn's call. The server stops waiting for a lock after three seconds, but the time counts from
 * sending, and a call can wait behind others of its account. Calls of one batch share the limit.
 */
export const turnCall = { timeoutMs: 10_000 } as const

/**
 * Creates a statement for the path of every turn. It is parsed and planned once per connection. Parameters are
 * named (`:runId`), so that one statement can combine parts of several features.
 * @param name unique among the service's statements.
 * @param options.timeoutMs closes the connection if there is no answer within this time.
 * @returns a function that runs it. Values that the text does not name are ignored; missing ones are null. In a
 *   batch of calls, `onSend` replaces some values when the call is sent (see `Call`).
 */
export function statement<Row extends object>(
  name: string,
  text: string,
  options: { readonly timeoutMs?: number } = {},
) {
  const names: string[] = []
  const numbered = text.replaceAll(/(?<!:):([a-z]\w*)/gi, (_, parameter: string) => {
    if (!names.includes(parameter)) names.push(parameter)
    return `$${names.indexOf(parameter) + 1}`
  })
  const { timeoutMs } = options
  const inOrder = (values: Values) => names.map((parameter) => values[parameter])
  return async (executor: Executor, values: Values, onSend?: () => Values): Promise<readonly Row[]> => {
    const { $client } = executor as Executor & { readonly $client: Queries }
    try {
      const { rows } = await $client.query({
        name,
        text: numbered,
        values: inOrder(values),
        ...(timeoutMs !== undefined && { query_timeout: timeoutMs }),
        ...(onSend && { onSend: () => inOrder({ ...values, ...onSend() }) }),
      })
      return rows as Row[]
    } catch (cause) {
      // Thrown by `onSend`.
      if (!databaseFault(cause)) throw cause
      // Wrapped as the query builder does, but without parameters (see `databaseFault`).
      throw new Error(`the statement "${name}" failed`, { cause })
    }
  }
}
