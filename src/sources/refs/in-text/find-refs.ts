import type { Executor } from '../../../db/client.ts'
import { maxRangePassages } from '../../library/load-passages.ts'
import { runInTimeSlices } from '../../text/time-slices.ts'
import { addressAt, romanAddressAt } from '../grammar/addresses.ts'
import { isWithoutNumbers } from '../grammar/number-words.ts'
import type { TextWord } from '../grammar/text-words.ts'
import { nearestToReadings } from '../nearest-refs.ts'
import type { PassageRange } from '../passage-ranges.ts'
import { type Resolution, resolveRefs } from '../ref-lookup.ts'
import { unplacedRef } from '../unplaced.ts'
import { portionsInText } from './portions.ts'
import { sitesWithin } from './short-refs.ts'
import { sitesOfTitles, sitesWithTitle } from './sites.ts'
import { type InContext, sitesInContext } from './sites-in-context.ts'
import type { Candidate, ReadText, Site } from './titled-text.ts'
import { TitledText } from './titled-text.ts'
import type { TitleInText } from './titles-in-text.ts'
import { unknownTitles } from './unknown-titles.ts'
import { unreadRefs } from './unread-refs.ts'

/** A ref in a text, with the result of its look-up. */
export type FoundRef = {
  /** Range in the text, in UTF-16 units; `end` is exclusive. */
  readonly start: number
  readonly end: number
  /** The ref as written: `ch. 32`. */
  readonly written: string
  /** The full ref that was looked up: `Tanya ch. 32`. */
  readonly asked: string
  /**
   * `missing`: the library has the title but no such place. `ambiguous`: several places match. `unknown_work`: the
   * library does not have the title. `unplaced`: the library cannot tell where the place is, because it does not divide
   * the work by pages, leaves or years, because the place is a long portion, because nothing reads the title,
   * or because the text has too many refs.
   */
  readonly outcome: 'found' | 'missing' | 'ambiguous' | 'unknown_work' | 'unplaced'
  /** The spelling of the library, if the ref was found. */
  readonly ref: string | null
  /** Also of the chapter that a page is in, if the library cannot place the page. It is then the only `nearest`. */
  readonly place?: PassageRange
  /** If the ref was not found: existing refs, nearest first. If it is `ambiguous`: the places that match. */
  readonly nearest: readonly string[]
}

export type FindOptions = {
  /** A title from before the text. `chapter 33` alone belongs to it. */
  readonly context?: string | undefined
  /** Finds only refs with numbers. Then a text without numbers causes no query. */
  readonly numbersOnly?: boolean
  /** Whether refs that were not found get the nearest ones, at one query each; default: true. */
  readonly nearest?: boolean
}

/** Maximum number of readings that are looked up, and of missing refs for which near ones are searched. */
const maxAsked = 4_000
const maxNearest = 20
/** Readings per statement. Encoding a statement with four times as many takes 40 ms. */
const batchAsked = 100

/**
 * Finds the refs in a text, in Hebrew and English, in all forms that the resolver reads, and as URLs of Sefaria and
 * of this service. A number with a unit belongs to a title after it, in its sentence, or before. It sends a few
 * statements per text, and one for each missing ref. Time is linear in the length; it yields to the event loop every
 * few milliseconds.
 * @returns the refs in order, without overlaps.
 * @throws database errors.
 */
export async function findRefs(
  executor: Executor,
  whole: string | TitledText,
  { context, numbersOnly = false, nearest = true }: FindOptions = {},
): Promise<readonly FoundRef[]> {
  const titled = TitledText.of(executor, whole)
  if (numbersOnly && isWithoutNumbers(titled.text)) return []
  const { sites, text: masked, words } = await titled.words()
  if (numbersOnly && sites.length === 0 && !(await runInTimeSlices(hasAddress(masked, words)))) return []
  const read: ReadText = { text: masked, words, titles: await titled.titles() }
  const { placed, short } = await runInTimeSlices(sitesOf(read, context, numbersOnly))
  const apart = await choose(executor, [...sites, ...placed.map(({ site }) => site)])
  const unknown = besides(await runInTimeSlices(unknownTitles(read)), apart)
  const known = [...apart, ...(await underOtherNames(executor, unknown))]
  known.sort((a, b) => a.start - b.start)
  const unread = besides(await runInTimeSlices(unreadRefs(read)), known)
  const named = [...known, ...unread]
  named.sort((a, b) => a.start - b.start)
  const within = short.length === 0 ? [] : await choose(executor, sitesWithin(masked, short, named))
  const chosen = within.length === 0 ? named : withoutOverlaps([...within, ...named])
  const held = await withHeldWorks(executor, read, chosen)
  return withNearest(executor, titled.text, held, nearest ? maxNearest : 0)
}

