import type { Finding, FoundPassage, PointedPlace } from './extractive-answer.ts'

/** A hit of a search, with what the search says about how well it fits. */
export type Hit = FoundPassage & {
  /** Share of the question's words, by weight, that it has; 0 to 1. */
  readonly coverage: number
  /** The question names the very title that it stands under. */
  readonly titled: boolean
  /** It stands at a place that the question names. */
  readonly isNamed: boolean
}

const maxPlaces = 3
/** Of the places that the question names: of a chapter cut in pieces, two show what it is about. */
const maxNamed = 2
/** When no hit has most words of the question. */
const maxRelated = 2

/**
 * Of the best hit's coverage, what a further one must reach. Ranks say little: on the development questions of
 * `test/questions` the second hit has 0.9 of the first one's score whether it is right or wrong. By coverage, 0.75 keeps
 * most right further hits and leaves out more than half of the wrong ones.
 */
const nearBest = 0.75
/** Share of the question from which on a hit has most of it. */
const majority = 0.5

type Chosen = { readonly places: readonly Hit[]; readonly finding: Finding }

/**
 * The places to quote, best first, each once: those that the question names, if it names any; otherwise the best hit and
 * those near it.
 * @param onlyNamed when the question names something that does not exist, what was found by words is about something else.
 */
export function choosePlaces(hits: readonly Hit[], onlyNamed: boolean): Chosen {
  const apart = [...new Map(hits.map((hit) => [hit.ref, hit])).values()]
  const named = apart.filter(({ isNamed }) => isNamed)
  if (named.length > 0) return { places: inOrder(ofEachPlace(named)), finding: 'named' }
  if (onlyNamed) return { places: [], finding: 'named' }
  const [best] = apart
  const hasMost = best !== undefined && (best.titled || best.coverage >= majority)
  return hasMost
    ? { places: nearFirst(apart), finding: 'most' }
    : { places: nearFirst(apart).slice(0, maxRelated), finding: 'some' }
}

/** The best of each chapter that the question names; of one chapter alone the best and one near it. */
function ofEachPlace(named: readonly Hit[]): readonly Hit[] {
  const chapters = [...Map.groupBy(named, ({ ref }) => ref.replace(/(?: §|:)\d+$/, '')).values()]
  if (chapters.length === 1) return nearFirst(named).slice(0, maxNamed)
  return chapters.flatMap(([best]) => best ?? []).slice(0, maxPlaces)
}

/** In reading order, as far as their refs tell it. */
function inOrder(hits: readonly Hit[]): readonly Hit[] {
  return hits.toSorted((a, b) => a.ref.localeCompare(b.ref, 'en', { numeric: true }))
}

function nearFirst(hits: readonly Hit[]): readonly Hit[] {
  const [best, ...others] = hits
  if (best === undefined) return []
  const isNear = ({ coverage, titled }: Hit) => titled || coverage >= best.coverage * nearBest
  return [best, ...others.filter(isNear)].slice(0, maxPlaces)
}

/** The hits in the result of a search; those that share only a chance word with the question are left out. */
export function hitsIn(result: Readonly<Record<string, unknown>> | undefined): readonly Hit[] {
  return itemsIn(result).flatMap((item) => {
    const [passage] = passageOf(item)
    if (passage === undefined || item['weak_match'] === true) return []
    const coverage = typeof item['coverage'] === 'number' ? item['coverage'] : 1
    const titled = item['titled'] === true
    return [{ ...passage, coverage, titled, isNamed: item['in_named_place'] === true }]
  })
}

/** The passages in the result of a tool that reads. */
export function passagesIn(result: Readonly<Record<string, unknown>> | undefined): readonly FoundPassage[] {
  return itemsIn(result).flatMap(passageOf)
}

type Item = Readonly<Record<string, unknown>>

function itemsIn(result: Item | undefined): readonly Item[] {
  const list = result?.['passages']
  return Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : []
}

function passageOf(item: Item): readonly FoundPassage[] {
  if (typeof item['mark'] !== 'string' || typeof item['text'] !== 'string') return []
  const passage = {
    mark: item['mark'],
    ref: String(item['ref'] ?? ''),
    heRef: String(item['he_ref'] ?? ''),
    language: String(item['language'] ?? ''),
    text: item['text'],
    pointsTo: Array.isArray(item['points_to']) ? item['points_to'].flatMap(placeOf) : [],
  }
  return [typeof item['best_part'] === 'string' ? { ...passage, bestPart: item['best_part'] } : passage]
}

/** Places without an address are not in the library: nobody can read on there. */
function placeOf(item: Item | null): readonly PointedPlace[] {
  const url = item?.['url']
  if (typeof url !== 'string') return []
  return [{ ref: String(item?.['ref'] ?? ''), heRef: String(item?.['he_ref'] ?? ''), url }]
}
