/**
 * `npm run bench -- search [passages...]`: makes a synthetic library of each size in an embedded Postgres of its
 * own, and prints search times and how near the ranking comes to exhaustive BM25. The library stays in the system's
 * temporary folder for the next run; remove `source-search-bench` there when the schema has changed.
 */
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { openEmbedded } from '../../src/db/embedded.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { searchSources } from '../../src/sources/search/search.ts'
import { randomFrom } from '../support/random.ts'
import { exhaustiveRanks } from './exhaustive.ts'
import { questionAbout, type SyntheticPassage, syntheticPassages } from './synthetic-corpus.ts'
import { buildLibrary, syntheticRef } from './synthetic-library.ts'

const seed = 7
const questions = 200

/** The best of some rounds shows what the search costs when the machine has other work, too. */
const rounds = 3
const depth = 10

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

type Question = { readonly text: string; readonly target: number }

function makeQuestions(passages: number): readonly Question[] {
  const random = randomFrom(seed + 3)
  const wanted = new Map<number, SyntheticPassage>()
  const targets = Array.from({ length: questions * 2 }, () => Math.floor(random() * passages))
  const needed = new Set(targets)
  for (const passage of syntheticPassages({ passages, seed })) {
    if (needed.has(passage.index)) wanted.set(passage.index, passage)
  }
  return Array.from({ length: questions }, (_, i) => {
    const passage = wanted.get(targets[i] ?? 0)
    const other = [...wanted.values()].find((p, j) => j >= i && p.language === passage?.language)
    return passage && other ? [{ text: questionAbout(passage, other, random), target: passage.index }] : []
  }).flat()
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function printTimes(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b)
  const show = (share: number): string => percentile(sorted, share).toFixed(1)
  print(`${what}: p50 ${show(0.5)} ms, p95 ${show(0.95)} ms, p99 ${show(0.99)} ms`)
}

const reciprocal = (rank: number): number => (rank >= 1 && rank <= depth ? 1 / rank : 0)
const mean = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length

async function measure(database: Database, passages: number): Promise<void> {
  const asked = makeQuestions(passages)
  for (const question of asked.slice(0, 20))
    await searchSources(database.system, { text: question.text, limit: depth })
  const times = asked.map((): number[] => [])
  const cpuTimes = asked.map((): number[] => [])
  const ranks: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, question] of asked.entries()) {
      const [start, cpu] = [performance.now(), process.cpuUsage()]
      const hits = await searchSources(database.system, { text: question.text, limit: depth })
      times[i]?.push(performance.now() - start)
      const { user, system } = process.cpuUsage(cpu)
      cpuTimes[i]?.push((user + system) / 1_000)
      ranks[i] = hits.findIndex((hit) => hit.ref === syntheticRef(question.target)) + 1
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    printTimes(
      `${passages} passages, ${round === 0 ? 'asked for the first time' : 'asked again'}`,
      times.map((own) => own[round] ?? 0),
    )
  }
  printTimes(
    `${passages} passages, best of ${rounds} of each question`,
    times.map((own) => Math.min(...own)),
  )
  printTimes(
    '  processor time of this process, best of each question',
    cpuTimes.map((own) => Math.min(...own)),
  )
  const exhaustive = exhaustiveRanks(asked, syntheticPassages({ passages, seed }), depth)
  print(
    `  MRR@${depth}: service ${mean(ranks.map(reciprocal)).toFixed(4)}, exhaustive BM25 ${mean(exhaustive.map(reciprocal)).toFixed(4)}`,
  )
}

async function openLibrary(server: { adminUrl: string; url: string }, passages: number): Promise<Database> {
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
  const rows = await database.systemPool.query<{ n: number }>(
    'select coalesce(sum(doc_count), 0)::int as n from versions',
  )
  const present = rows.rows[0]?.n ?? 0
  if (present < passages) {
    print(`Making ${passages} passages ...`)
    await buildLibrary(database, { passages, seed })
    await database.systemPool.query('vacuum analyze')
  }
  return database
}

/** @param sizes of the libraries, in passages; 220,000 and 1,000,000 when there are none. */
export async function measureSearch(sizes: readonly number[]): Promise<void> {
  const directory = path.join(tmpdir(), 'source-search-bench')
  await mkdir(directory, { recursive: true })
  const server = await openEmbedded(directory, ['shared_buffers=1GB', 'max_wal_size=8GB'])
  try {
    for (const passages of sizes.length > 0 ? sizes : [220_000, 1_000_000]) {
      const database = await openLibrary(server, passages)
      await measure(database, passages)
      await database.close()
    }
  } finally {
    await server.release()
  }
}
