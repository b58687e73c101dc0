import { sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { type Database, withTx } from '../db/client.ts'
import { type ExportedTable, exportedColumns, exportedTables, nameOf } from './exported-tables.ts'

/** Rows of a page, and the size in bytes of JSON at which a page ends early: what one export holds in memory. */
const pageRows = 200
const pageBytes = 4_000_000

type Row = { readonly line: string; readonly id: string | null; readonly at: readonly string[] }

/**
 * Reads the rows of an account in one table as JSON, in pages. Each page is read in a transaction of its own: a slow reader
 * holds no connection, and what changes during the export may be in it or not.
 */
export async function* exportedRows(
  database: Database,
  accountId: string,
  listed: ExportedTable,
): AsyncGenerator<readonly string[]> {
  for await (const page of pages(database, accountId, listed, exportedColumns(listed.table)))
    yield page.map(({ line }) => line)
}

async function* pages(
  database: Database,
  accountId: string,
  listed: ExportedTable,
  columns: readonly string[],
): AsyncGenerator<readonly Row[]> {
  for await (const owners of ownersOf(database, accountId, listed)) {
    let page = await readPage(database, accountId, { listed, columns, owners, after: undefined })
    while (page.length > 0) {
      yield page
      page = await readPage(database, accountId, { listed, columns, owners, after: page.at(-1)?.at })
    }
  }
}

/** The ids that rows are looked up by: the account's, or those of the rows that they belong to. */
async function* ownersOf(
  database: Database,
  accountId: string,
  { parent }: ExportedTable,
): AsyncGenerator<readonly string[]> {
  if (!parent) {
    yield [accountId]
    return
  }
  for await (const page of pages(database, accountId, listedAs(parent), []))
    yield page.map(({ id }) => id ?? '')
}

function listedAs(table: PgTable): ExportedTable {
  const listed = exportedTables.find((one) => one.table === table)
  if (!listed) throw new Error(`the table ${nameOf(table)} is not exported`)
  return listed
}

type Wanted = {
  readonly listed: ExportedTable
  readonly columns: readonly string[]
  readonly owners: readonly string[]
  readonly after: readonly string[] | undefined
}

async function readPage(
  database: Database,
  accountId: string,
  { listed: { table, by, key, only, ofService }, columns, owners, after }: Wanted,
): Promise<readonly Row[]> {
  const column = (name: string) => sql`t.${sql.identifier(name)}`
  const list = (names: readonly string[]) => sql.join(names.map(column), sql`, `)
  const texts = sql.join(
    key.map((name) => sql`${column(name)}::text`),
    sql`, `,
  )
  const line =
    columns.length === 0 ? sql`''` : sql`row_to_json((select x from (select ${list(columns)}) x))::text`
  const rest =
    after &&
    sql` and (${list(key)}) > (${sql.join(
      after.map((value) => sql`${value}`),
      sql`, `,
    )})`
  const hasId = columns.length === 0 ? column('id') : sql`null`
  const statement = sql`
    select line, id, at from (
      select *, sum(octet_length(line)) over (order by n) - octet_length(line) as before from (
        select ${line} as line, ${hasId} as id, array[${texts}] as at, row_number() over (order by ${list(key)}) as n
        from ${table} t where ${column(by)} = any(${sql.param(owners)}::text[])${only && sql` and ${only}`}${rest}
        order by ${list(key)} limit ${pageRows}) listed) sized
    where before < ${pageBytes} order by n`
  const scope = ofService ? 'system' : { accountId }
  return withTx(database, scope, async (tx) => (await tx.execute<Row>(statement)).rows)
}
