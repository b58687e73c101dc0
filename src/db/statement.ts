import type { Executor } from './client.ts'

type Queries = {
  query(config: {
    name: string
    text: string
    values: unknown[]
    query_timeout?: number
    timed?: boolean
  }): Promise<{ rows: unknown[] }>
}

/**
 * For a call of a turn. The server itself gives up waiting for a lock after three seconds; the time counts from the sending,
 * and a call can be behind others of its account that wait for locks. Calls that are sent together share it.
 */
export const turnCall = { timeoutMs: 10_000 } as const

/**
 * A statement of the path that every turn takes: written by hand, parsed and planned once on each connection. Parameters
 * are named (`:runId`), so that one statement can be put together from parts of several features.
 * @param name unique among the statements of the service.
 * @param options.timeoutMs without an answer for that long, its connection is given up.
 * @param options.timed see `Call`.
 * @returns a function that runs it. A parameter that its text does not name is ignored; one that is missing is null.
 */
export function statement<Row extends object>(
  name: string,
  text: string,
  options: { readonly timeoutMs?: number; readonly timed?: boolean } = {},
) {
  const names: string[] = []
  const numbered = text.replaceAll(/(?<!:):([a-z]\w*)/gi, (_, parameter: string) => {
    if (!names.includes(parameter)) names.push(parameter)
    return `$${names.indexOf(parameter) + 1}`
  })
  const { timeoutMs, timed } = options
  const sending = { ...(timeoutMs !== undefined && { query_timeout: timeoutMs }), ...(timed && { timed }) }
  return async (executor: Executor, values: Readonly<Record<string, unknown>>): Promise<readonly Row[]> => {
    const { $client } = executor as Executor & { readonly $client: Queries }
    try {
      const { rows } = await $client.query({
        name,
        text: numbered,
        values: names.map((parameter) => values[parameter]),
        ...sending,
      })
      return rows as Row[]
    } catch (cause) {
      // As the query builder does, but without parameters; see `databaseFault`.
      throw new Error(`the statement "${name}" failed`, { cause })
    }
  }
}
