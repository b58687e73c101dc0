/** `npm run bench:doctor -- [--runs N]`: how long `doctor` takes on a database with N finished runs; default: 1,000,000. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { type Examination, examineAll, examineUnlessFresh } from '../../../src/billing/checks/examine.ts'
import { type Database, openDatabase } from '../../../src/db/client.ts'
import { openEmbedded } from '../../../src/db/embedded/server.ts'
import { migrateDatabase } from '../../../src/db/migrate.ts'
import { print } from '../turns/report.ts'
import { fillLedger } from './filled-ledger.ts'

const { values } = parseArgs({ options: { runs: { type: 'string', default: '1000000' } } })
const runs = Number(values.runs)
const directory = await mkdtemp(path.join(tmpdir(), 'doctor-bench-'))
const server = await openEmbedded(directory, ['fsync=off'])
try {
  await migrateDatabase(server.url, server.url)
  await fill(server.adminUrl)
  const database = openDatabase({ url: server.url, onIdleError: () => undefined })
  await measure(database)
  await database.close()
} finally {
  await server.release()
  await rm(directory, { recursive: true, force: true })
}

async function fill(adminUrl: string): Promise<void> {
  const url = new URL(adminUrl)
  url.pathname = '/service'
  const admin = new pg.Client({ connectionString: url.href })
  await admin.connect()
  await timed(`${runs} runs written`, () =>
    fillLedger(admin, { runs, accounts: 200, withEvents: Math.ceil(runs / 20) }),
  )
  await admin.end()
}

async function measure(database: Database): Promise<void> {
  const requireWhole = ({ broken, unchecked }: Examination) => {
    if (broken.length + unchecked.length > 0) throw new Error(JSON.stringify({ broken, unchecked }))
  }
  for (let round = 1; round <= 3; round += 1)
    await timed(`doctor, round ${round}`, async () => requireWhole(await examineAll(database)))
  await timed('check of the service', () => examineUnlessFresh(database, 0, requireWhole))
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const begun = performance.now()
  await work()
  print(`${what}: ${((performance.now() - begun) / 1_000).toFixed(1)} s`)
}
