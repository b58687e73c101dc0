import { createHash } from 'node:crypto'
import type { Placeholder, SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { databaseFault, isConnectionFault } from './errors.ts'

/** A statement that the server parses once per connection. */
export type Statement = {
  readonly name: string
  readonly text: string
  /** The parameters in order, for the values by the names of their placeholders. */
  readonly parameters: (values: Values) => unknown[]
}

export type Values = Readonly<Record<string, unknown>>

const dialect = new PgDialect()

/** @param query with `sql.placeholder` for each value that differs between calls. A value is sent once. */
export function prepared(name: string, query: SQL): Statement {
  const { sql: text, params } = dialect.sqlToQuery(query)
  const names = params.map((param) => (param as Placeholder).name)
  const sent = [...new Set(names)]
  return {
    name,
    text: text.replaceAll(/\$(\d+)/g, (_, place) => `$${sent.indexOf(names[place - 1] ?? '') + 1}`),
    parameters: (values) => sent.map((one) => values[one] ?? null),
  }
}

/** Connections for single statements, each its own transaction. */
export type AccountConnections = {
  /**
   * Executes a statement that sees the rows of this account (`*`: all). It is sent at once, behind the account's earlier
   * ones.
   * @throws the driver's error. After a lost connection the statement may have succeeded.
   */
  execute<Row>(accountId: string, statement: Statement, values: Values): Promise<readonly Row[]>
  close(): Promise<void>
}

/** Before a statement of another account than the one before on its connection. */
const setAccount = "select set_config('app.account', $1, false)"

/**
 * Opens connections on demand. All statements of an account go through one of them, in order: every one locks the
 * account's row, so a second connection would only make the server wait for that lock.
 * @param count maximum number of connections.
 */
export function openAccountConnections(config: pg.ClientConfig, count: number): AccountConnections {
  const lines = Array.from({ length: count }, () => new Line(config))
  return {
    execute: (accountId, statement, values) =>
      (lines[lineOf(accountId, count)] as Line).execute(accountId, statement, values),
    async close() {
      await Promise.all(lines.map((line) => line.close()))
    },
  }
}

const lineOf = (accountId: string, count: number): number =>
  createHash('sha1').update(accountId).digest().readUInt32BE() % count

/** One connection in pipeline mode: a statement is sent without waiting for the answers to earlier ones. */
class Line {
  readonly #config: pg.ClientConfig
  #client: Promise<pg.Client> | undefined
  /** Whose rows the connection sees once the statements that were sent have been executed. */
  #accountId = ''

  constructor(config: pg.ClientConfig) {
    this.#config = config
  }

  async execute<Row>(
    accountId: string,
    { name, text, parameters }: Statement,
    values: Values,
  ): Promise<readonly Row[]> {
    const opening = this.#open()
    const client = await opening
    try {
      const sees = this.#accountId === accountId
      this.#accountId = accountId
      const before = sees
        ? undefined
        : client.query({ name: 'set_account', text: setAccount, values: [accountId] })
      const result = client.query({ name, text, values: parameters(values) })
      await Promise.all([before, result])
      return (await result).rows as Row[]
    } catch (error) {
      // It may have been the setting that failed.
      this.#accountId = ''
      const fault = databaseFault(error)
      if (fault && isConnectionFault(fault)) this.#drop(opening)
      throw error
    }
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined)
    this.#client = undefined
    await client?.end()
  }

  #open(): Promise<pg.Client> {
    if (this.#client) return this.#client
    const client = new pg.Client({ ...this.#config, pipeline: true } as pg.ClientConfig)
    const opening = client.connect().then(() => client)
    this.#client = opening
    this.#accountId = ''
    // A lost connection is also reported by each statement that was on its way.
    client.on('error', () => this.#drop(opening))
    client.on('end', () => this.#drop(opening))
    opening.catch(() => this.#drop(opening))
    return opening
  }

  /** The next statement opens another connection. */
  #drop(opening: Promise<pg.Client>): void {
    if (this.#client !== opening) return
    this.#client = undefined
    void opening.then((client) => client.end()).catch(() => undefined)
  }
}
