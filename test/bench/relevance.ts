/**
 * `node test/bench/relevance.ts --library FILE --questions FILE [--questions FILE]…`: imports a JSONL library into an
 * embedded Postgres of its own and prints, side by side, how well exhaustive BM25 (words folded only), exhaustive BM25
 * with Hebrew prefixes, and the service find the place that each question is about: for each file of questions, and
 * for all together. A question's `ref`, or one of those in `also`, counts as found by any passage within it.
 */
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { type Executor, openDatabase } from '../../src/db/client.ts'
import { openEmbedded } from '../../src/db/embedded.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { fold } from '../../src/sources/fold.ts'
import { withoutPrefixes, withPrefixes } from '../../src/sources/hebrew.ts'
import { importJsonl } from '../../src/sources/import-jsonl.ts'
import { searchSources } from '../../src/sources/search.ts'
import { isFunctionWord, tokenize } from '../../src/sources/tokens.ts'
import { type Ranker, referenceRanker } from './reference-ranker.ts'

type Question = { readonly question: string; readonly ref: string; readonly also?: readonly string[] }

const depth = 10

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

function within(ref: string, wanted: string): boolean {
  return ref === wanted || (ref.startsWith(wanted) && /^[:. ]/.test(ref.slice(wanted.length)))
}

function report(name: string, ranks: readonly number[]): void {
  const hits = (k: number): string =>
    (ranks.filter((rank) => rank > 0 && rank <= k).length / ranks.length).toFixed(3)
  const mrr = ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / ranks.length
  print(`${name.padEnd(34)} hit@1 ${hits(1)}  hit@3 ${hits(3)}  hit@10 ${hits(10)}  MRR ${mrr.toFixed(3)}`)
}

/** Words folded, each its own term: what a search that knows no Hebrew would do. */
const folded = (text: string): readonly string[] =>
  fold(text)
    .folded.split(' ')
    .filter((word) => word !== '')

/** Each telling word with all forms that prefixes give it, as one term. */
function withForms(text: string): readonly (readonly string[])[] {
  const telling = tokenize(text).filter((token) => !isFunctionWord(token))
  return telling.map(({ term }) => withoutPrefixes(term).flatMap((base) => [base, ...withPrefixes(base)]))
}

const terms = (text: string): readonly string[] => tokenize(text).map((token) => token.term)

function serviceRanker(executor: Executor): Ranker {
  return async (text) => (await searchSources(executor, { text, limit: depth })).map((hit) => hit.ref)
}

type Compared = readonly (readonly [name: string, Ranker])[]

async function rankersOf(executor: Executor): Promise<Compared> {
  const found = await executor.execute<{ ref: string; text: string }>(
    'select p.ref, t.text from passage_texts t join passages p on p.id = t.passage_id order by p.id',
  )
  const plain = referenceRanker(found.rows, folded)
  const prefixed = referenceRanker(found.rows, terms)
  print(`${found.rows.length} passages`)
  return [
    [
      'exhaustive BM25, folded only',
      async (text) =>
        plain(
          folded(text).map((term) => [term]),
          depth,
        ),
    ],
    ['exhaustive BM25, Hebrew prefixes', async (text) => prefixed(withForms(text), depth)],
    ['the service', serviceRanker(executor)],
  ]
}

async function compare(
  rankers: Compared,
  name: string,
  questions: readonly Question[],
  verbose: boolean,
): Promise<void> {
  print(`\n${name}: ${questions.length} questions`)
  for (const [name, rank] of rankers) {
    const ranks: number[] = []
    for (const { question, ref, also = [] } of questions) {
      const refs = await rank(question)
      ranks.push(refs.findIndex((found) => [ref, ...also].some((wanted) => within(found, wanted))) + 1)
    }
    report(name, ranks)
    if (verbose) for (const [i, { question }] of questions.entries()) print(`  ${ranks[i]}  ${question}`)
  }
}

const { values } = parseArgs({
  options: {
    library: { type: 'string' },
    questions: { type: 'string', multiple: true },
    verbose: { type: 'boolean' },
  },
})
if (values.library === undefined || values.questions === undefined) {
  throw new Error(
    'Usage: node test/bench/relevance.ts --library FILE --questions FILE [--questions FILE]… [--verbose]',
  )
}
async function readQuestions(file: string): Promise<readonly Question[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => JSON.parse(line) as Question)
}

const directory = await mkdtemp(path.join(tmpdir(), 'relevance-'))
const server = await openEmbedded(directory)
try {
  await migrateDatabase(server.url, server.url)
  const database = openDatabase({ url: server.url, onIdleError: () => undefined })
  const lines = createInterface({ input: createReadStream(values.library) })
  await importJsonl(database, lines, { allowLicenses: ['cc-by-nc', 'unknown'] })
  const rankers = await rankersOf(database.system)
  const asked = await Promise.all(values.questions.map(readQuestions))
  for (const [i, questions] of asked.entries())
    await compare(rankers, path.basename(values.questions[i] ?? ''), questions, values.verbose ?? false)
  if (asked.length > 1) await compare(rankers, 'all', asked.flat(), false)
  await database.close()
} finally {
  await server.release()
  await rm(directory, { recursive: true, force: true })
}
