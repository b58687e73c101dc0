import { withoutPrefixes } from '../text/hebrew.ts'
import { lazily } from '../text/lazily.ts'
import { plainEnglish } from '../text/plain-english.ts'
import { remembered } from '../text/remembered.ts'
import { isFunctionWord, type Script, skeletonOf, type Token, tokenize, type Word } from '../text/tokens.ts'
import { abbreviations } from './abbreviations.ts'
import { aliasGroups, narrowerNames } from './aliases.ts'
import { firstKeys, keysOfName, laterKeys, shortestAbbreviation } from './names/name-keys.ts'
import { spokenSound, yiddishSound } from './names/sounds.ts'

/** A set of names that mean the same, in the form in which texts are compared with it. */
export type NameGroup = {
  readonly id: string
  /** All names as they are written, the first of which makes the id. */
  readonly names: readonly string[]
  /** Names of a single word, by script, that are no abbreviations: those are in the index by their group. */
  readonly words: Readonly<Record<Script, readonly string[]>>
}

/** Names of several words by the keys of their words, one after the other. */
type Node = { readonly next: Map<string, Node>; readonly groups: NameGroup[] }

type Groups = ReadonlyMap<string, readonly NameGroup[]>

type MutableGroups = Map<string, NameGroup[]>

type Names = {
  /** Groups that have the term as a name of one word. */
  readonly byWord: Groups
  /** The same by the spelling class of transliterated words. */
  readonly bySkeleton: Groups
  /** Transliterated names of one word by their sound. */
  readonly bySound: Groups
  /** By the letters of an abbreviation. */
  readonly byAbbreviation: Groups
  readonly phrases: Node
  /** The words that an abbreviation stands for, without function words. */
  readonly expansions: ReadonlyMap<string, readonly string[]>
}

/** Shorter words sound like too many others. */
const shortestSpoken = 5

/** Whether a word may be compared by its sound. */
function isSpoken(term: string): boolean {
  return term.length >= shortestSpoken && /^[a-z]+$/.test(term)
}

/** Each name is read several times while they are compiled. */
type ReadName = (name: string) => readonly Token[]

/** Names that are remembered meanwhile: more than there are. */
const maxNames = 20_000

function compile(): Names {
  const tokensOf = remembered(maxNames, tokenize)
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
  for (const { group, names } of groupsOfNames(tokensOf).map((written) => groupOf(written, tokensOf))) {
    for (const words of names) {
      const [first] = words
      if (words.length > 1) addPhrase(phrases, words, group)
      else if (first) addWord(first, group)
    }
  }
  return { byWord, bySkeleton, bySound, byAbbreviation, phrases, expansions: compileExpansions() }
}

function append(lists: MutableGroups, key: string, group: NameGroup): void {
  const list = lists.get(key)
  if (!list) lists.set(key, [group])
  else if (!list.includes(group)) list.push(group)
}

const emptyNode = (): Node => ({ next: new Map(), groups: [] })

function addPhrase(root: Node, words: readonly Token[], group: NameGroup): void {
  let node = root
  for (const key of keysOfName(words)) {
    const next = node.next.get(key) ?? emptyNode()
    node.next.set(key, next)
    node = next
  }
  if (!node.groups.includes(group)) node.groups.push(group)
}

