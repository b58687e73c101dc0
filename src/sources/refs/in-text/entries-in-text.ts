import type { Executor } from '../../../db/client.ts'
import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'
import { hebrewNumber } from '../../text/hebrew-numbers.ts'
import { runInTimeSlices } from '../../text/time-slices.ts'
import { isPersonTitle } from '../../vocabulary/titles/everyday-titles.ts'
import { namesOfKnownWork } from '../../vocabulary/titles/known-works.ts'
import { isAuthorKey, otherTitleKeys } from '../../vocabulary/titles/title-groups.ts'
import { entriesNamed } from '../entry-lookup.ts'
import { scriptureBook } from '../grammar/scripture.ts'
import { nearestUnderTitle } from '../nearest-refs.ts'
import { type FoundPlace, resolveRefs } from '../ref-lookup.ts'
import type { FoundRef } from './find-refs.ts'

/** The name of an entry and a number, where only a ref can stand. */
type Candidate = Pick<FoundRef, 'start' | 'end' | 'written'> & {
  readonly name: string
  readonly number: string
  /** Whether it stands directly behind a quotation. Then a number that does not exist is a missing place. */
  readonly isBehindQuotation: boolean
}

const latinName =
  "\\p{Lu}[\\p{L}\\p{M}'’-]{1,30}(?: (?:(?:of|the|on|in|and|into|al) ){0,2}\\p{Lu}[\\p{L}\\p{M}'’-]{1,30}){0,6}"
const hebrewName = '[א-ת][א-ת"\'״׳]{1,14}(?: [א-ת][א-ת"\'״׳]{1,14}){0,6}'
const unit = '(?:ch\\. ?|chapter |no\\. ?|§ ?|פרק |סימן |אות |ערך )?'
const number = '\\d{1,3}|[א-ת]{1,2}["״][א-ת]|[א-ת](?:[\'׳]|(?![א-ת"״]))'
const entry = new RegExp(
  `(?<![\\p{L}\\p{M}\\p{N}])(?<name>${latinName}|${hebrewName}),? ${unit}(?<number>${number})(?![\\p{L}\\p{M}\\p{N}]|[:.]\\d)`,
  'gu',
)

/** Matches the name of an entry that is called one: `the entry “Simcha”`, `בערך "שמחה"`. */
const calledEntry = new RegExp(
  `(?:(?:\\b(?:[Tt]he|[Tt]his|[Ii]ts) entry (?:on |for |called )?|(?<=[([])(?:s\\.v\\.|entry:?) )["“‘'*_]{0,3}(?<latin>${latinName})|(?<![א-ת])[ובשה]{0,2}ערך (?:["“״*_]{1,3}|(?<=\\(ערך ))(?<hebrew>[א-ת]{2,14}(?: [א-ת]{2,14}){0,4})(?=["”’״*_)]))["”’״*_]{0,3}(?![\\p{L}\\p{M}\\p{N}]| \\d)`,
  'gu',
)

