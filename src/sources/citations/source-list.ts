import type { QuoteCheck } from './checker.ts'
import type { Cited } from './cited-marks.ts'

/** A source to list; without `verification` nothing is said about quotations. */
export type ListedSource = Cited & { readonly verification?: readonly QuoteCheck[] }

export type SourceListOptions = {
  /** The language of the words around the refs; English unless told. */
  readonly language?: 'en' | 'he'
  /** Puts every foreign run between Unicode isolates. Off by default: they come along when a reader copies text. */
  readonly isolates?: boolean
}

const hebrew = /[\u0590-\u05ff]/
const leftToRightIsolate = '\u2066'
const rightToLeftIsolate = '\u2067'
const popIsolate = '\u2069'

/** A hard line break in Markdown; in plain text the blanks are not seen. */
const lineBreak = '  \n'

const english = {
  heading: 'Sources:',
  license: (license: string) => `Licence: ${license}`,
  verbatim: (count: number) =>
    count === 1 ? 'Quotation: word for word' : `${count} quotations: word for word`,
  fuzzy: (count: number) =>
    count === 1
      ? 'Quotation: close to the text, not word for word'
      : `${count} quotations: close to the text, not word for word`,
  not_found: (count: number) =>
    count === 1 ? 'Quotation: not found in this passage' : `${count} quotations: not found in this passage`,
  paraphrase: () => 'No quotation',
  misattributed: 'Quotation: not in this passage, but in',
}

const inHebrew: typeof english = {
  heading: 'מקורות:',
  license: (license) => `רישיון: ${license}`,
  verbatim: (count) => (count === 1 ? 'ציטוט: מילה במילה' : `${count} ציטוטים: מילה במילה`),
  fuzzy: (count) =>
    count === 1
      ? 'ציטוט: קרוב ללשון המקור, לא מילה במילה'
      : `${count} ציטוטים: קרובים ללשון המקור, לא מילה במילה`,
  not_found: (count) => (count === 1 ? 'ציטוט: לא נמצא בקטע זה' : `${count} ציטוטים: לא נמצאו בקטע זה`),
  paraphrase: () => 'ללא ציטוט',
  misattributed: 'ציטוט: אינו בקטע זה אלא ב:',
}

/**
 * The list that closes an answer, to be appended to its text as it is: it begins with a blank line. Every source has
 * lines of its own, with Hebrew and Latin text on different lines, so that clients that know nothing about direction
 * show both rightly. It says what was compared and no more. Empty for no sources.
 */
export function renderSourceList(sources: readonly ListedSource[], options: SourceListOptions = {}): string {
  if (sources.length === 0) return ''
  const say = options.language === 'he' ? inHebrew : english
  const run = options.isolates ? isolated : oneLine
  const entries = sources.map((entry) => linesOf(entry, say, run).join(lineBreak))
  return `\n\n${[say.heading, ...entries].join('\n\n')}`
}

function linesOf(
  { source, n, verification }: ListedSource,
  say: typeof english,
  run: typeof oneLine,
): string[] {
  const heRef = source.heRef !== source.ref && source.heRef.trim() !== '' ? [run(source.heRef)] : []
  const url = source.url.trim() === '' ? [] : [oneLine(source.url)]
  return [
    `[${n}] ${run(source.ref)}`,
    ...heRef,
    ...(source.version.trim() === '' ? [] : [run(source.version)]),
    ...(source.license.trim() === '' ? [] : [say.license(oneLine(source.license))]),
    ...url,
    ...checksInWords(verification ?? [], say, run),
  ]
}

function checksInWords(checks: readonly QuoteCheck[], say: typeof english, run: typeof oneLine): string[] {
  const count = (result: QuoteCheck['result']): number =>
    checks.filter((check) => check.result === result).length
  const counted = (['verbatim', 'fuzzy', 'not_found', 'paraphrase'] as const)
    .filter((result) => count(result) > 0)
    .map((result) => say[result](count(result)))
  const elsewhere = new Set(
    checks.flatMap((check) => (check.result === 'misattributed' ? [check.found_ref ?? ''] : [])),
  )
  return [...counted, ...[...elsewhere].flatMap((ref) => [say.misattributed, run(ref)])]
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function isolated(text: string): string {
  return `${hebrew.test(text) ? rightToLeftIsolate : leftToRightIsolate}${oneLine(text)}${popIsolate}`
}