/** Names of God are written with a geresh, too, but stand in the index as words. */
function isAbbreviation(word: Token): boolean {
  return word.abbreviated && word.term !== 'יהוה' && word.term !== 'הויה' && word.term.length > 1
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

/** The alias groups with the abbreviations of their names, and the abbreviations of one other wording together. */
function groupsOfNames(tokensOf: ReadName): readonly (readonly string[])[] {
  const groups = aliasGroups.map((names) => [...names])
  const byName = new Map<string, string[][]>()
  for (const group of groups)
    for (const name of new Set(group.map((written) => nameId(written, tokensOf))))
      byName.set(name, [...(byName.get(name) ?? []), group])
  const others = new Map<string, string[]>()
  for (const [short, long] of abbreviations) {
    const known = byName.get(nameId(long, tokensOf))
    if (known) for (const group of known) group.push(short)
    else if (!byName.has(nameId(short, tokensOf))) others.set(long, [...(others.get(long) ?? [long]), short])
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

const names = lazily(compile)

/** The index term of a name of several words or of an abbreviation: no word of a text can look like it. */
export function groupTerm(group: NameGroup, script: Script): string {
  return `${script}:${group.id}`
}

/**
 * The groups in which a word is a name by itself. A Hebrew word may bear a prefix; a transliterated one may be spelled
 * in another way.
 */
export function groupsOfWord(term: string): readonly NameGroup[] {
  for (const base of withoutPrefixes(term)) {
    const groups = names().byWord.get(base)
    if (groups) return groups
  }
  const skeleton = /^[a-z]/.test(term) ? skeletonOf(term) : undefined
  const spelled = skeleton === undefined ? undefined : names().bySkeleton.get(skeleton)
  return spelled ?? (isSpoken(term) ? names().bySound.get(spokenSound(term)) : undefined) ?? []
}

/** An abbreviation of so many letters is known without its gershayim, too: it is hardly a word. */
const longestWord = 3

function groupsOfAbbreviation(token: NameToken): readonly NameGroup[] {
  if (token.script !== 'he' || !(token.abbreviated || token.term.length > longestWord)) return []
  for (const base of withoutPrefixes(
    token.term,
    token.abbreviated ? shortestAbbreviation : longestWord + 1,
  )) {
    const groups = names().byAbbreviation.get(base)
    if (groups) return groups
  }
  return []
}

/** What the abbreviation stands for; it may bear a prefix. */
export function expansionOf(term: string): readonly string[] {
  for (const base of withoutPrefixes(term, shortestAbbreviation)) {
    const words = names().expansions.get(base)
    if (words) return words
  }
  return []
}

export type FoundName = { readonly group: NameGroup; readonly script: Script; readonly length: number }

type NameToken = Pick<Token, 'term' | 'script' | 'abbreviated'>

const none: readonly FoundName[] = []

/** The names of which a word may be the first, and those of which it is an abbreviation. */
type Begun = { readonly nodes: readonly Node[]; readonly abbreviated: readonly NameGroup[] }

function namesBegunBy(token: NameToken): Begun | null {
  const nodes = firstKeys(token).flatMap((key) => names().phrases.next.get(key) ?? [])
  const abbreviated = groupsOfAbbreviation(token)
  return nodes.length > 0 || abbreviated.length > 0 ? { nodes, abbreviated } : null
}

/** The longest names of several words that begin at `tokens[at]`; otherwise what it is an abbreviation of. */
export function namesAt(tokens: readonly NameToken[], at: number): readonly FoundName[] {
  const first = tokens[at]
  if (!first) return none
  // A word of a text remembers what begins with it: nothing, for most.
  const { counted } = first as Partial<Word>
  const begun = counted?.names === undefined ? namesBegunBy(first) : (counted.names as Begun | null)
  if (counted) counted.names = begun
  if (begun === null) return none
  let best: Longest | undefined
  for (const node of begun.nodes) best = longer(best, longestName(node, tokens, at + 1))
  const { script } = first
  if (best) return foundNames(best.groups, script, best.end - at)
  return begun.abbreviated.length > 0 ? foundNames(begun.abbreviated, script, 1) : none
}

function foundNames(groups: readonly NameGroup[], script: Script, length: number): readonly FoundName[] {
  return groups.map((group) => ({ group, script, length }))
}

type Longest = { readonly groups: readonly NameGroup[]; readonly end: number }

function longer(a: Longest | undefined, b: Longest | undefined): Longest | undefined {
  return a && (!b || a.end >= b.end) ? a : b
}

/** The longest name that goes on from a node with `tokens[at]`. */
function longestName(node: Node, tokens: readonly NameToken[], at: number): Longest | undefined {
  let best: Longest | undefined = node.groups.length > 0 ? { groups: node.groups, end: at } : undefined
  const token = tokens[at]
  if (!token || node.next.size === 0) return best
  for (const key of laterKeys(token)) {
    const next = node.next.get(key)
    if (next) best = longer(longestName(next, tokens, at + 1), best)
  }
  return best
}
