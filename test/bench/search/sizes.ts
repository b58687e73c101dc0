import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Database } from '../../../src/db/client.ts'
import { print } from './times.ts'

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
  const lines = (await readFile(path.join(directory, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')
  const server = Number(lines[0])
  let kilobytes = 0
  for (const name of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    if (Number(name) !== server && parent !== server) continue
    const rollup = await readFile(`/proc/${name}/smaps_rollup`, 'utf8').catch(() => '')
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0)
  }
  const own = process.memoryUsage.rss()
  print(`  memory: this process ${megabytes(own)}, Postgres ${megabytes(kilobytes * 1_024)}`)
}
