/**
 * `npm run bench -- import [segments]`: writes a synthetic export of that many segments of 80 words in Sefaria's
 * format into the system's temporary folder, imports it into an empty embedded Postgres of its own, and imports it
 * again unchanged. It prints rates, processor times and memory, beside the floor: the same texts copied by `COPY` into
 * a table without indexes.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Database, openDatabase, withTx } from '../../src/db/client.ts'
import { copyRows } from '../../src/db/copy.ts'
import { openEmbedded } from '../../src/db/embedded.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { openFolder } from '../../src/sources/importers/sefaria/folder.ts'
import { importExport } from '../../src/sources/importers/sefaria/import-export.ts'
import { reportLines } from '../../src/sources/importers/sefaria/report.ts'
import { type CpuTimes, cpuSince, readCpuTimes } from './cpu-times.ts'
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

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

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

type Round = { readonly what: string; readonly seconds: number; readonly cpu: CpuTimes }

function printRound({ what, seconds, cpu }: Round, count: number, floor: number): void {
  const rate = count / seconds
  const each = (time: number) => ((time / count) * 1_000_000).toFixed(1)
  print(
    `${what}: ${Math.round(rate)} segments/s, ${(rate / floor).toFixed(3)} of the floor; processor time per 1,000: ` +
      `main ${each(cpu.main)} ms, threads ${each(cpu.threads)} ms, Postgres ${each(cpu.postgres)} ms`,
  )
}

/** Copies the texts into a table without indexes. Returns rows per second, the best of three rounds. */
async function measureFloor(database: Database, count: number): Promise<number> {
  const rows = [...segments(count)].map(({ language, text }, i) => [i, language, text])
  const target = {
    table: 'floor',
    columns: [
      ['doc_id', 'int4'],
      ['language', 'text'],
      ['text', 'text'],
    ],
  } as const
  await database.system.execute('create table floor (doc_id int, language text, text text)')
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round += 1) {
    const start = performance.now()
    await withTx(database, 'system', (tx) => copyRows(tx, target, rows))
    best = Math.min(best, (performance.now() - start) / 1_000)
  }
  await database.system.execute('drop table floor')
  print(`floor: ${Math.round(count / best)} rows/s copied without indexing`)
  return count / best
}

async function measureRounds(database: Database, directory: string, count: number): Promise<void> {
  const floor = await measureFloor(database, count)
  for (const what of ['import', 'unchanged import']) {
    const source = await openFolder(path.join(directory, 'export'))
    const [before, start] = [await readCpuTimes(path.join(directory, 'data')), performance.now()]
    const report = await importExport(database, source, { titles: [], categories: [], allowLicenses: [] })
    const seconds = (performance.now() - start) / 1_000
    const cpu = cpuSince(before, await readCpuTimes(path.join(directory, 'data')))
    print(reportLines(report).join('\n'))
    printRound({ what, seconds, cpu }, count, floor)
  }
  print(`peak memory of this process: ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`)
}

/** @param count segments; 40,000 are some seconds of work. */
export async function measureImport(count = 40_000): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), 'import-bench-'))
  const server = await openEmbedded(path.join(directory, 'data'))
  try {
    await writeExport(path.join(directory, 'export'), count)
    await migrateDatabase(server.url, server.url)
    const database = openDatabase({ url: server.url, onIdleError: () => undefined })
    await measureRounds(database, directory, count)
    await database.close()
  } finally {
    await server.release()
    await rm(directory, { recursive: true, force: true })
  }
}
