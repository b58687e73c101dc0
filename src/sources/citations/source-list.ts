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

const english = {
  heading: 'Sources:',
  license: (license: string) => `Licence: ${license}`,
  verbatim: (count: number) =>
    count === 1 ? 'Quotation: word for word' : `${count} quotations: word for word`,
  edited: (count: number) =>
    count === 1
      ? 'Quotation: in the words of the text, edited'
      : `${count} quotations: in the words of the text, edited`,
  translation: (count: number) =>
    count === 1
      ? 'Quotation: a translation, not compared'
      : `${count} quotations: translations, not compared`,
  fuzzy: (count: number) =>
    count === 1
      ? 'Quotation: close to the text, not word for word'
      : `${count} quotations: close to the text, not word for word`,
  inVersion: 'Quotation: not in this version, but in',
  not_found: (count: number) =>
    count === 1 ? 'Quotation: not found in this passage' : `${count} quotations: not found in this passage`,
  paraphrase: () => 'No quotation',
  misattributed: 'Quotation: not in this passage, but in',
  misnamed: 'Quotation: the answer names another place',
  standsIn: 'It stands in',
  missing: (count: number) =>
    count === 1
      ? '1 quotation of this answer was not found in the library.'
      : `${count} quotations of this answer were not found in the library.`,
}

const inHebrew: typeof english = {
  heading: 'מקורות:',
  license: (license) => `רישיון: ${license}`,
  verbatim: (count) => (count === 1 ? 'ציטוט: מילה במילה' : `${count} ציטוטים: מילה במילה`),
  edited: (count) => (count === 1 ? 'ציטוט: בלשון המקור, בעריכה' : `${count} ציטוטים: בלשון המקור, בעריכה`),
  translation: (count) => (count === 1 ? 'ציטוט: תרגום, לא הושווה' : `${count} ציטוטים: תרגומים, לא הושוו`),
  fuzzy: (count) =>
    count === 1
      ? 'ציטוט: קרוב ללשון המקור, לא מילה במילה'
      : `${count} ציטוטים: קרובים ללשון המקור, לא מילה במילה`,
  inVersion: 'ציטוט: אינו בנוסח זה אלא ב:',
  not_found: (count) => (count === 1 ? 'ציטוט: לא נמצא בקטע זה' : `${count} ציטוטים: לא נמצאו בקטע זה`),
  paraphrase: () => 'ללא ציטוט',
  misattributed: 'ציטוט: אינו בקטע זה אלא ב:',
  misnamed: 'ציטוט: התשובה מציינת מקום אחר',
  standsIn: 'לשון הציטוט נמצאת ב:',
  missing: (count) =>
    count === 1 ? 'ציטוט אחד בתשובה זו לא נמצא בספרייה.' : `${count} ציטוטים בתשובה זו לא נמצאו בספרייה.`,
}

/**
 * Renders the source list at the end of an answer; it begins with a blank line. Hebrew and Latin text stand on
 * separate lines, the language of the answer first, so that clients without bidirectional layout show both correctly.
 * It only states what was compared. The result is empty without sources, unless quotations were not found.
 */
export function renderSourceList(sources: readonly ListedSource[], options: SourceListOptions = {}): string {
  const say = options.language === 'he' ? inHebrew : english
  const missing = options.notFound ? [say.missing(options.notFound)] : []
  if (sources.length === 0) return missing.map((line) => `\n\n${line}`).join('')
  const run = options.isolates ? isolated : oneLine
  const entries = sources.map((entry) => linesOf(entry, say, run).join(lineBreak))
  return `\n\n${[say.heading, ...entries, ...missing].join('\n\n')}`
}

function linesOf(
  { source, n, verification }: ListedSource,
  say: typeof english,
  run: typeof oneLine,
): string[] {
  const hasBoth = source.heRef !== source.ref && source.heRef.trim() !== ''
  const refs = hasBoth ? [source.ref, source.heRef] : [source.ref]
  const [first = '', ...others] = (say === inHebrew ? refs.toReversed() : refs).map(run)
  const url = source.url.trim() === '' ? [] : [oneLine(source.url)]
  return [
    `[${n}] ${first}`,
    ...others,
    ...(source.version.trim() === '' ? [] : [run(source.version)]),
    ...(source.license.trim() === '' ? [] : [say.license(oneLine(source.license))]),
    ...url,
    ...checksInWords(verification ?? [], say, run),
  ]
}

function checksInWords(checks: readonly QuoteCheck[], say: typeof english, run: typeof oneLine): string[] {
  const count = (result: QuoteCheck['result']): number =>
    checks.filter((check) => check.result === result && check.found_version === undefined).length
  const versions = new Set(checks.flatMap(({ found_version: version }) => version ?? []))
  const counted = (['verbatim', 'edited', 'fuzzy', 'translation', 'not_found', 'paraphrase'] as const)
    .filter((result) => count(result) > 0)
    .map((result) => say[result](count(result)))
  const inVersions = [...versions].flatMap((version) => [say.inVersion, run(version)])
  return [...counted, ...inVersions, ...elsewhereInWords(checks, say, run)]
}

/** Says where quotations stand: not in this passage, or not at the ref that the answer names. */
function elsewhereInWords(checks: readonly QuoteCheck[], say: typeof english, run: typeof oneLine): string[] {
  const misplaced = checks.filter(({ result }) => result === 'misattributed')
  const places = (some: readonly QuoteCheck[]) => new Set(some.map(({ found_ref }) => found_ref ?? ''))
  const named = Map.groupBy(
    misplaced.filter(({ named_ref }) => named_ref !== undefined),
    ({ named_ref }) => named_ref ?? '',
  )
  return [
    ...[...places(misplaced.filter(({ named_ref }) => named_ref === undefined))].flatMap((ref) => [
      say.misattributed,
      run(ref),
    ]),
    ...[...named].flatMap(([wrong, some]) => [
      say.misnamed,
      run(wrong),
      ...[...places(some)].flatMap((ref) => [say.standsIn, run(ref)]),
    ]),
  ]
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function isolated(text: string): string {
  return `${hebrew.test(text) ? rightToLeftIsolate : leftToRightIsolate}${oneLine(text)}${popIsolate}`
}
