import { eitherCaseOfRole } from '../../refs/grammar/text-words.ts'
import type { Anchor, Quotation } from '../quotations/quotes.ts'
import { firstFrom, type Span } from '../quotations/spans.ts'

const raised = '[¹²³⁰⁴-⁹]{1,3}'
const number = '\\d{1,3}|[א-ת]{1,2}'
/** The mark of a file search: `【3:0†source】`. */
const lens = '\\d{1,3}(?::\\d{1,3})?†[^】\\n]{0,30}'
/** The elements around a number that is raised or a link: `<sup><a href="#fn1">1</a></sup>`. */
const opens = '(?:<(?:sup|a)(?:\\s[^<>]{0,150})?>\\s?){1,2}'
const closes = '(?:\\s?</(?:sup|a)>){1,2}'
/** The words before a number in brackets that call it that of a note: `(see note 1)`. */
const noteWords = `(?:${eitherCaseOfRole('compares-ref')}\\.?\\s)?${eitherCaseOfRole('note')}\\s?`
/** The number of a footnote directly behind a quotation: `“…”[^1]`, `“…”.¹`, `“…”<sup>1</sup>`, `“…” [1]`, `“…” (1)`. */
const marker = new RegExp(
  `^["”“»«״’'›*_.,;:!?)\\u2060]{0,6}\\s?(?:\\[\\^(?<name>[\\p{L}\\p{N}_-]{1,20})\\]|(?<raised>${raised})|${opens}\\[?(?<sup>${number})\\]?${closes}|[[(]${noteWords}(?<worded>${number})[\\])]|\\[(?<square>${number})\\]|\\((?<round>${number})\\)|【(?<lens>${lens})】)(?!:)`,
  'u',
)
/** A footnote: a line that begins with its number, or what follows a raised number in such a line. */
const footnote = new RegExp(
  `(?:^[ \\t]{0,3}|(?<=^[ \\t]{0,3}(?:<sup>|[¹²³])[^\\n]{0,300}[.;,] {0,2}))(?:\\[\\^(?<name>[\\p{L}\\p{N}_-]{1,20})\\]:|(?<raised>${raised})|${opens}(?<sup>${number})${closes}|\\[(?<square>${number})\\]:?|\\((?<round>${number})\\)|【(?<lens>${lens})】|(?<dotted>\\d{1,3})[.)])(?:(?![.;,] {0,2}(?:<sup>|${raised}))[^\\n])*`,
  'gmu',
)

type Kind = 'name' | 'raised' | 'sup' | 'worded' | 'square' | 'round' | 'lens' | 'dotted'
type Note = Span & { readonly kind: Kind; readonly key: string }

/** The kinds of lines that a marker of each kind may mean. */
const linesOf: Readonly<Record<Exclude<Kind, 'dotted'>, readonly Kind[]>> = {
  name: ['name'],
  raised: ['raised', 'sup', 'square', 'round', 'dotted'],
  sup: ['raised', 'sup', 'square', 'round', 'dotted'],
  worded: ['raised', 'sup', 'square', 'round', 'dotted'],
  square: ['square', 'dotted'],
  round: ['round', 'dotted'],
  lens: ['lens'],
}

/**
 * Returns a function that finds the refs in the footnote of a quotation, or at its number in a list of sources.
 * @param refs in order, without overlaps.
 */
export function footnoteRefs(
  text: string,
  refs: readonly Anchor[],
): (quotation: Quotation) => readonly Anchor[] {
  if (
    !/\[\^|[¹²³⁰⁴-⁹]|<(?:sup|a)[\s>]|【\d|[[(](?:[^\n()[\]]{0,20}\d{1,3}|[^\n()[\]]{0,20}[א-ת]{1,2})[,\])]/.test(
      text,
    )
  )
    return () => []
  const notes = Map.groupBy(
    [...text.matchAll(footnote)].map(noteOf).filter((note) => isNote(text, note, refs)),
    ({ key }) => key,
  )
  const noteAt = (end: number, groups: RegExpMatchArray['groups']): Note | undefined => {
    const { kind, key } = keyOf(groups) ?? {}
    if (kind === undefined || kind === 'dotted') return undefined
    const kinds = linesOf[kind]
    return notes.get(key ?? '')?.find((one) => kinds.includes(one.kind) && isAfter(one, end, kind))
  }
  return ({ end }) =>
    markersBehind(text.slice(end, end + longestMarkers)).flatMap((groups) => {
      const note = noteAt(end, groups)
      return note ? refsIn(refs, note) : []
    })
}

const longestMarkers = 200

/** The markers directly behind a quotation, one after the other: `[1][2]`, `[1, 2]`. */
function markersBehind(behind: string): readonly RegExpMatchArray['groups'][] {
  const found: RegExpMatchArray['groups'][] = []
  let rest = behind.replace(/([[(])(\d{1,3}(?:, ?\d{1,3}){1,4})([\])])/, (_, open, numbers: string, close) =>
    numbers
      .split(/, ?/)
      .map((one) => `${open}${one}${close}`)
      .join(''),
  )
  for (let match = marker.exec(rest); match !== null; match = marker.exec(rest)) {
    found.push(match.groups)
    rest = rest.slice(match[0].length)
  }
  return found
}

/** A plain number is that of a footnote only if the footnote comes later in the text. */
function isAfter({ kind, start }: Note, end: number, marked: Kind): boolean {
  return start > end || (kind === marked && (kind === 'name' || kind === 'raised'))
}

function noteOf({ 0: line, index, groups }: RegExpMatchArray): Note {
  const { kind, key } = keyOf(groups) ?? { kind: 'dotted', key: '' }
  return { kind, key, start: index ?? 0, end: (index ?? 0) + line.length }
}

const digits: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...'⁰¹²³⁴⁵⁶⁷⁸⁹'].map((sign, digit) => [sign, String(digit)])),
}

function keyOf(
  groups: RegExpMatchArray['groups'],
): { readonly kind: Kind; readonly key: string } | undefined {
  const [kind, written] = Object.entries(groups ?? {}).find(([, value]) => value !== undefined) ?? []
  if (kind === undefined || written === undefined) return undefined
  const key = kind === 'name' ? `^${written}` : [...written].map((sign) => digits[sign] ?? sign).join('')
  return { kind: kind as Kind, key }
}

function refsIn(refs: readonly Anchor[], { start, end }: Span): readonly Anchor[] {
  return refs.slice(firstFrom(refs, start), firstFrom(refs, end))
}

const longestNumber = 12

/** A line with a plain number is an entry of a list of sources if it begins with a ref; with `1.` it has nothing else. */
function isNote(text: string, note: Note, refs: readonly Anchor[]): boolean {
  if (/^(?:name|raised|sup|lens)$/.test(note.kind)) return true
  const [first] = refsIn(refs, note)
  if (first === undefined || first.start - note.start > longestNumber) return false
  return note.kind === 'square' || !/\p{L}/u.test(text.slice(refsIn(refs, note).at(-1)?.end, note.end))
}