/** Looks up refs under titles that the text alone did not tell: `Ps 23:2` may be a name of a held work. */
async function underOtherNames(
  executor: Executor,
  refs: readonly Pick<FoundRef, 'start' | 'end' | 'asked'>[],
): Promise<readonly Chosen[]> {
  const resolutions = await resolveAll(
    executor,
    refs.map((one) => ({ candidates: [{ ...one, title: one.asked, mustExist: true }], isSure: true })),
  )
  return refs.map((one) => {
    const resolution = resolutions.get(one.asked)
    if (resolution?.found) return { ...one, outcome: 'found', resolution }
    return isHeld(resolution)
      ? { ...one, outcome: 'missing', resolution }
      : { ...one, outcome: 'unknown_work' }
  })
}

/** A ref under a title that the library holds names a missing place, and not an unknown work. */
async function withHeldWorks(
  executor: Executor,
  { text, titles }: ReadText,
  refs: readonly Chosen[],
): Promise<readonly Chosen[]> {
  let next = 0
  // Both lists are in order, so each title is passed once.
  const titleOf = ({ start, end, outcome }: Chosen): string | undefined => {
    while ((titles[next]?.start ?? start) < start) next += 1
    if (outcome !== 'unknown_work') return undefined
    const within = (title: TitleInText | undefined): title is TitleInText =>
      title !== undefined && title.start <= start + maxBefore && title.start < end
    for (let at = next, title = titles[at]; within(title); at += 1, title = titles[at])
      if (title.isExact && title.end <= end) return text.slice(title.start, title.end)
    return undefined
  }
  const named = refs.map(titleOf)
  const asked = [...new Set(named.filter((title) => title !== undefined))].slice(0, maxAsked)
  if (asked.length === 0) return refs
  const resolved = await resolveRefs(executor, asked)
  const held = new Map(asked.map((title, i) => [title, resolved[i]]))
  return refs.map((ref, i) => {
    const resolution = held.get(named[i] ?? '')
    return isHeld(resolution)
      ? { ...ref, outcome: 'missing', resolution: { ...resolution, found: undefined } }
      : ref
  })
}

/** Whether the library has the title itself, and not only a part whose heading has its words. */
function isHeld(resolution: Resolution | undefined): resolution is Resolution {
  return resolution?.known.some(({ named: { isWhole, isWork } }) => isWhole || isWork) === true
}

/** Looks the sites up and chooses a reading for each. */
async function choose(executor: Executor, sites: readonly Site[]): Promise<readonly Chosen[]> {
  const resolutions = await resolveAll(executor, sites)
  return withoutOverlaps(await runInTimeSlices(outcomesOf(sites, resolutions)))
}

function* hasAddress(text: string, words: readonly TextWord[]): Generator<undefined, boolean> {
  for (const at of words.keys()) {
    if (addressAt(text, words, at) ?? romanAddressAt(text, words, at)) return true
    yield
  }
  return false
}

function* sitesOf(
  read: ReadText,
  context: string | undefined,
  numbersOnly: boolean,
): Generator<undefined, InContext> {
  const own = yield* sitesWithTitle(read)
  const { placed, short } = yield* sitesInContext(read, own, context)
  if (numbersOnly) return { placed: [...own, ...placed], short }
  const titled = [...sitesOfTitles(read), ...(yield* portionsInText(read))]
  return { placed: [...own, ...titled, ...placed], short }
}

function* outcomesOf(
  sites: readonly Site[],
  resolutions: ReadonlyMap<string, Resolution>,
): Generator<undefined, readonly Chosen[]> {
  const found: Chosen[] = []
  for (const site of sites) {
    const chosenFor = outcomeOf(site, resolutions)
    const isTooLarge = site.isPortion && chosenFor && isLarge(chosenFor)
    if (chosenFor) found.push(isTooLarge ? { ...chosenFor, outcome: 'unplaced' } : chosenFor)
    yield
  }
  return found
}

async function resolveAll(
  executor: Executor,
  sites: readonly Site[],
): Promise<ReadonlyMap<string, Resolution>> {
  const asked = [
    ...new Set(sites.flatMap(({ candidates }) => candidates.map(({ asked: ref }) => ref))),
  ].slice(0, maxAsked)
  const resolved: Resolution[] = []
  for (let from = 0; from < asked.length; from += batchAsked)
    resolved.push(...(await resolveRefs(executor, asked.slice(from, from + batchAsked))))
  return new Map(asked.flatMap((ref, i) => (resolved[i] ? [[ref, resolved[i]] as const] : [])))
}

/** The reading that was chosen for a place in the text. */
type Chosen = Pick<FoundRef, 'start' | 'end' | 'asked' | 'outcome'> & { readonly resolution?: Resolution }

/**
 * Chooses the first reading that exists. If none does and the number certainly is one, it chooses a reading with
 * several places, otherwise one with a known title.
 */
