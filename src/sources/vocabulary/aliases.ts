import { readTable } from './data/table.ts'
import { peopleGroups, townGroups } from './names/people-names.ts'
import { bookNames } from './titles/works-table.ts'

const rows = readTable(new URL('./data/names.tsv', import.meta.url), { names: 'list', narrower: 'list?' })

/**
 * Groups of names for one thing. A query for one name finds all of them. The first name is the group's key in the
 * index and must not change. Only near-synonyms belong in a group, because related words would hide the word of the
 * query. Each name of God has its own group, because a question about one does not mean another.
 */
export const aliasGroups: readonly (readonly string[])[] = [
  ...peopleGroups,
  ...townGroups,
  ...bookNames,
  ...rows.map(({ names }) => names),
]

/**
 * Names that a wider name also stands for. A question about the wider name finds the narrower ones, but not the
 * reverse. `wider` is the first name of its group.
 */
export const narrowerNames: readonly (readonly [wider: string, ...narrower: readonly string[]])[] = rows
  .filter(({ narrower }) => narrower.length > 0)
  .map(({ names: [wider = ''], narrower }) => [wider, ...narrower])
