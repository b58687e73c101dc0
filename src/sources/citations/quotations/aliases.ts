import { tokenize } from '../../text/tokens.ts'
import { groupsOfWord, namesAt } from '../../vocabulary/lookup.ts'
import type { ComparedWord } from './abbreviations.ts'

/** Names that end at a word: the number of their words, by the id of the group of equivalent names. */
export type NamesEnding = ReadonlyMap<string, number>

const none: NamesEnding = new Map()

/**
 * Returns for each word the names that end with it (`Besht`, `Baal Shem Tov`): the number of their words by the id of
 * their group.
 */
export function namesEnding(words: readonly ComparedWord[]): readonly NamesEnding[] {
  const tokens = words.map(
    ({ written }) => tokenize(written)[0] ?? { term: '', script: 'en' as const, abbreviated: false },
  )
  const ending = new Map<number, Map<string, number>>()
  const add = (at: number, id: string, length: number): void => {
    const names = ending.get(at) ?? new Map<string, number>()
    ending.set(at, names.set(id, length))
  }
  for (const [at, { term }] of tokens.entries()) {
    if (term === '') continue
    for (const { id } of groupsOfWord(term)) add(at, id, 1)
    for (const { group, length } of namesAt(tokens, at)) add(at + length - 1, group.id, length)
  }
  return words.map((_, at) => ending.get(at) ?? none)
}

/** If two names that end here are equivalent, returns how many words each has. */
export function sameName(
  a: NamesEnding | undefined,
  b: NamesEnding | undefined,
): readonly [number, number] | undefined {
  if (a === undefined || b === undefined || a.size === 0 || b.size === 0) return undefined
  for (const [id, length] of a) {
    const other = b.get(id)
    if (other !== undefined) return [length, other]
  }
  return undefined
}
