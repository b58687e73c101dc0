import type { Finding, FoundPassage, PointedPlace } from './answer.ts'

/** A search hit, and how well it matches. */
export type Hit = FoundPassage & {
  /** Weighted fraction of the question's terms that the passage contains, from 0 to 1. */
  readonly coverage: number
  /** The question names the title under which the passage stands. */
  readonly titled: boolean
  /** The passage is at a place that the question names. */
  readonly isNamed: boolean
}

const maxPassages = 3
/** Maximum passages from one named chapter. Two show what a chapter is about. */
const maxNamed = 2
/** Maximum passages if no hit has most words of the question. */
const maxRelated = 2

/**
 * A further hit must have at least this fraction of the best hit's coverage. Measured on the development
 * questions of `test/questions`: ranking scores did not separate right hits from wrong ones, and 0.75 keeps
 * most right hits and drops over half of the wrong ones.
 */
const nearBest = 0.75
/**
 * An article whose title the question names comes before a better hit without such a title if it has at least
 * this fraction of that hit's coverage.
 */
const nearBestTitled = 0.5
/** An article whose title the question names is quoted if it has at least this fraction of the best hit's coverage. */
const minTitled = 0.2
/** If the title of the best hit is named and it covers this much of the question, one further passage suffices. */
const wholeQuestion = 0.95
const maxBesideAnswer = 1
/** Minimum coverage of a hit with most words of the question. */
const majority = 0.5

export type Chosen = { readonly places: readonly Hit[]; readonly finding: Finding }

/**
 * Chooses the places to quote, without duplicates: those that the question names, otherwise the best hit and
 * others of similar coverage.
 * @param onlyNamed true if the question names something that does not exist. Keyword hits are then about
 *   something else.
 */
export function choosePassages(hits: readonly Hit[], onlyNamed: boolean): Chosen {
  const apart = [...new Map(hits.map((hit) => [hit.ref, hit])).values()]
  const named = apart.filter(({ isNamed }) => isNamed)
  if (named.length > 0) return { places: inOrder(ofEachPlace(named)), finding: 'named' }
  if (onlyNamed) return { places: [], finding: 'named' }
  const places = nearFirst(apart)
  const [best] = places
  const hasMost = best !== undefined && (best.titled || best.coverage >= majority)
  return hasMost ? { places, finding: 'most' } : { places: places.slice(0, maxRelated), finding: 'some' }
}

/** The best hit of each named chapter. For a single chapter, the best hit and one similar hit. */
function ofEachPlace(named: readonly Hit[]): readonly Hit[] {
  const chapters = [...Map.groupBy(named, ({ ref }) => ref.replace(/(?: §|:)\d+$/, '')).values()]
  if (chapters.length === 1) return nearFirst(named).slice(0, maxNamed)
  return chapters.flatMap(([best]) => best ?? []).slice(0, maxPassages)
}

/** Sorts by ref, which approximates reading order. */
function inOrder(hits: readonly Hit[]): readonly Hit[] {
  return hits.toSorted((a, b) => a.ref.localeCompare(b.ref, 'en', { numeric: true }))
}

function nearFirst(hits: readonly Hit[]): readonly Hit[] {
  const [best, ...others] = titledFirst(hits)
  if (best === undefined) return []
  const isNear = ({ coverage, titled }: Hit) => coverage >= best.coverage * (titled ? minTitled : nearBest)
  const answersAll = best.titled && best.coverage >= wholeQuestion
  const near = others.filter(isNear)
  if (answersAll) return [best, ...near.slice(0, maxBesideAnswer)]
  return [best, ...articlesFirst(near, best).slice(0, maxPassages - 1)]
}

/** A question about two subjects is answered from the articles of both, before passages that mention one of them. */
function articlesFirst(hits: readonly Hit[], best: Hit): readonly Hit[] {
  const isArticle = ({ titled, coverage, language }: Hit) =>
    titled && language === best.language && coverage >= best.coverage * nearBestTitled
  return [...hits.filter(isArticle), ...hits.filter((hit) => !isArticle(hit))]
}

/**
 * Moves articles whose title the question names before a best hit that only mentions the subject. A source in another
 * language stays first, because behind an article it would not be quoted.
 */
function titledFirst(hits: readonly Hit[]): readonly Hit[] {
  const [best] = hits
  return best === undefined || best.titled ? hits : articlesFirst(hits, best)
}

/** The hits in a search result, without weak matches. */
export function hitsIn(result: Readonly<Record<string, unknown>> | undefined): readonly Hit[] {
  return itemsIn(result).flatMap((item) => {
    const [passage] = passageOf(item)
    if (passage === undefined || item['weak_match'] === true) return []
    const coverage = typeof item['coverage'] === 'number' ? item['coverage'] : 1
    const titled = item['titled'] === true
    return [{ ...passage, coverage, titled, isNamed: item['in_named_place'] === true }]
  })
}

/** The passages in the result of a reading tool. */
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

/** A place without a URL is not in the library. It is of use only if its text can be fetched. */
function placeOf(item: Item | null): readonly PointedPlace[] {
  const url = typeof item?.['url'] === 'string' ? item['url'] : ''
  const onRequest = item?.['on_request'] === true
  if (url === '' && !onRequest) return []
  return [{ ref: String(item?.['ref'] ?? ''), heRef: String(item?.['he_ref'] ?? ''), url, onRequest }]
}

/** Maximum number of primary texts that are fetched and quoted. */
const maxPrimary = 2

/** Places to which the passages refer and whose texts have to be fetched, those of the best passage first. */
export function textsToFetch(places: readonly FoundPassage[]): readonly string[] {
  const refs = places.flatMap(({ pointsTo }) => pointsTo.filter(({ onRequest }) => onRequest))
  return [...new Set(refs.map(({ ref }) => ref))].slice(0, maxPrimary)
}
