/**
 * `npm run bench -- import [segments]`: writes a synthetic export of that many segments of 80 words in Sefaria's
 * format into the system's temporary folder, imports it into an empty embedded Postgres of its own, and prints the
 * report: segments and words a second, and where the time went.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openDatabase } from '../../src/db/client.ts'
import { openEmbedded } from '../../src/db/embedded.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { openFolder } from '../../src/sources/importers/sefaria/folder.ts'
import { importExport } from '../../src/sources/importers/sefaria/import-export.ts'
import { reportLines } from '../../src/sources/importers/sefaria/report.ts'
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

/** @param count segments; 40,000 are some seconds of work. */
export async function measureImport(count = 40_000): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), 'import-bench-'))
  const server = await openEmbedded(path.join(directory, 'data'))
  try {
    await writeExport(path.join(directory, 'export'), count)
    await migrateDatabase(server.url, server.url)
    const database = openDatabase({ url: server.url, onIdleError: () => undefined })
    const source = await openFolder(path.join(directory, 'export'))
    const report = await importExport(database, source, { titles: [], categories: [], allowLicenses: [] })
    process.stdout.write(`${reportLines(report).join('\n')}\n`)
    await database.close()
  } finally {
    await server.release()
    await rm(directory, { recursive: true, force: true })
  }
}
