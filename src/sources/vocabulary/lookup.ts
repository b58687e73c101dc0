import { withoutPrefixes, withPrefixes } from '../hebrew.ts'
import { isFunctionWord, type Script, type Token, tokenize } from '../tokens.ts'
import { abbreviations } from './abbreviations.ts'
import { aliasGroups } from './aliases.ts'

/** A set of names that mean the same, in the form in which texts are compared with it. */
export type NameGroup = {
  readonly id: string
  /** Names of a single word, by script. */
  readonly words: Readonly<Record<Script, readonly string[]>>
}

type Phrase = { readonly terms: readonly string[]; readonly group: NameGroup }

type Names = {
  /** Groups that have the term as a name of one word. */
  readonly byWord: ReadonlyMap<string, readonly NameGroup[]>
  /** Names of several words, by their first with any prefix, the longest first. */
  readonly byFirst: ReadonlyMap<string, readonly Phrase[]>
  /** The words that an abbreviation stands for, without function words. */
  readonly expansions: ReadonlyMap<string, readonly string[]>
}

function compile(): Names {
  const byWord = new Map<string, NameGroup[]>()
  const byFirst = new Map<string, Phrase[]>()
  for (const { group, names } of [...aliasGroups, ...abbreviationGroups()].map(groupOf)) {
    for (const terms of names) {
      const [first = ''] = terms
      if (terms.length === 1) append(byWord, first, group)
      else for (const form of [first, ...withPrefixes(first)]) append(byFirst, form, { terms, group })
    }
  }
  for (const phrases of byFirst.values()) phrases.sort((a, b) => b.terms.length - a.terms.length)
  return { byWord, byFirst, expansions: compileExpansions() }
}

function append<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

function compileExpansions(): ReadonlyMap<string, readonly string[]> {
  return new Map(
    abbreviations.map(([short, long]) => [
      tokenize(short)[0]?.term ?? '',
      tokenize(long)
        .filter((word) => !isFunctionWord(word))
        .map((word) => word.term),
    ]),
  )
}

/** The abbreviations of one wording belong together, unless an alias group has that wording already. */
function abbreviationGroups(): readonly (readonly string[])[] {
  const covered = new Set(aliasGroups.flat())
  const byLong = Map.groupBy(
    abbreviations.filter(([short, long]) => !covered.has(short) && !covered.has(long)),
    ([, long]) => long,
  )
  return [...byLong].map(([long, pairs]) => [long, ...pairs.map(([short]) => short)])
}

function groupOf(names: readonly string[]): { group: NameGroup; names: readonly (readonly string[])[] } {
  const tokenized = names.map((name) => tokenize(name))
  const group: NameGroup = {
    id: groupId(names[0] ?? ''),
    words: { he: singleWords(tokenized, 'he'), en: singleWords(tokenized, 'en') },
  }
  return { group, names: tokenized.map((tokens) => tokens.map((token) => token.term)) }
}

function groupId(name: string): string {
  return tokenize(name)
    .map((token) => token.term)
    .join('-')
}

function singleWords(names: readonly (readonly Token[])[], script: Script): readonly string[] {
  const words = names.flatMap((tokens) => (tokens.length === 1 ? tokens : []))
  return [...new Set(words.filter((token) => token.script === script).map((token) => token.term))]
}

const names = compile()

/** The index term of a name of several words: no word of a text can look like it. */
export function groupTerm(group: NameGroup, script: Script): string {
  return `${script}:${group.id}`
}

/** The groups in which a word is a name by itself. A Hebrew word may bear a prefix. */
export function groupsOfWord(term: string): readonly NameGroup[] {
  for (const base of withoutPrefixes(term)) {
    const groups = names.byWord.get(base)
    if (groups) return groups
  }
  return []
}

/** What the abbreviation stands for; it may bear a prefix. */
export function expansionOf(term: string): readonly string[] {
  for (const base of withoutPrefixes(term)) {
    const words = names.expansions.get(base)
    if (words) return words
  }
  return []
}

export type FoundName = { readonly group: NameGroup; readonly script: Script; readonly length: number }

const none: readonly FoundName[] = []

/** The longest names of several words that begin at `tokens[at]`. */
export function namesAt(tokens: readonly Pick<Token, 'term' | 'script'>[], at: number): readonly FoundName[] {
  const first = tokens[at]
  const begun = first && names.byFirst.get(first.term)
  if (!begun) return none
  const matching = begun.filter(({ terms }) =>
    terms.every((term, i) => i === 0 || tokens[at + i]?.term === term),
  )
  const length = matching[0]?.terms.length
  return matching
    .filter((phrase) => phrase.terms.length === length)
    .map(({ group, terms }) => ({ group, script: first.script, length: terms.length }))
}
