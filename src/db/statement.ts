import type { Executor } from './client.ts'
import { databaseFault } from './errors.ts'

type Values = Readonly<Record<string, unknown>>

type Queries = {
  query(config: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>
}

/**
 * Creates a statement for the path of every turn. It is parsed and planned once per connection. Parameters are
 * named (`:runId`), so that one statement can combine parts of several features.
 * @param name unique among the service's statements.
 * @returns a function that runs it. Values that the text does not name are ignored; missing ones are null.
 */
export function statement<Row extends object>(name: string, text: string) {
  const names: string[] = []
  const numbered = text.replaceAll(/(?<!:):([a-z]\w*)/gi, (_, parameter: string) => {
    if (!names.includes(parameter)) names.push(parameter)
    return `$${names.indexOf(parameter) + 1}`
  })
  return async (executor: Executor, values: Values): Promise<readonly Row[]> => {
    const { $client } = executor as Executor & { readonly $client: Queries }
    try {
      const { rows } = await $client.query({
        name,
        text: numbered,
        values: names.map((parameter) => values[parameter]),
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
