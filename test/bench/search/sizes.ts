import { readFile } from 'node:fs/promises'
import type { Database } from '../../../src/db/client.ts'
import { postgresProcesses } from '../cpu-times.ts'
import { print } from '../report.ts'

const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`

/** Prints the disk space of each table of the library, and of its indexes. */
export async function printSizes({ systemPool }: Database): Promise<void> {
  const { rows } = await systemPool.query<{ name: string; table: string; indexes: string }>(`
    select relname as name, pg_table_size(oid) as table, pg_indexes_size(oid) as indexes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_total_relation_size(oid) > 1e6
    order by pg_total_relation_size(oid) desc`)
  const sum = (of: 'table' | 'indexes'): number => rows.reduce((all, row) => all + Number(row[of]), 0)
  for (const row of rows) {
    print(`  ${row.name}: table ${megabytes(Number(row.table))}, indexes ${megabytes(Number(row.indexes))}`)
  }
  print(`  all: tables ${megabytes(sum('table'))}, indexes ${megabytes(sum('indexes'))}`)
}

/** Prints the memory of this process, and of the Postgres under `directory` with shared pages counted once. */
export async function printMemory(directory: string): Promise<void> {
  let kilobytes = 0
  for (const { pid } of await postgresProcesses(directory)) {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0)
  }
  const own = process.memoryUsage.rss()
  print(`  memory: this process ${megabytes(own)}, Postgres ${megabytes(kilobytes * 1_024)}`)
}