const lead = "(?:(?:see|see also|cf\\.?|(?:quoted |cited )?(?:from|in)|ראה|עיין|עי['׳]) (?:the )?)?"
const leadingWord = /^(?:See(?: also)?|Cf|From|In|ראה|עיין|עי['׳]) (?:[Tt]he )?/u
const opensBracket = new RegExp(`[([]\\s?(?:[^()[\\]\\n]{0,80}[;,]\\s?(?:and )?)?${lead}$`, 'iu')
const closesBracket = /^\s?[)\];,]/
const dash = new RegExp(`[—–-]\\s?${lead}$`, 'iu')
const closingMark = new RegExp(`["”“»«״’'›*_][.,;:]?\\s?,?\\s?${lead}$`, 'iu')
const endsLine = /^[.;]?[*_]*[ \t]*(?:\n|$)/
const endsSentence = /^(?:[.;]|[ \t]*(?:\n|$))/
const beginsLine = /(?:^|\n)(?:[ \t>#*_•–—-]|\d{1,2}[.)] )*$/
const introduces = /^[*_]*:[*_]*\s*["“„«״‘'>]/
/** Words between the name and the quotation that it introduces: `According to Rasha 1, “…”`, `Rasha 1 says: “…”`. */
const leadsToQuotation =
  /^(?:[,:]?\s|,? (?:we (?:read|learn)|(?:says?|states|has|reads|writes|teaches|explains|begins|opens|ends|concludes|adds|continues|notes|tells us|goes on|warns)[^.;!?"“„«״\n]{0,40}|it (?:says|is (?:said|written))|נאמר|כתוב|מבואר|אומר)[,:]?\s)[ושב]?["“„«״]/u
const quotedBefore = new RegExp(`["”“»«״’'›*_][.,;:]?\\s{0,2}(?:[([,—–-]\\s?)${lead}$`, 'iu')

const longestLook = 120
const nearLook = 40
const longestText = 200_000
/** Maximum number of names that are looked up; further ones are ignored. */
const maxNames = 20
/** Maximum number of refs that are looked up, and of those for which near ones are searched. */
const maxAsked = 100
const maxNearest = 10

/**
 * Finds entries of works that a text names alone, with a number: `“…” (Rasha 1)`. Such names are often ordinary words.
 * So they count only in brackets, behind a quotation or a dash at the end of a line, or alone in a line.
 * @param found the refs found in the text. Entries that overlap one of them are left out.
 * @throws database errors.
 */
export async function entriesInText(
  executor: Executor,
  text: string,
  found: readonly FoundRef[],
): Promise<readonly FoundRef[]> {
  const all = await runInTimeSlices(candidatesIn(text.slice(0, longestText)))
  const candidates = all.filter((one) => isFree(one, found))
  if (candidates.length === 0) return []
  const titles = new Map(
    [...new Set(candidates.map(({ name }) => name))].slice(0, maxNames).map((name) => [name, namesFor(name)]),
  )
  const entries = await entriesNamed(executor, [...titles.values()].flat())
  const meant = candidates.flatMap((one) => {
    const headings = new Set((titles.get(one.name) ?? []).flatMap((name) => entries.get(name) ?? []))
    const refs = [...headings].map((heading) => `${heading} ${one.number}`.trimEnd())
    return refs.length > 0 ? [{ one, refs }] : []
  })
  const asked = [...new Set(meant.flatMap(({ refs }) => refs))].slice(0, maxAsked)
  const resolved = await resolveRefs(executor, asked)
  const places = new Map(asked.map((ref, i) => [ref, resolved[i]?.found]))
  const near = await nearestTo(executor, meant, places)
  return meant.flatMap(({ one, refs }) => toFound(one, refs, places, near) ?? [])
}

type Meant = { readonly one: Candidate; readonly refs: readonly string[] }
type Places = ReadonlyMap<string, FoundPlace | undefined>

/** The nearest refs of entries that lack the number behind a quotation, at one query each. */
async function nearestTo(
  executor: Executor,
  meant: readonly Meant[],
  places: Places,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const lacking = meant.flatMap(({ one, refs: [ref = '', ...more] }) =>
    one.isBehindQuotation && more.length === 0 && places.has(ref) && !places.get(ref) ? [ref] : [],
  )
  const asked = [...new Set(lacking)].slice(0, maxNearest)
  return new Map(
    await Promise.all(asked.map(async (ref) => [ref, await nearestUnderTitle(executor, ref)] as const)),
  )
}

/**
 * Whether nothing else is read there. A person whom an entry is about means the entry rather than the person's book.
 */
function isFree({ start, end, name }: Candidate, found: readonly FoundRef[]): boolean {
  const others = found.filter((ref) => ref.start < end && start < ref.end)
  if (others.length === 0 || isPerson(name)) return true
  return others.every(({ outcome }) => outcome === 'unknown_work') && !isBook(name)
}

function isPerson(name: string): boolean {
  const isAuthor = [headingKey(name), looseHeadingKey(name)].some(isAuthorKey)
  return isAuthor || namesFor(name).some((title) => isPersonTitle(headingKey(title)))
}

function isBook(name: string): boolean {
  const key = headingKey(name)
  return namesOfKnownWork(key) !== undefined || otherTitleKeys(key).length > 0
}

/** A name, and the title of the book with the same person's name. */
function namesFor(name: string): readonly string[] {
  const key = headingKey(name)
  return [name, ...otherTitleKeys(key).filter(isPersonTitle)]
}

/** A plain English answer has none of these, and is the usual case. */
const mayHaveEntry = /\d|[א-ת]|[ ([](?:entry\b|s\.v\.)/

function* candidatesIn(text: string): Generator<undefined, readonly Candidate[]> {
  const candidates: Candidate[] = []
  if (!mayHaveEntry.test(text)) return candidates
  for (const match of text.matchAll(entry)) {
    yield
    const candidate = candidateOf(text, match)
    if (candidate) candidates.push(candidate)
  }
  for (const match of text.matchAll(calledEntry)) {
    yield
    const name = match.groups?.['latin'] ?? match.groups?.['hebrew'] ?? ''
    const start = match.index + match[0].indexOf(name)
    const end = start + name.length
    candidates.push({ start, end, written: name, name, number: '', isBehindQuotation: false })
  }
  return candidates.sort((a, b) => a.start - b.start)
}

function candidateOf(text: string, match: RegExpExecArray): Candidate | undefined {
  const { name: whole = '', number: written = '' } = match.groups ?? {}
  const name = whole.replace(leadingWord, '')
  const start = match.index + whole.length - name.length
  const end = match.index + match[0].length
  const near = text.slice(Math.max(0, start - nearLook), start)
  if (!standsAsRef(text, start, near, text.slice(end, end + nearLook))) return undefined
  if (scriptureBook(name) !== undefined) return undefined
  const value = /^\d/.test(written) ? Number(written) : hebrewNumber(written)
  if (value === undefined) return undefined
  const isBehindQuotation = quotedBefore.test(near)
  return { start, end, written: text.slice(start, end), name, number: String(value), isBehindQuotation }
}

const emphasisBefore = /(?<=^|[^*_])[*_]{1,3}$/
const emphasisBehind = /^[*_]{1,3}(?=[^*_]|$)/

/** @param written text before and after the ref. Emphasis around it says nothing. */
function standsAsRef(
  text: string,
  start: number,
  ...written: readonly [near: string, after: string]
): boolean {
  const isEmphasised = emphasisBefore.test(written[0]) && emphasisBehind.test(written[1])
  const near = isEmphasised ? written[0].replace(emphasisBefore, '') : written[0]
  const after = isEmphasised ? written[1].replace(emphasisBehind, '') : written[1]
  if (dash.test(near) && endsLine.test(after)) return true
  if (closingMark.test(near) && endsSentence.test(after)) return true
  if (leadsToQuotation.test(after)) return true
  if (beginsLine.test(near) && (endsLine.test(after) || introduces.test(after))) return true
  const before = text.slice(Math.max(0, start - longestLook), start)
  return (
    closesBracket.test(after) && opensBracket.test(isEmphasised ? before.replace(emphasisBefore, '') : before)
  )
}

function toFound(
  { start, end, written, name }: Candidate,
  refs: readonly string[],
  places: Places,
  near: ReadonlyMap<string, readonly string[]>,
): FoundRef | undefined {
  const [first, ...more] = refs.flatMap((ref) => places.get(ref) ?? [])
  const named = { start, end, written, asked: written }
  if (first !== undefined && more.length === 0)
    return { ...named, outcome: 'found', ref: first.ref, place: first.place, nearest: [] }
  if (first !== undefined)
    return { ...named, outcome: 'ambiguous', ref: null, nearest: [first, ...more].map(({ ref }) => ref) }
  const nearest = near.get(refs[0] ?? '')
  if (nearest === undefined || namesFor(name).length > 1) return undefined
  return { ...named, outcome: 'missing', ref: null, nearest }
}
