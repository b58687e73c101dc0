import type { Executor } from '../../../db/client.ts'
import { inSlices } from '../../text/slices.ts'
import { withDigits } from '../grammar/number-words.ts'
import { isPageRef } from '../grammar/pages.ts'
import { nearestToReadings } from '../nearest-refs.ts'
import { type Resolution, resolveRefs } from '../ref-lookup.ts'
import type { PlaceRange } from '../spans.ts'
import { addressAt } from './addresses.ts'
import { sitesInContext } from './in-context.ts'
import {
  type Candidate,
  type Placed,
  type ReadText,
  type Site,
  sitesOfTitles,
  sitesWithTitle,
} from './sites.ts'
import { titlesIn } from './titles.ts'
import { unknownTitles } from './unknown-titles.ts'
import { addressesIn } from './web-addresses.ts'
import { type TextWord, wordsIn } from './words.ts'

/** A ref that a text names, and what became of it. */
export type FoundRef = {
  /** Place in the text, UTF-16, `end` exclusive. */
  readonly start: number
  readonly end: number
  /** As it stands in the text: `ch. 32`. */
  readonly written: string
  /** In full, as the resolver was asked: `Tanya ch. 32`. */
  readonly asked: string
  /**
   * `missing`: the library knows the title, and has no such place; `ambiguous`: several places could be meant;
   * `unknown_work`: the library does not know the title.
   */
  readonly outcome: 'found' | 'missing' | 'ambiguous' | 'unknown_work'
  /** As the library writes it, when it was found. */
  readonly ref: string | null
  readonly place?: PlaceRange
  /** Refs that exist, the likeliest first, when it was not found; the places that it could mean when it is `ambiguous`. */
  readonly nearest: readonly string[]
}

export type FindOptions = {
  /** A title that was named before the text: `chapter 33` alone belongs to it. */
  readonly context?: string | undefined
  /** Only refs with numbers: a text that has no numbers asks the library nothing. */
  readonly numbersOnly?: boolean
}

/** Of a longer text the rest is not read. */
const longestText = 200_000
/** Readings that the library is asked about, and missing refs for which near ones are looked for. */
const maxAsked = 400
const maxNearest = 20
/** Readings a statement: writing a statement with four times as many takes 40 ms. */
const batchAsked = 100

/**
 * Finds the refs that a text names, in Hebrew and English, in all the ways in which the resolver reads them alone, and as
 * web addresses of Sefaria and of this service. A number with its unit belongs to the title that stands after it, in its
 * sentence, or before. Sends a few statements whatever the length of the text, and one for each missing ref. Takes time in
 * proportion to the length, and the event loop turns every few milliseconds.
 *
 * @returns the refs in their order; they do not overlap.
 * @throws database errors.
 */
export async function findRefs(
  executor: Executor,
  text: string,
  { context, numbersOnly = false }: FindOptions = {},
): Promise<readonly FoundRef[]> {
  const { sites, masked } = await inSlices(addressesIn(text.slice(0, longestText)))
  const words = await inSlices(wordsIn(masked))
  if (numbersOnly && sites.length === 0 && !(await inSlices(hasAddress(masked, words)))) return []
  const read: ReadText = { text: masked, words, titles: await titlesIn(executor, masked, words) }
  const placed = await inSlices(sitesOf(read, context, numbersOnly))
  const all = [...sites, ...placed.map(({ site }) => site)]
  const resolutions = await resolveAll(executor, all)
  const apart = withoutOverlaps(await inSlices(outcomesOf(all, resolutions)))
  const unknown = besides(await inSlices(unknownTitles(read)), apart)
  const chosen = [...apart, ...unknown.map((one) => ({ ...one, outcome: 'unknown_work' as const }))]
  return withNearest(
    executor,
    text,
    chosen.toSorted((a, b) => a.start - b.start),
  )
}

function* hasAddress(text: string, words: readonly TextWord[]): Generator<undefined, boolean> {
  for (const at of words.keys()) {
    if (addressAt(text, words, at)) return true
    yield
  }
  return false
}

function* sitesOf(
  read: ReadText,
  context: string | undefined,
  numbersOnly: boolean,
): Generator<undefined, readonly Placed[]> {
  const own = yield* sitesWithTitle(read)
  const elsewhere = yield* sitesInContext(read, own, context)
  return [...own, ...(numbersOnly ? [] : sitesOfTitles(read)), ...elsewhere]
}

function* outcomesOf(
  sites: readonly Site[],
  resolutions: ReadonlyMap<string, Resolution>,
): Generator<undefined, readonly Chosen[]> {
  const found: Chosen[] = []
  for (const site of sites) {
    const chosenFor = outcomeOf(site, resolutions)
    if (chosenFor) found.push(chosenFor)
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
  return new Map(asked.map((ref, i) => [ref, resolved[i] ?? { found: undefined, several: [], known: [] }]))
}

/** A reading of a place that was decided for. */
type Chosen = Pick<FoundRef, 'start' | 'end' | 'asked' | 'outcome'> & { readonly resolution?: Resolution }

/** The first reading that exists; if the number is sure to be one, else one that means several places, else one whose title is known. */
function outcomeOf(
  { candidates, isSure, namesWork }: Site,
  resolutions: ReadonlyMap<string, Resolution>,
): Chosen | undefined {
  let missing: Chosen | undefined
  for (const candidate of candidates) {
    const resolution = resolutions.get(candidate.asked)
    if (resolution?.found) return chosen(candidate, 'found', resolution)
    if (missing || candidate.mustExist || !isSure || !resolution) continue
    const named = resolution.known.filter(({ reading }) => reading.address.length > 0)
    if (named.length > 0) missing = chosen(candidate, 'missing', resolution)
  }
  const several = isSure ? severalOf(candidates, resolutions) : undefined
  if (several) return several
  const last = candidates.at(-1)
  if (!missing && isSure && namesWork && last)
    return {
      start: last.start,
      end: last.end,
      asked: last.asked,
      outcome: isPageRef(withDigits(last.asked)) ? 'missing' : 'unknown_work',
    }
  return missing
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
  return { start, end, asked, outcome, resolution }
}

/** Of those that overlap the one that was found, the longest. */
function withoutOverlaps(found: readonly Chosen[]): readonly Chosen[] {
  const rank = ({ outcome }: Chosen): number => (outcome === 'found' ? 0 : 1)
  const best = found.toSorted(
    (a, b) => a.start - b.start || rank(a) - rank(b) || b.end - b.start - (a.end - a.start),
  )
  const apart: Chosen[] = []
  for (const one of best) {
    const last = apart.at(-1)
    if (!last || one.start >= last.end) apart.push(one)
    else if (rank(one) < rank(last)) apart.splice(-1, 1, one)
  }
  return apart
}

/** Those of `refs` that overlap none of `others`; both are in order and apart. */
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
): Promise<readonly FoundRef[]> {
  const near = new Map<string, readonly string[]>()
  const refs: FoundRef[] = []
  for (const { start, end, asked, outcome, resolution } of chosenRefs) {
    const known = resolution?.known ?? []
    if (outcome === 'missing' && !near.has(asked) && near.size < maxNearest)
      near.set(asked, await nearestToReadings(executor, known))
    refs.push({
      start,
      end,
      written: text.slice(start, end),
      asked: asked.replace(/\s+/g, ' '),
      outcome,
      ref: resolution?.found?.ref ?? null,
      ...(resolution?.found && { place: resolution.found.place }),
      nearest: outcome === 'ambiguous' ? (resolution?.several ?? []) : (near.get(asked) ?? []),
    })
  }
  return refs
}
