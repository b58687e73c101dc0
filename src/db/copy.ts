import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { Executor } from './client.ts'
import { RowWriter } from './row-writer.ts'

/** A table and the columns to fill, in the order of each row's values. Names must not come from users. */
type CopyTarget = { readonly table: string; readonly columns: readonly string[] }

/** Signature, no flags, no header extension (PostgreSQL documentation, "COPY", Binary Format). */
const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const trailer = Buffer.from([0xff, 0xff])

/** Bytes that are buffered before they are sent. */
const chunkBytes = 256 * 1024

/**
 * Appends rows with `COPY … FROM STDIN (FORMAT binary)`. It needs no parsing and takes a third of the time of
 * `INSERT`. A row that violates a constraint fails the whole transaction.
 * @param write writes the values of a row, in the order of the columns.
 */
export async function copyRows(
  executor: Executor,
  { table, columns }: CopyTarget,
  count: number,
  write: (writer: RowWriter, row: number) => void,
): Promise<void> {
  if (count === 0) return
  const client = clientOf(executor)
  const names = columns.map((name) => client.escapeIdentifier(name)).join(', ')
  const sink = client.query(
    copyFrom(`copy ${client.escapeIdentifier(table)} (${names}) from stdin (format binary)`),
  )
  await pipeline(Readable.from(encoded(count, columns.length, write), { objectMode: false }), sink)
}

/**
 * The bytes of `COPY (statement) TO STDOUT (FORMAT binary)`, in chunks that may end within a row. Rows are never gathered:
 * memory stays small whatever their number.
 * @param statement is the program's own text; `COPY` takes no parameters.
 */
export function copyOut(executor: Executor, statement: string): AsyncIterable<Buffer> {
  return clientOf(executor).query(copyTo(`copy (${statement}) to stdout (format binary)`))
}

/**
 * The connection of an open transaction.
 * @throws TypeError outside a transaction.
 */
function clientOf(executor: Executor): pg.ClientBase {
  const client = (executor as NodePgDatabase & { readonly $client?: unknown }).$client
  if (client instanceof pg.Client) return client
  throw new TypeError('rows are copied in a transaction only')
}

function* encoded(
  count: number,
  columns: number,
  write: (writer: RowWriter, row: number) => void,
): Generator<Buffer, void, undefined> {
  const writer = new RowWriter(2 * chunkBytes)
  writer.raw(header)
  for (let row = 0; row < count; row += 1) {
    writer.begin(columns)
    write(writer, row)
    if (writer.length >= chunkBytes) yield writer.take()
  }
  writer.raw(trailer)
  yield writer.take()
}
