/**
 * `npm run bench -- search [passages...]`: imports a synthetic library of each size into an embedded Postgres of its
 * own, and prints search times by kind of query beside a floor (see `floor.ts`). The libraries stay in the system's
 * temporary folder for the next run; remove `source-search-bench` there when the schema has changed.
 */
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { type Database, openDatabase } from '../../../src/db/client.ts'
import { openEmbedded } from '../../../src/db/embedded/server.ts'
import { migrateDatabase } from '../../../src/db/migrate.ts'
import { importExport } from '../../../src/sources/importers/sefaria/import-export.ts'
import { reportLines } from '../../../src/sources/importers/sefaria/report.ts'
import { readHits } from '../../../src/sources/search/hit-page.ts'
import { cpuSince, readCpuTimes } from '../cpu-times.ts'
import { loadNow, median, percentile, print } from '../report.ts'
import { planFloor, readFloor } from './floor.ts'
import { kinds, makeQuestions, type Question } from './questions.ts'
import { printMemory, printSizes } from './sizes.ts'
import { openFirst, writeExport } from './synthetic-library.ts'

/** Queries of each kind, of the measured set and of the set that warms the caches. */
const each = 40
const rounds = 4
const depth = 10

const never = new AbortController().signal

async function search(database: Database, text: string): Promise<readonly string[]> {
  const page = await readHits(
    database.system,
    { q: text, limit: depth },
    { semantic: undefined, signal: never },
  )
  return page.hits.map(({ ref }) => ref)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** The times of one query: of each round in milliseconds. */
type QueryTimes = { readonly kind: string; readonly search: number[]; readonly floor: number[] }

async function measureQueries(
  database: Database,
  client: pg.Client,
  questions: readonly Question[],
): Promise<readonly QueryTimes[]> {
  const times = questions.map(({ kind }): QueryTimes => ({ kind, search: [], floor: [] }))
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, { text }] of questions.entries()) {
      let found: readonly string[] = []
      times[i]?.search.push(
        await timed(async () => {
          found = await search(database, text)
        }),
      )
      const reads = await planFloor(client, text, found)
      times[i]?.floor.push(await timed(() => readFloor(client, reads)))
    }
  }
  return times
}

/** Prints 50th and 95th percentiles over the queries beside those of the floor, and their ratios. */
function printTimes(
  what: string,
  times: readonly QueryTimes[],
  ofRounds: (rounds: readonly number[]) => number,
): void {
  const search = times.map((one) => ofRounds(one.search))
  const floor = times.map((one) => ofRounds(one.floor))
  const parts = [0.5, 0.95].map((share) => {
    const [own, least] = [percentile(search, share), percentile(floor, share)]
    return `p${share * 100} ${own.toFixed(1)} ms, floor ${least.toFixed(1)} ms, ratio ${(own / least).toFixed(1)}`
  })
  print(`${what.padEnd(34)} ${parts.join('; ')}`)
}

async function measure(database: Database, passages: number): Promise<void> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  for (const { text } of await makeQuestions(database.system, { seed: 1, each })) await search(database, text)
  const questions = await makeQuestions(database.system, { seed: 2, each })
  const times = await measureQueries(database, client, questions)
  print(`${passages} passages, ${questions.length} queries, load ${loadNow()}:`)
  printTimes('  all, first time', times, ([first = 0]) => first)
  const warm = (all: readonly number[]): number => median(all.slice(1))
  printTimes(`  all, median of ${rounds - 1} repetitions`, times, warm)
  for (const kind of kinds) {
    const own = times.filter((one) => one.kind === kind)
    printTimes(`    ${kind}`, own, warm)
  }
  await client.end()
}

/** Opens the library of this size and imports it if it is not there. */
async function openLibrary(
  server: { readonly adminUrl: string; readonly url: string },
  directory: string,
  passages: number,
): Promise<Database> {
  const name = `bench_${passages}`
  const admin = new pg.Client({ connectionString: server.adminUrl })
  await admin.connect()
  const found = await admin.query('select 1 from pg_database where datname = $1', [name])
  if (found.rowCount === 0) await admin.query(`create database ${name} owner service`)
  await admin.end()
  const url = new URL(server.url)
  url.pathname = `/${name}`
  await migrateDatabase(url.href, url.href)
  const database = openDatabase({ url: url.href, onIdleError: () => undefined })
  for (const pool of [database.systemPool, database.tenantPool]) waitForConnections(pool)
  const rows = await database.systemPool.query<{ n: number }>(
    'select coalesce(sum(doc_count), 0)::int as n from versions',
  )
  if ((rows.rows[0]?.n ?? 0) < passages) await importLibrary(database, directory, passages)
  return database
}

/** Removes the time limits of new connections, because other work on this machine must not end a long import. */
function waitForConnections(pool: pg.Pool): void {
  pool.options.connectionTimeoutMillis = 0
  Object.assign(pool, { Client: pg.Client })
}

async function importLibrary(database: Database, directory: string, passages: number): Promise<void> {
  const folder = path.join(directory, 'export')
  await writeExport(folder, passages)
  print(`importing ${passages} passages, load ${loadNow()}`)
  const before = await readCpuTimes(directory)
  const report = await importExport(database, await openFirst(folder, passages), {
    titles: [],
    categories: [],
    allowLicenses: [],
  })
  print(reportLines(report).join('\n'))
  const cpu = cpuSince(before, await readCpuTimes(directory))
  const minutes = Object.entries(cpu).map(([what, seconds]) => `${what} ${(seconds / 60).toFixed(1)}`)
  print(`processor time in minutes: ${minutes.join(', ')}`)
  print(
    `load ${loadNow()}, peak memory of this process ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`,
  )
  await timedPart('vacuum analyze', directory, () => database.systemPool.query('vacuum analyze'))
}

/** Work that the service does after an import. */
async function timedPart(what: string, directory: string, work: () => Promise<unknown>): Promise<void> {
  const before = await readCpuTimes(directory)
  const seconds = (await timed(work)) / 1_000
  const cpu = cpuSince(before, await readCpuTimes(directory))
  print(`${what}: ${seconds.toFixed(0)} s, processor time of Postgres ${cpu.postgres.toFixed(0)} s`)
}

/** @param sizes of the libraries, in passages; 220,000 and 1,000,000 when there are none. */
export async function measureSearch(sizes: readonly number[]): Promise<void> {
  const directory = path.join(tmpdir(), 'source-search-bench')
  await mkdir(directory, { recursive: true })
  const server = await openEmbedded(directory, ['max_wal_size=8GB'])
  try {
    for (const passages of sizes.length > 0 ? sizes : [220_000, 1_000_000]) {
      const database = await openLibrary(server, directory, passages)
      await measure(database, passages)
      await printSizes(database)
      await printMemory(directory)
      await database.close()
    }
  } finally {
    await server.release()
  }
}
