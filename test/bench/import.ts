/**
 * `npm run bench -- import [segments]`: writes a synthetic export of that many segments of 80 words in Sefaria's
 * format into the system's temporary folder, imports it into an empty embedded Postgres of its own, and imports it
 * again unchanged. A process of its own imports (`import-rounds`), so that its memory is that of an import. It prints
 * rates, processor times and memory, and as the floor the rate of `COPY` with the rows that the import wrote, into the
 * same tables without any index, with the ratio of both.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { bundleProgram } from '../../build/bundle.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { withPostgres } from './own-postgres.ts'
import { loadNow, print } from './report.ts'
import { syntheticPassages } from './synthetic-corpus.ts'

const seed = 3
const wordsPerSegment = 80
const segmentsPerWork = 1_000
const segmentsPerSection = 10
/**
 * Makes some 250,000 different words in 3.2 million. The Hebrew Tanya has 13,438 in its 69,088 words and grows as
 * 5.2 n^0.70 (Heaps' law), which would be 200,000: each of them is a row of the index.
 */
const vocabulary = 40_000

/** Segments of one language, cut out of the running words of the synthetic passages. */
function* segments(count: number): Generator<{ readonly language: 'he' | 'en'; readonly text: string }> {
  const words: Record<'he' | 'en', string[]> = { he: [], en: [] }
  let made = 0
  for (const { language, text } of syntheticPassages({ passages: count * 2, seed, vocabulary })) {
    words[language].push(...text.split(' '))
    while (words[language].length >= wordsPerSegment && made < count) {
      const own = words[language].splice(0, wordsPerSegment)
      yield { language, text: `<b>${own[0]}</b> ${own.slice(1).join(' ')}` }
      made += 1
    }
    if (made === count) return
  }
}

async function writeExport(folder: string, count: number): Promise<void> {
  const held: Record<'he' | 'en', string[]> = { he: [], en: [] }
  let works = 0
  const write = async (language: 'he' | 'en') => {
    const own = held[language]
    held[language] = []
    if (own.length === 0) return
    works += 1
    const title = `Synthetic Work ${works}`
    const directory = path.join(folder, 'json', 'Synthetic', title, language === 'he' ? 'Hebrew' : 'English')
    await mkdir(directory, { recursive: true })
    const sections = Math.ceil(own.length / segmentsPerSection)
    const text = Array.from({ length: sections }, (_, i) =>
      own.slice(i * segmentsPerSection, (i + 1) * segmentsPerSection),
    )
    const facts = { language, title, versionTitle: 'Synthetic', license: 'CC0', categories: ['Synthetic'] }
    const file = { ...facts, sectionNames: ['Chapter', 'Paragraph'], text }
    await writeFile(path.join(directory, 'Synthetic.json'), JSON.stringify(file))
  }
  for (const { language, text } of segments(count)) {
    held[language].push(text)
    if (held[language].length === segmentsPerWork) await write(language)
  }
  await write('he')
  await write('en')
}

/** The tables that hold a row for each segment or each term. */
const tables = ['passages', 'passage_texts', 'search_postings', 'search_spelling_buckets']

/**
 * Copies the rows of the import into tables like theirs without an index. Returns segments per second, the best of
 * three rounds.
 */
async function measureFloor(url: string, count: number): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const rows = new Map<string, readonly Buffer[]>()
  for (const table of tables)
    rows.set(table, await client.query(copyTo(`copy ${table} to stdout (format binary)`)).toArray())
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round += 1) {
    for (const table of tables)
      await client.query(`create table floor_${table} (like ${table} including storage)`)
    const start = performance.now()
    for (const [table, chunks] of rows)
      await pipeline(chunks, client.query(copyFrom(`copy floor_${table} from stdin (format binary)`)))
    best = Math.min(best, (performance.now() - start) / 1_000)
    for (const table of tables) await client.query(`drop table floor_${table}`)
  }
  await client.end()
  return count / best
}

/** Runs both imports in a process of their own, from a bundle like that of the service, and returns the segments per second of the first. */
async function runRounds(url: string, directory: string, count: number): Promise<number> {
  const { program, made } = await bundleProgram('test/bench/import-rounds.ts')
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const
  const child = spawn(process.execPath, [program, url, directory, String(count)], { stdio: [...stdio] })
  let rate = 0
  child.on('message', (message) => {
    rate = Number(message)
  })
  const [code] = await once(child, 'close')
  await rm(made, { recursive: true, force: true })
  if (code !== 0) throw new Error(`the import ended with exit code ${code}`)
  return rate
}

/** @param count segments; 40,000 are some seconds of work. */
export async function measureImport(count = 40_000): Promise<void> {
  await withPostgres([], async ({ url }, folder) => {
    await writeExport(path.join(folder, 'export'), count)
    await migrateDatabase(url, url)
    const rate = await runRounds(url, folder, count)
    const floor = await measureFloor(url, count)
    print(
      `floor: ${Math.round(floor)} segments/s at load ${loadNow()}, the same rows copied without indexes; ` +
        `the import takes ${(floor / rate).toFixed(1)} times as long`,
    )
  })
}