function outcomeOf(
  { candidates: all, isSure, unheld }: Site,
  resolutions: ReadonlyMap<string, Resolution>,
): Chosen | undefined {
  const candidates = all.filter(({ beside }) => beside === undefined || resolutions.get(beside)?.found)
  let missing: Chosen | undefined
  for (const candidate of candidates) {
    const resolution = resolutions.get(candidate.asked)
    if (resolution?.found) return chosen(candidate, 'found', resolution)
    if (missing || candidate.mustExist || !isSure || !resolution) continue
    const named = resolution.known.filter(({ reading }) => reading.address.length > 0)
    if (named.length > 0) missing = chosen(candidate, 'missing', resolution)
  }
  const several = isSure ? severalOf(candidates, resolutions) : undefined
  const unread = isSure ? candidates.find(({ asked }) => !resolutions.has(asked)) : undefined
  if (several) return several
  if (unread) return { ...unread, outcome: 'unplaced' }
  if (missing || !unheld) return missing
  const { start, end, asked } = unheld
  return { start, end, asked, outcome: 'unknown_work' }
}

function isLarge({ resolution }: Chosen): boolean {
  const place = resolution?.found?.place
  return place !== undefined && place.last - place.first >= maxRangePassages
}

function severalOf(
  candidates: readonly Candidate[],
  resolutions: ReadonlyMap<string, Resolution>,
): Chosen | undefined {
  const candidate = candidates.find(({ asked }) => (resolutions.get(asked)?.several.length ?? 0) > 0)
  const resolution = candidate && resolutions.get(candidate.asked)
  return resolution && chosen(candidate, 'ambiguous', resolution)
}

function chosen(
  { start, end, asked }: Candidate,
  outcome: FoundRef['outcome'],
  resolution: Resolution,
): Chosen {
  const isTaken = outcome === 'found' && resolution.several.length > 0
  return { start, end, asked, outcome: isTaken ? 'ambiguous' : outcome, resolution }
}

/**
 * Removes overlapping refs. A found ref wins over a missing one, then the first one wins, then the longest. A part that
 * is found does not win over its number that is missing: `Part IV; Iggeret HaKodesh 35`.
 */
function withoutOverlaps(found: readonly Chosen[]): readonly Chosen[] {
  const rank = ({ outcome }: Chosen): number => (outcome === 'found' ? 0 : 1)
  const isPartOf = (one: Chosen, other: Chosen): boolean =>
    other.outcome === 'missing' && other.start <= one.start && one.end < other.end
  const best = found.toSorted(
    (a, b) => a.start - b.start || rank(a) - rank(b) || b.end - b.start - (a.end - a.start),
  )
  const apart: Chosen[] = []
  for (const one of best) {
    const last = apart.at(-1)
    if (!last || one.start >= last.end) apart.push(one)
    else if (isPartOf(last, one) || (rank(one) < rank(last) && !isPartOf(one, last))) apart.splice(-1, 1, one)
  }
  return apart
}

/** Returns the `refs` that overlap none of `others`. Both lists are in order and without overlaps. */
function besides<T extends { readonly start: number; readonly end: number }>(
  refs: readonly T[],
  others: readonly Chosen[],
): readonly T[] {
  let next = 0
  return refs.filter(({ start, end }) => {
    while (next < others.length && (others[next]?.end ?? 0) <= start) next += 1
    return (others[next]?.start ?? end) >= end
  })
}

async function withNearest(
  executor: Executor,
  text: string,
  chosenRefs: readonly Chosen[],
  most: number,
): Promise<readonly FoundRef[]> {
  const near = new Map<string, readonly string[]>()
  const refs: FoundRef[] = []
  for (const { start, end, asked, outcome, resolution } of chosenRefs) {
    const known = resolution?.known ?? []
    if (outcome === 'missing' && !near.has(asked) && near.size < most)
      near.set(asked, await nearestToReadings(executor, known))
    const closed = end + closingBracket(text, start, end)
    refs.push({
      ref: null,
      start,
      end: closed,
      written: text.slice(start, closed),
      asked: asked.replace(/\s+/g, ' '),
      outcome,
      ...(outcome === 'found' ? resolution?.found : undefined),
      nearest: outcome === 'ambiguous' ? (resolution?.several ?? []) : (near.get(asked) ?? []),
      ...(outcome === 'missing' && (await unplacedRef(executor, asked, near.get(asked) ?? []))),
    })
  }
  return refs
}

/** Words of refs in which the library looks for a known title. */
const maxBefore = 40

/** Length of the bracket that closes one within a ref: `Tanya (ch. 32)`. */
function closingBracket(text: string, start: number, end: number): number {
  const written = text.slice(start, end)
  const isOpen = written.lastIndexOf('(') > written.lastIndexOf(')')
  return isOpen && text.charAt(end) === ')' ? 1 : 0
}
