/**
 * `npm run bench -- relevance [--library FILE]… [--questions FILE]… [--without-starter] [--semantic RECALL]
 * [--verbose]`: imports the
 * starter library and the JSONL libraries named beside it into an embedded Postgres of its own, asks the questions
 * (default: all in `test/questions`), and prints a table by set and class. A question's `ref`, or one of those in
 * `also`, counts as found by any passage within it. The run fails when a set is below its floor. `--semantic 0.7` adds
 * a semantic search that is made up: see `stand-in-semantic.ts`.
 */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Executor } from '../../src/db/client.ts'
import { missingPlaces } from '../../src/sources/search/missing/places.ts'
import { isRelevant } from '../../src/sources/search/relevance/relevance-floor.ts'
import { searchSources } from '../../src/sources/search/search.ts'
import { withLibrary } from './own-postgres.ts'
import { type Floor, floors, needsLibrary } from './relevance-floors.ts'
import { print } from './report.ts'
import { isWithin, type StandInSemantic, standInSemantic } from './stand-in-semantic.ts'

export type RelevanceOptions = {
  readonly libraries: readonly string[]
  /** Files; all but the quotations when there are none. */
  readonly questions: readonly string[]
  readonly withoutStarter: boolean
  /** Recall among the ten nearest of the stand-in for a semantic search; undefined: words alone. */
  readonly semantic: number | undefined
  readonly verbose: boolean
}

type Question = {
  readonly question: string
  readonly ref?: string
  readonly also?: readonly string[]
  readonly kind?: string
}

type Outcome = {
  readonly kind: string
  /** From 1; 0 when it is not found, undefined when no place is asked for. */
  readonly rank: number | undefined
  readonly kept: boolean
  /** Whether the question is found to name a place or book that does not exist. */
  readonly missing: boolean
}

const depth = 10
const ownSets = 'test/questions'

async function ask(
  executor: Executor,
  asked: Question,
  standIn: StandInSemantic | undefined,
): Promise<Outcome> {
  const { question: text, ref, also = [], kind = '' } = asked
  const wanted = ref === undefined ? [] : [ref, ...also]
  const hits = await searchSources(executor, { text, limit: depth }, standIn?.knowing(wanted))
  const rank = hits.findIndex((hit) => wanted.some((one) => isWithin(hit.ref, one))) + 1
  return {
    kind,
    rank: ref === undefined ? undefined : rank,
    kept: hits[0] !== undefined && isRelevant(hits[0].coverage),
    missing: (await missingPlaces(executor, text)).length > 0,
  }
}

const share = <T>(all: readonly T[], has: (one: T) => boolean): number => all.filter(has).length / all.length

/** The figures of one row of the table. */
function figuresOf(outcomes: readonly Outcome[]) {
  const ranks = outcomes.flatMap(({ rank }) => (rank === undefined ? [] : [rank]))
  const hit = (k: number): number => share(ranks, (rank) => rank > 0 && rank <= k)
  const mrr = ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / ranks.length
  const kept = share(outcomes, (one) => one.kept)
  const places = ranks.length > 0 && { mrr, hit1: hit(1), hit3: hit(3), hit10: hit(10) }
  return { ...places, kept, refused: 1 - kept, missing: share(outcomes, (one) => one.missing) }
}

function printRow(name: string, outcomes: readonly Outcome[]): void {
  const figures = Object.entries(figuresOf(outcomes)).map(([what, value]) => `${what} ${value.toFixed(3)}`)
  print(`${name.padEnd(40)} n=${String(outcomes.length).padEnd(4)} ${figures.join('  ')}`)
}

/** @returns what is below the floor, in words. */
function missed(set: string, outcomes: readonly Outcome[]): readonly string[] {
  const figures: Readonly<Record<string, number>> = figuresOf(outcomes)
  const floor: Floor = floors[set] ?? {}
  return Object.entries(floor).flatMap(([what, least]) => {
    const reached = figures[what] ?? 0
    return reached < least ? [`${set}: ${what} ${reached.toFixed(3)} is below ${least}`] : []
  })
}

async function measureSet(
  executor: Executor,
  file: string,
  { verbose }: RelevanceOptions,
  standIn: StandInSemantic | undefined,
): Promise<readonly Outcome[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '')
  const outcomes: Outcome[] = []
  for (const line of lines) {
    const question = JSON.parse(line) as Question
    const outcome = await ask(executor, question, standIn)
    outcomes.push(outcome)
    if (verbose) print(`  ${outcome.rank ?? '-'} ${outcome.kept ? 'kept' : 'refused'}  ${question.question}`)
  }
  printRow(path.basename(file), outcomes)
  const kinds = Map.groupBy(outcomes, ({ kind }) => kind)
  if (kinds.size > 1) for (const [kind, some] of kinds) printRow(`  ${kind}`, some)
  return outcomes
}

async function filesOf({ questions }: RelevanceOptions): Promise<readonly string[]> {
  if (questions.length > 0) return questions
  const files = (await readdir(ownSets)).filter((file) => !file.startsWith('quotations'))
  return files.sort().map((file) => path.join(ownSets, file))
}

/** Prints the tables. @returns whether every set reaches its floor. */
export function measureRelevance(options: RelevanceOptions): Promise<boolean> {
  return withLibrary(options, async ({ system }) => {
    const { semantic } = options
    const standIn = semantic === undefined ? undefined : await standInSemantic(system, semantic)
    const below: string[] = []
    for (const file of await filesOf(options)) {
      const set = path.basename(file)
      const outcomes = await measureSet(system, file, options, standIn)
      if (options.libraries.length > 0 || !needsLibrary(set)) below.push(...missed(set, outcomes))
    }
    for (const line of below) print(line)
    return below.length === 0
  })
}
