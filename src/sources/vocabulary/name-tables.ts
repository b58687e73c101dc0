import { lazyInSteps, memoize } from '../text/lazy.ts'
import { plainEnglish } from '../text/plain-english.ts'
import { isStopWord, type Script, skeletonOf, type Token, tokenize } from '../text/tokens.ts'
import { abbreviations } from './abbreviations.ts'
import { aliasGroups, narrowerNames } from './aliases.ts'
import { keysOfName } from './names/name-keys.ts'
import { spokenSound, yiddishSound } from './names/sounds.ts'

/** A group of names with the same meaning, prepared for comparison with texts. */
export type NameGroup = {
  readonly id: string
  /** All names as written. The first one is the id of the group. */
  readonly names: readonly string[]
  /** One-word names by script, without abbreviations. The index has these under their group. */
  readonly words: Readonly<Record<Script, readonly string[]>>
}

/** A tree of names of several words, by the keys of their words. */
export type Node = { readonly next: ReadonlyMap<string, Node>; readonly groups: readonly NameGroup[] }

type MutableNode = { next: Map<string, MutableNode>; readonly groups: NameGroup[] }

type Groups = ReadonlyMap<string, readonly NameGroup[]>

type MutableGroups = Map<string, NameGroup[]>

export type Names = {
  /** Groups with this term as a one-word name. */
  readonly byWord: Groups
  /** Groups by the spelling class of transliterated words. */
  readonly bySkeleton: Groups
  /** Groups of transliterated one-word names, by their sound. */
  readonly bySound: Groups
  /** Groups by the letters of an abbreviation. */
  readonly byAbbreviation: Groups
  readonly phrases: Node
  /** The words of an abbreviation, without function words. */
  readonly expansions: ReadonlyMap<string, readonly string[]>
}

/** Minimum letters of a word compared by sound. Shorter words sound like too many others. */
const shortestSpoken = 5

/** Whether a word may be compared by its sound. */
export function isSpoken(term: string): boolean {
  return term.length >= shortestSpoken && /^[a-z]+$/.test(term)
}

/** Tokenises a name, with a cache, because each name is read several times during compilation. */
type ReadName = (name: string) => readonly Token[]

/** Maximum cached names; more than the vocabulary has. */
const maxNames = 20_000

function* compile(): Generator<undefined, Names> {
  const tokensOf = memoize(maxNames, tokenize)
  const byWord: MutableGroups = new Map()
  const bySkeleton: MutableGroups = new Map()
  const bySound: MutableGroups = new Map()
  const byAbbreviation: MutableGroups = new Map()
  const phrases = emptyNode()
  const addWord = (word: Token, group: NameGroup): void => {
    append(isAbbreviation(word) ? byAbbreviation : byWord, word.term, group)
    const skeleton = word.script === 'en' ? skeletonOf(word.term) : undefined
    if (skeleton !== undefined) append(bySkeleton, skeleton, group)
    if (!isSpoken(word.term) || plainEnglish.has(word.term)) return
    append(bySound, spokenSound(word.term), group)
    const yiddish = yiddishSound(word.term)
    if (yiddish !== undefined) append(bySound, yiddish, group)
  }
  for (const written of yield* groupsOfNames(tokensOf)) {
    const { group, names } = groupOf(written, tokensOf)
    for (const words of names) {
      const [first] = words
      if (words.length > 1) addPhrase(phrases, words, group)
      else if (first) addWord(first, group)
    }
    yield
  }
  return { byWord, bySkeleton, bySound, byAbbreviation, phrases, expansions: compileExpansions() }
}

function append(lists: MutableGroups, key: string, group: NameGroup): void {
  const list = lists.get(key)
  if (!list) lists.set(key, [group])
  else if (!list.includes(group)) list.push(group)
}

/** Stands in all nodes without a next one, because an empty map in each takes half a megabyte. Nothing is added to it. */
const noNodes: MutableNode['next'] = new Map()

const emptyNode = (): MutableNode => ({ next: noNodes, groups: [] })

function addPhrase(root: MutableNode, words: readonly Token[], group: NameGroup): void {
  let node = root
  for (const key of keysOfName(words)) {
    const next = node.next.get(key) ?? emptyNode()
    if (node.next === noNodes) node.next = new Map()
    node.next.set(key, next)
    node = next
  }
  if (!node.groups.includes(group)) node.groups.push(group)
}

/** Whether a word is an abbreviation. Names of God also have a geresh, but they are indexed as words. */
function isAbbreviation(word: Token): boolean {
  return word.abbreviated && word.term !== 'יהוה' && word.term !== 'הויה' && word.term.length > 1
}

function compileExpansions(): ReadonlyMap<string, readonly string[]> {
  return new Map(
    abbreviations.map(([short, long]) => [
      tokenize(short)[0]?.term ?? '',
      tokenize(long)
        .filter((word) => !isStopWord(word))
        .map((word) => word.term),
    ]),
  )
}

/** The alias groups with the abbreviations of their names, and one group for abbreviations of equal words. */
function* groupsOfNames(tokensOf: ReadName): Generator<undefined, readonly (readonly string[])[]> {
  const groups = aliasGroups.map((names) => [...names])
  const byName = new Map<string, string[][]>()
  for (const group of groups) {
    for (const name of new Set(group.map((written) => nameId(written, tokensOf))))
      byName.set(name, [...(byName.get(name) ?? []), group])
    yield
  }
  const others = new Map<string, string[]>()
  for (const [short, long] of abbreviations) {
    const known = byName.get(nameId(long, tokensOf))
    if (known) for (const group of known) group.push(short)
    else if (!byName.has(nameId(short, tokensOf))) others.set(long, [...(others.get(long) ?? [long]), short])
    yield
  }
  return [...groups, ...others.values()]
}

function groupOf(
  names: readonly string[],
  tokensOf: ReadName,
): {
  readonly group: NameGroup
  readonly names: readonly (readonly Token[])[]
} {
  const [first = ''] = names
  const tokenized = names.map(tokensOf)
  const narrower = narrowerNames.filter(([wider]) => wider === first).flatMap(([, ...others]) => others)
  const searched = [...tokenized, ...narrower.map(tokensOf)]
  const group: NameGroup = {
    id: nameId(first, tokensOf),
    names,
    words: { he: singleWords(searched, 'he'), en: singleWords(searched, 'en') },
  }
  return { group, names: tokenized }
}

function nameId(name: string, tokensOf: ReadName): string {
  return tokensOf(name)
    .map((token) => token.term)
    .join('-')
}

function singleWords(names: readonly (readonly Token[])[], script: Script): readonly string[] {
  const words = names.flatMap((tokens) => (tokens.length === 1 ? tokens : []))
  const written = words.filter((token) => token.script === script && !isAbbreviation(token))
  return [...new Set(written.map((token) => token.term))]
}

/** The tables of all names. */
export const names = lazyInSteps(compile)
