import pg from 'pg'
import { readFile } from 'node:fs/promises'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { fillReleased } from './test/support/released-data.ts'
import { migrateDatabase } from './src/db/migrate.ts'
import { openDatabase } from './src/db/client.ts'
import { checkInvariants } from './test/support/invariants.ts'
const { url, admin } = JSON.parse(await readFile('/tmp/up/urls.json', 'utf8'))
const a = new pg.Client({ connectionString: admin }); await a.connect()
await a.query(`drop database if exists v02f with (force)`); await a.query(`create database v02f owner service`)
const u = new URL(url); u.pathname = '/v02f'
const c = new pg.Client({ connectionString: u.href }); await c.connect(); await c.query(`set app.account='*'`)
await migrate(drizzle({ client: c }), { migrationsFolder: '/dev/shm/v02/migrations', migrationsSchema: 'public' })
await c.end()
const au = new URL(admin); au.pathname = '/v02f'
const s = new pg.Client({ connectionString: au.href }); await s.connect()
console.time('fill'); await fillReleased(s, { runs: Number(process.argv[2]), accounts: Number(process.argv[3]) }); console.timeEnd('fill')
console.log((await s.query('select status, count(*), sum(cost_micros), sum(hold_micros) from runs group by 1')).rows)
console.log((await s.query('select kind, count(*) from credit_transactions group by 1')).rows)
console.log((await s.query(`select cardinality(hold_pools), count(*) from runs where status in ('queued','in_progress') group by 1`)).rows)
console.time('upgrade'); await migrateDatabase(u.href, u.href, { backedUp: true }); console.timeEnd('upgrade')
const d = openDatabase({ url: u.href, onIdleError: () => undefined })
console.time('check'); for (const l of await checkInvariants(d)) console.log(l.slice(0, 600)); console.timeEnd('check')
console.log((await s.query('select kind, count(*) from ledger group by 1')).rows)
await d.close(); await s.end(); await a.end()
