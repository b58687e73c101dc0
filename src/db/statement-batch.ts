import pg from 'pg'

/** A statement that the server parses once per connection. It returns one row with one value: JSON, or null. */
export type PreparedStatement = { readonly name: string; readonly text: string }

/** Its parameters in order. Objects become JSON, and arrays of strings arrays. */
export type PreparedCall = { readonly statement: PreparedStatement; readonly values: readonly unknown[] }

/**
 * Executes calls in order, in one round trip and one transaction. If one fails, none has done anything.
 * @returns the values that the calls returned.
 * @throws the first error. After a lost connection the calls may have succeeded.
 */
export type ExecuteTogether = (calls: readonly PreparedCall[]) => Promise<readonly unknown[]>

/** @param client a connection, also one in pipeline mode. It keeps its statements, so use one result per connection. */
export function statementsOn(client: pg.PoolClient): ExecuteTogether {
  const parsed = new Set<string>()
  return (calls) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly unknown[]>()
    const batch = new StatementBatch(calls, parsed, (error, values) => {
      if (error) return reject(error)
      for (const { statement } of calls) parsed.add(statement.name)
      resolve(values ?? [])
    })
    client.query(batch)
    return promise
  }
}

type SentCall = { readonly statement: PreparedStatement; readonly values: (string | Buffer | null)[] }

type OnEnd = (error: Error | null | undefined, values?: readonly unknown[]) => void

/**
 * Several Execute messages before one Sync, which ends the transaction
 * (https://www.postgresql.org/docs/17/protocol-flow.html#PROTOCOL-FLOW-PIPELINING). The driver calls `submit` of any
 * object that it is given as a query; in pipeline mode it accepts only those of its class `Query`.
 */
class StatementBatch extends pg.Query {
  /** The driver sets another one that also ends its timer. */
  callback: OnEnd
  readonly #calls: readonly SentCall[]
  readonly #parsed: ReadonlySet<string>
  readonly #values: unknown[] = []

  constructor(calls: readonly PreparedCall[], parsed: ReadonlySet<string>, onEnd: OnEnd) {
    super({ text: '' })
    this.callback = onEnd
    // A value that cannot be sent must fail before the first message.
    this.#calls = calls.map(({ statement, values }) => ({ statement, values: values.map(parameterOf) }))
    this.#parsed = parsed
  }

  override submit = (connection: pg.Connection): void => {
    connection.stream.cork()
    const added = new Set<string>()
    for (const { statement, values } of this.#calls) {
      const { name, text } = statement
      if (!this.#parsed.has(name) && !added.has(name)) {
        // A batch that failed may have parsed it or not.
        connection.close({ type: 'S', name }, true)
        connection.parse({ name, text, types: [] }, true)
        added.add(name)
      }
      connection.bind({ statement: name, values }, true)
      connection.execute(null, true)
    }
    connection.sync()
    connection.stream.uncork()
  }

  handleDataRow({ fields: [value] }: { readonly fields: readonly (string | null)[] }): void {
    this.#values.push(typeof value === 'string' ? JSON.parse(value) : null)
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback(null, this.#values)
  }
}

/** The value in the text format of its type, or bytes. */
function parameterOf(value: unknown): string | Buffer | null {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  if (typeof value !== 'object') return String(value)
  if (Buffer.isBuffer(value)) return value
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? arrayOf(value) : JSON.stringify(value)
}

/** https://www.postgresql.org/docs/17/arrays.html#ARRAYS-IO */
function arrayOf(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`
}
