import { isStopWord, type Token } from '../../text/tokens.ts'
import { isReferenceWork } from '../../vocabulary/titles/reference-works.ts'
import { isFactWord, isFiller } from '../expansion/fillers.ts'
import type { Query } from '../expansion/query.ts'
import type { FusedHit } from '../scoring/fusion.ts'
import type { FoundConcept } from '../scoring/index-reader.ts'
import { namedTitles, type TitleMatch } from './title-match.ts'

/** An entry among these is what the question is about, and not only mentioned by it. */
const amongBest = 3
/** How far down the ranking a named entry is looked for. */
const looked = 60
/** Maximum entries that stand together. */
const maxEntries = 3

/**
 * Puts the entries of reference works that a question names by different words behind each other: `the difference between a
 * tzaddik and a beinoni`. Without it, articles that mention both precede the second entry. If the question says nothing
 * else, they come first: the Tanya names itself nowhere, so `who wrote the Tanya` finds other books by its words. Otherwise
 * passages of other works keep their places, and so does a ranking that does not begin with such an entry.
 */
export function entriesTogether(
  ranked: readonly FusedHit[],
  concepts: readonly FoundConcept[],
  { tokens }: Query,
): readonly FusedHit[] {
  const titlesNamed = namedTitles(concepts)
  const named = ranked.slice(0, looked).flatMap((hit, at) => {
    const titles = hit.signals.titled && isReferenceWork(hit.row.work) ? titlesNamed(hit.row) : []
    return titles.length > 0 ? [{ hit, at, positions: positionsNaming(titles, concepts) }] : []
  })
  const subjects = tokens.flatMap((token, at) => (isSubject(token) ? [at] : []))
  const longest = apart(named.toSorted((a, b) => b.positions.size - a.positions.size))
  if (subjects.length > 0 && subjects.every((at) => longest.some(({ positions }) => positions.has(at))))
    return inPlaces(ranked, longest, ranked, () => true)
  const together = apart(named)
  const first = together[0]?.at ?? ranked.length
  if (first >= amongBest || together.length === 1) return ranked
  const isMoved = ({ row }: FusedHit, at: number): boolean => at >= first && isReferenceWork(row.work)
  return inPlaces(ranked, together, ranked.filter(isMoved), isMoved)
}

type Entry = { readonly hit: FusedHit; readonly at: number; readonly positions: ReadonlySet<number> }

/** The first entries that share no word of the question. */
function apart(entries: readonly Entry[]): readonly Entry[] {
  const found: Entry[] = []
  for (const one of entries)
    if (found.length < maxEntries && !found.some((other) => shareWord(one, other))) found.push(one)
  return found
}

function shareWord(one: Entry, other: Entry): boolean {
  return one.positions.values().some((at) => other.positions.has(at))
}

function isSubject(token: Token): boolean {
  return !isStopWord(token) && !isFiller(token.term) && !isFactWord(token.term)
}

/** Puts the entries, then the others, into the places of moved hits. The scores of the places stay the same. */
function inPlaces(
  ranked: readonly FusedHit[],
  entries: readonly Entry[],
  others: readonly FusedHit[],
  isMoved: (hit: FusedHit, at: number) => boolean,
): readonly FusedHit[] {
  const named = new Set(entries.map(({ hit }) => hit))
  const inOrder = new Set([...named, ...others]).values()
  return ranked.map((hit, at) => {
    const next = isMoved(hit, at) ? inOrder.next().value : undefined
    if (!next) return hit
    const signals = named.has(next) ? { ...next.signals, entry: true as const } : next.signals
    return { ...next, score: hit.score, signals }
  })
}

/** The positions of the query words that name these titles. */
function positionsNaming(
  titles: readonly TitleMatch[],
  concepts: readonly FoundConcept[],
): ReadonlySet<number> {
  const found = titles.flatMap((title) => title.concepts).flatMap((i) => concepts[i] ?? [])
  return new Set(
    found.flatMap(({ concept: { position, length } }) => Array.from({ length }, (_, i) => position + i)),
  )
}
