import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { Executor } from './client.ts'
import { type CopyType, type CopyValue, RowWriter } from './row-writer.ts'

export type { CopyType, CopyValue } from './row-writer.ts'

/** A table and the columns to fill, in the order of each row's values. Names must not come from users. */
export type CopyTarget = {
  readonly table: string
  readonly columns: readonly (readonly [name: string, type: CopyType])[]
}

/** Signature, no flags, no header extension (PostgreSQL documentation, "COPY", Binary Format). */
const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const trailer = Buffer.from([0xff, 0xff])

/** Bytes that are buffered before they are sent. */
const chunkBytes = 256 * 1024

/**
 * Appends rows with `COPY … FROM STDIN (FORMAT binary)`. It needs no parsing and takes a third of the time of
 * `INSERT`. A row that violates a constraint fails the whole transaction.
 */
export async function copyRows(
  executor: Executor,
  target: CopyTarget,
  rows: Iterable<readonly CopyValue[]>,
): Promise<void> {
  const types = target.columns.map(([, type]) => type)
  await copyBytes(
    executor,
    target,
    encoded(rows, (writer, row) => writer.values(types, row)),
  )
}

/**
 * Like `copyRows`, without an array for each row.
 * @param write writes the values of a row, in the order of the columns.
 */
export async function copyWritten(
  executor: Executor,
  target: CopyTarget,
  count: number,
  write: (writer: RowWriter, row: number) => void,
): Promise<void> {
  if (count > 0) await copyBytes(executor, target, encoded(upTo(count), write, target.columns.length))
}

async function copyBytes(executor: Executor, target: CopyTarget, bytes: Iterable<Buffer>): Promise<void> {
  const client = clientOf(executor)
  const names = target.columns.map(([name]) => client.escapeIdentifier(name)).join(', ')
  const sink = client.query(
    copyFrom(`copy ${client.escapeIdentifier(target.table)} (${names}) from stdin (format binary)`),
  )
  await pipeline(Readable.from(bytes, { objectMode: false }), sink)
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

function* upTo(count: number): Generator<number, void, undefined> {
  for (let i = 0; i < count; i += 1) yield i
}

function* encoded<Row>(
  rows: Iterable<Row>,
  write: (writer: RowWriter, row: Row) => void,
  columns?: number,
): Generator<Buffer, void, undefined> {
  const writer = new RowWriter(2 * chunkBytes)
  writer.raw(header)
  for (const row of rows) {
    if (columns !== undefined) writer.begin(columns)
    write(writer, row)
    if (writer.length >= chunkBytes) yield writer.take()
  }
  writer.raw(trailer)
  yield writer.take()
}
