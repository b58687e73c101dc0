import type { Random } from '../../support/random.ts'
import type { Case } from './case.ts'

/** The kinds that found most faults; they come first in each part. */
const leading: ReadonlySet<string> = new Set([
  'array of zeros',
  'array of objects',
  'full members',
  'schema: many references to a long enum',
  'schema: lengths of a long text',
  'quotations',
  'one unknown title',
  'password that repeats',
  'table of many columns',
  'Hebrew with vowels',
])

/**
 * Sorts the cases into rounds. Each round has one case per part of every subject, so that a run that ends
 * early covers everything. The seed decides the order within a round, and that of the kinds after the leading
 * ones.
 */
export function inRounds(cases: readonly Case[], random: Random): readonly Case[] {
  const parts = [...Map.groupBy(cases, groupOf).values()]
  const ordered = parts.map((those) => leadingFirst(shuffle(those, random)))
  const longest = Math.max(0, ...ordered.map(({ length }) => length))
  return Array.from({ length: longest }, (_, round) =>
    shuffle(
      ordered.flatMap((those) => those.slice(round, round + 1)),
      random,
    ),
  ).flat()
}

/**
 * All headers of a route are one part, and so is its query, because their parsers are the same everywhere.
 */
function groupOf({ subject, part }: Case): string {
  const place = part.split(' ')[0] ?? ''
  return `${subject} ${place === 'header' || place === 'query' ? place : part}`
}

function leadingFirst(cases: readonly Case[]): readonly Case[] {
  return cases.toSorted((a, b) => Number(leading.has(b.kind)) - Number(leading.has(a.kind)))
}

function shuffle<T>(items: readonly T[], random: Random): readonly T[] {
  return items
    .map((item) => ({ item, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
