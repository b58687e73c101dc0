/**
 * `npm run bench -- quotations [--library FILE]… [--cases FILE]… [--verbose] [--results FILE]`: how many planted quotations
 * get the right verdict, for each class. `--results` writes what was found, one case a line, to compare two states. It imports the starter library, and the JSON lines named, into an embedded Postgres of its own.
 * A case has `class`, `text`, `quotations` (`quote`, `verdict`, `ref`), and optionally `sources`,
 * the refs that `[S1]`, `[S2]` and so on stand for, and `refs` (`text`, `exists`). A case is right when all its quotations
 * and refs are, and nothing else is taken for a quotation. The cases of the repository need the Hebrew Tanya as a library.
 */
import { readFile, writeFile } from 'node:fs/promises'
import type { OfferedSource } from '../../src/agent/tools.ts'
import type { Executor } from '../../src/db/client.ts'
import { type Verification, verifyText } from '../../src/sources/citations/verify.ts'
import { verifyLookups } from '../../src/sources/citations/verify-lookups.ts'
import { readPassage } from '../../src/sources/library/passages.ts'
import { fold } from '../../src/sources/text/fold.ts'
import { withLibrary } from './own-postgres.ts'
import { print } from './report.ts'

type Planted = {
  readonly quote: string
  readonly verdict: string
  readonly ref: string | readonly string[] | null
}

type Case = {
  readonly class: string
  readonly text: string
  readonly sources?: readonly string[]
  readonly quotations: readonly Planted[]
  readonly refs?: readonly { readonly text: string; readonly exists: boolean }[]
}

/** The least share of right cases, of all and of each class. */
const floors = { all: 0.9, each: 0.7 }

const ownCases = ['dev', 'held'].map(
  (part) => new URL(`../questions/quotations.${part}.jsonl`, import.meta.url),
)

const letters = (text: string): string => fold(text).folded.replaceAll(' ', '')

function within(ref: string, wanted: string): boolean {
  return ref === wanted || (ref.startsWith(wanted) && /^[:. -]/.test(ref.slice(wanted.length)))
}

/** What is wrong with the verdict of a quotation; undefined if nothing is. */
function mistakeIn(planted: Planted, found: Verification['quotes'][number] | undefined): string | undefined {
  if (found === undefined) return 'not taken for a quotation'
  if (found.result !== planted.verdict) return `${found.result}, not ${planted.verdict}`
  const place = found.result === 'misattributed' ? found.found_ref : (found.ref ?? found.found_ref)
  const wanted = [planted.ref ?? []].flat()
  const isThere = wanted.some((ref) => within(place ?? '', ref) || within(found.found_ref ?? '', ref))
  if (planted.ref !== null && !isThere) return `at ${place}, not ${wanted.join(' or ')}`
  return undefined
}

function mistakesIn(one: Case, { quotes, refs }: Verification): readonly string[] {
  const left = [...quotes]
  const mistakes: string[] = []
  for (const planted of one.quotations) {
    const at = left.findIndex(({ quote }) => letters(quote ?? '') === letters(planted.quote))
    const mistake = mistakeIn(planted, at < 0 ? undefined : left.splice(at, 1)[0])
    if (mistake !== undefined) mistakes.push(`${mistake}: ${planted.quote}`)
  }
  for (const { quote, result } of left) mistakes.push(`unexpected quotation (${result}): ${quote}`)
  for (const { text, exists } of one.refs ?? []) {
    const found = refs.find((ref) => letters(ref.text ?? ref.ref).includes(letters(text)))
    if (found?.exists !== exists)
      mistakes.push(`ref ${found === undefined ? 'not seen' : found.exists}: ${text}`)
  }
  return mistakes
}

async function offeredFor(executor: Executor, refs: readonly string[]): Promise<readonly OfferedSource[]> {
  const hebrew = async (ref: string, i: number): Promise<OfferedSource | undefined> => {
    const read = await readPassage(executor, ref, {})
    const [first] = 'passages' in read ? read.passages : []
    if (first === undefined || !('passages' in read)) return undefined
    const text = read.passages.map((passage) => passage.text).join('\n')
    return { ...first, ref, text, mark: `S${i + 1}` }
  }
  const found = await Promise.all(refs.map(hebrew))
  return found.filter((source) => source !== undefined)
}

async function verify(executor: Executor, one: Case): Promise<Verification> {
  const offered = await offeredFor(executor, one.sources ?? [])
  return verifyText(one.text, { ...verifyLookups(executor), offered })
}

function printTable(results: readonly { readonly one: Case; readonly isRight: boolean }[]): boolean {
  const line = (name: string, of: typeof results, floor: number): boolean => {
    const right = of.filter(({ isRight }) => isRight).length
    const share = right / Math.max(1, of.length)
    const note = share < floor ? `  below ${floor}` : ''
    print(
      `${name.padEnd(34)} ${String(right).padStart(4)} / ${String(of.length).padEnd(4)} ${share.toFixed(3)}${note}`,
    )
    return share >= floor
  }
  const classes = [...Map.groupBy(results, ({ one }) => one.class)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const reached = classes.map(([name, of]) => line(name, of, floors.each))
  return [line('all', results, floors.all), ...reached].every(Boolean)
}

async function readCases(file: string | URL): Promise<readonly Case[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => JSON.parse(line) as Case)
}

async function measure(
  executor: Executor,
  cases: readonly Case[],
  { verbose, resultsFile }: Pick<QuotationsOptions, 'verbose' | 'resultsFile'>,
): Promise<boolean> {
  const found: Verification[] = []
  const results: { one: Case; isRight: boolean }[] = []
  const began = performance.now()
  for (const one of cases) {
    const verification = await verify(executor, one)
    found.push(verification)
    const mistakes = mistakesIn(one, verification)
    results.push({ one, isRight: mistakes.length === 0 })
    if (verbose && mistakes.length > 0) print(`[${one.class}] ${one.text}\n    ${mistakes.join('\n    ')}`)
  }
  const reached = printTable(results)
  if (resultsFile !== undefined)
    await writeFile(resultsFile, found.map((verification) => `${JSON.stringify(verification)}\n`).join(''))
  print(`${((performance.now() - began) / Math.max(1, cases.length)).toFixed(0)} ms a case`)
  return reached
}

export type QuotationsOptions = {
  readonly libraries: readonly string[]
  /** Files of cases; those of the repository when there are none. */
  readonly cases: readonly string[]
  readonly verbose: boolean
  /** Where the verification of each case is written, one a line. */
  readonly resultsFile?: string | undefined
}

/** @returns whether all floors are reached. */
export async function measureQuotations(options: QuotationsOptions): Promise<boolean> {
  const files = options.cases.length > 0 ? options.cases : ownCases
  const cases = (await Promise.all(files.map(readCases))).flat()
  return withLibrary(options, ({ system }) => measure(system, cases, options))
}
