import { countStatements } from '../../support/statement-count.ts'
import { type Figure, print } from '../report.ts'
import { exchange } from './exchange.ts'
import { oneCall, oneTool, type TurnScript } from './script.ts'
import type { World } from './world.ts'

const turns = 100

/** Statements and commits around a turn, counted by Postgres. */
export async function measureStatements(world: World): Promise<readonly Figure[]> {
  const [call, tool] = [await countTurns(world, oneCall), await countTurns(world, oneTool)]
  const long = await countTurns(world, { ...oneCall, chunks: 256 })
  for (const { text, calls } of call.texts) print(`    ${(calls / turns).toFixed(2).padStart(6)}  ${text}`)
  print(
    `  a turn: ${call.statements.toFixed(2)} statements, ${call.commits.toFixed(2)} commits; with a tool ${tool.statements.toFixed(2)} and ${tool.commits.toFixed(2)}; with 256 chunks in place of 64 ${long.statements.toFixed(2)} and ${long.commits.toFixed(2)}; signals ${call.signals.toFixed(2)}`,
  )
  for (const { name, rows, bytes } of [
    { name: 'one call', ...call },
    { name: 'one tool', ...tool },
    { name: '256 chunks', ...long },
  ])
    print(`  ${name}: ${rows.toFixed(1)} rows more, ${(bytes / 1_024).toFixed(1)} KB of write-ahead log`)
  return [
    { name: 'statements around a one-call turn', value: call.statements, unit: '', goal: 2, gate: 4 },
    { name: 'commits around a one-call turn', value: call.commits, unit: '', goal: 2, gate: 3 },
  ]
}

/** Rows of all tables, and bytes of write-ahead log since the server exists. */
async function written({ admin }: World) {
  const tables = await admin.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  )
  const counts = tables.rows.map(({ name }) => `(select count(*) from "${name}")`)
  const { rows } = await admin.query<{ rows: number; bytes: number }>(
    `select (${counts.join(' + ')})::float8 as rows,
      pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`,
  )
  return rows[0] ?? { rows: 0, bytes: 0 }
}

async function countTurns(world: World, script: TurnScript) {
  const { admin, service } = world
  const counting = countStatements(admin)
  await exchange(service.target, script, { streamed: true })
  // The first change of a page after a checkpoint writes the whole page.
  await admin.query('checkpoint')
  for (let i = 0; i < turns; i += 1) await exchange(service.target, script, { streamed: true })
  const before = await written(world)
  await counting.reset()
  for (let i = 0; i < turns; i += 1) await exchange(service.target, script, { streamed: true })
  const { statements, commits, signals, texts } = await counting.read()
  const after = await written(world)
  return {
    rows: (after.rows - before.rows) / turns,
    bytes: (after.bytes - before.bytes) / turns,
    statements: statements / turns,
    commits: commits / turns,
    signals: signals / turns,
    texts,
  }
}
