import { readTable } from '../vocabulary/data/table.ts'
import type { NumberedSource } from './attribution/cited-marks.ts'
import type { QuoteCheck } from './comparison/quote-check.ts'

/** A source to list. Without `verification`, the list says nothing about quotations. */
export type ListedSource = NumberedSource & { readonly verification?: readonly QuoteCheck[] }

export type SourceListOptions = {
  /** Language of the labels. Default: English. */
  readonly language?: 'en' | 'he'
  /** Puts foreign text between Unicode isolates. Default: off, because readers would copy them with the text. */
  readonly isolates?: boolean
  /** Number of quotations without a citation that the library does not have. */
  readonly notFound?: number
}

const hebrew = /[\u0590-\u05ff]/
const leftToRightIsolate = '\u2066'
const rightToLeftIsolate = '\u2067'
const popIsolate = '\u2069'

/** A hard line break in Markdown. In plain text the spaces are invisible. */
const lineBreak = '  \n'

const results = ['verbatim', 'edited', 'fuzzy', 'translation', 'not_found', 'paraphrase'] as const
const labels = new Map(
  readTable(
    new URL('./source-list.tsv', import.meta.url),
    { label: 'text', en: 'text', en_several: 'text?', he: 'text', he_several: 'text?' },
    'label',
  ).map((row) => [row.label, row]),
)

/** A label of `source-list.tsv` with a value in the place of `%`. For a number above 1 it is that of several. */
type Say = (label: string, value?: number | string) => string

function sayIn(language: 'en' | 'he'): Say {
  return (label, value = '') => {
    const row = labels.get(label)
    const words = typeof value === 'number' && value > 1 ? row?.[`${language}_several`] : row?.[language]
    return (words ?? '').replace('%', () => String(value))
  }
}

/** The language of most letters of the text. */
export function languageOf(text: string): 'he' | 'en' {
  const hebrew = text.match(/[\u05d0-\u05ea]/g)?.length ?? 0
  const latin = text.match(/[a-z]/gi)?.length ?? 0
  return hebrew > latin ? 'he' : 'en'
}

/**
 * Renders the source list at the end of an answer; it begins with a blank line. Hebrew and Latin text stand on
 * separate lines, the language of the answer first, so that clients without bidirectional layout show both correctly.
 * It only states what was compared. The result is empty without sources, unless quotations were not found.
 */
export function renderSourceList(sources: readonly ListedSource[], options: SourceListOptions = {}): string {
  const { language = 'en' } = options
  const say = sayIn(language)
  const missing = options.notFound ? [say('missing', options.notFound)] : []
  if (sources.length === 0) return missing.map((line) => `\n\n${line}`).join('')
  const run = options.isolates ? isolated : oneLine
  const entries = sources.map((entry) => linesOf(entry, language, run).join(lineBreak))
  return `\n\n${[say('heading'), ...entries, ...missing].join('\n\n')}`
}

function linesOf(
  { source, n, verification }: ListedSource,
  language: 'en' | 'he',
  run: typeof oneLine,
): string[] {
  const say = sayIn(language)
  const hasBoth = source.heRef !== source.ref && source.heRef.trim() !== ''
  const refs = hasBoth ? [source.ref, source.heRef] : [source.ref]
  const [first = '', ...others] = (language === 'he' ? refs.toReversed() : refs).map(run)
  const url = source.url.trim() === '' ? [] : [oneLine(source.url)]
  return [
    `[${n}] ${first}`,
    ...others,
    ...(source.version.trim() === '' ? [] : [run(source.version)]),
    ...(source.license.trim() === '' ? [] : [say('license', oneLine(source.license))]),
    ...url,
    ...checksInWords(verification ?? [], say, run),
  ]
}

function checksInWords(checks: readonly QuoteCheck[], say: Say, run: typeof oneLine): string[] {
  const count = (result: QuoteCheck['result']): number =>
    checks.filter((check) => check.result === result && check.found_version === undefined).length
  const versions = new Set(checks.flatMap(({ found_version: version }) => version ?? []))
  const counted = results.filter((result) => count(result) > 0).map((result) => say(result, count(result)))
  const inVersions = [...versions].flatMap((version) => [say('in_version'), run(version)])
  return [...counted, ...inVersions, ...elsewhereInWords(checks, say, run)]
}

/** Says where quotations stand: not in this passage, or not at the ref that the answer names. */
function elsewhereInWords(checks: readonly QuoteCheck[], say: Say, run: typeof oneLine): string[] {
  const misplaced = checks.filter(({ result }) => result === 'misattributed')
  const places = (some: readonly QuoteCheck[]) => new Set(some.map(({ found_ref }) => found_ref ?? ''))
  const named = Map.groupBy(
    misplaced.filter(({ named_ref }) => named_ref !== undefined),
    ({ named_ref }) => named_ref ?? '',
  )
  return [
    ...[...places(misplaced.filter(({ named_ref }) => named_ref === undefined))].flatMap((ref) => [
      say('misattributed'),
      run(ref),
    ]),
    ...[...named].flatMap(([wrong, some]) => [
      say('misnamed'),
      run(wrong),
      ...[...places(some)].flatMap((ref) => [say('stands_in'), run(ref)]),
    ]),
  ]
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function isolated(text: string): string {
  return `${hebrew.test(text) ? rightToLeftIsolate : leftToRightIsolate}${oneLine(text)}${popIsolate}`
}
