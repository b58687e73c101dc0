import type { TestDatabase } from '../database.ts'

/**
 * Number of rows in each table, to show that a refused request wrote nothing. Without `replicas`, where each process
 * writes by itself that it is there.
 */
export async function rowCounts(db: TestDatabase): Promise<Readonly<Record<string, number>>> {
  const { rows: tables } = await db.database.system.execute<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'replicas' order by tablename`,
  )
  const counts = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await db.database.system.execute<{ n: number }>(
        `select count(*)::int as n from "${name}"`,
      )
      return [name, rows[0]?.n ?? -1] as const
    }),
  )
  return Object.fromEntries(counts)
}
