import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { ClientBase, QueryResult, QueryResultRow } from 'pg'
import type { Executor } from './client.ts'

/** Object identifiers of the types that `selectBinary` reads (PostgreSQL source, `pg_type.dat`). */
const bytea = 17
const int4 = 23
const text = 25

const readers: Readonly<Record<number, (bytes: Buffer) => unknown>> = {
  [bytea]: (bytes) => bytes,
  [int4]: (bytes) => bytes.readInt32BE(0),
  [text]: (bytes) => bytes.toString('utf8'),
}

/**
 * Runs a query whose rows travel in binary: bytes come as they are stored, where the text form doubles them and has
 * to be read back digit by digit. For columns of the types `bytea`, `int4` and `text` that are not null.
 */
export async function selectBinary<Row extends QueryResultRow>(
  executor: Executor,
  statement: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const { $client } = executor as NodePgDatabase & { readonly $client: Pick<ClientBase, 'query'> }
  const query = {
    text: statement,
    values: [...values],
    binary: true,
    types: { getTypeParser: (type: number) => readers[type] ?? unreadable(type) },
  }
  const found: QueryResult<Row> = await $client.query(query)
  return found.rows
}

function unreadable(type: number): never {
  throw new TypeError(`values of the type ${type} cannot be read in binary`)
}
