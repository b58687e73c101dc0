import type pg from 'pg'

type Row = Readonly<Record<string, unknown>>

const tables = [
  'projects',
  'api_keys',
  'sessions',
  'runs',
  'messages',
  'idempotency_keys',
  'files',
  'credit_pools',
  'credit_transactions',
  'credit_entries',
] as const

/** Rows of all accounts that an admission may write, as one line each. */
export async function readRows(client: pg.PoolClient): Promise<ReadonlySet<string>> {
  client.query(`select set_config('app.account', '*', true)`)
  const all = tables.map((table) => `select '${table}' as name, to_jsonb(t) as row from ${table} t`)
  const { rows } = await client.query<{ name: string; row: Row }>(all.join(' union all '))
  return new Set(rows.map(({ name, row }) => JSON.stringify([name, row])))
}

/**
 * What an admission has written: the lines that were not there before, without what differs between two equal
 * admissions (random ids, sequences, the wall clock).
 */
export function writtenSince(before: ReadonlySet<string>, after: ReadonlySet<string>): readonly string[] {
  const lines = [...after]
    .filter((line) => !before.has(line))
    .map((line) => JSON.parse(line) as [string, Row])
  const isOld = (table: string, row: Row) =>
    [...before].some((line) => {
      const [name, known] = JSON.parse(line) as [string, Row]
      return name === table && known['id'] === row['id']
    })
  const names = new Map<unknown, string>()
  const numbered = (table: string) =>
    lines
      .filter(([name, row]) => name === table && !isOld(table, row))
      .map(([, row]) => row['id'] as number)
      .toSorted((a, b) => a - b)
      .forEach((id, i) => {
        names.set(`${table} ${id}`, `${table} #${i + 1}`)
      })
  numbered('credit_pools')
  numbered('credit_transactions')
  for (const [table, row] of lines)
    if ((table === 'sessions' || table === 'projects') && !isOld(table, row))
      names.set(row['id'], `the new of ${table}`)
  const nameOf = (value: unknown) => names.get(value) ?? value
  const normal = ([table, row]: [string, Row]) => {
    const changed: Record<string, unknown> = Object.fromEntries(
      Object.entries(row).map(([key, value]) => [key, nameOf(value)]),
    )
    if (table === 'messages') changed['id'] = 'an id'
    if (table === 'runs') Object.assign(changed, { message_id: 'an id', created_at: 'now' })
    if (table === 'credit_pools') changed['id'] = nameOf(`credit_pools ${row['id']}`)
    if (table === 'credit_transactions') changed['id'] = nameOf(`credit_transactions ${row['id']}`)
    if (table === 'credit_entries') {
      changed['pool_id'] = nameOf(`credit_pools ${row['pool_id']}`)
      changed['transaction_id'] = nameOf(`credit_transactions ${row['transaction_id']}`)
    }
    if (Array.isArray(row['hold_pools']))
      changed['hold_pools'] = row['hold_pools'].map((id) => nameOf(`credit_pools ${id}`))
    return JSON.stringify([table, changed])
  }
  return lines.map(normal).toSorted()
}
