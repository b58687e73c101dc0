import { longestSplit, someWithoutPrefix, withoutPrefixes } from '../text/hebrew.ts'
import { lazy, memoize } from '../text/lazy.ts'
import { plainEnglish } from '../text/plain-english.ts'
import { isStopWord, type Script, skeletonOf, type Token, tokenize, type Word } from '../text/tokens.ts'
import { abbreviations } from './abbreviations.ts'
import { aliasGroups, narrowerNames } from './aliases.ts'
import { firstKeys, keysOfName, laterKeys, shortestAbbreviation } from './names/name-keys.ts'
import { hasAmbiguousC, spokenSound, yiddishSound } from './names/sounds.ts'
import { WordFilter } from './word-filter.ts'

/** A group of names with the same meaning, prepared for comparison with texts. */
export type NameGroup = {
  readonly id: string
  /** All names as written. The first one is the id of the group. */
  readonly names: readonly string[]
  /** One-word names by script, without abbreviations. The index has these under their group. */
  readonly words: Readonly<Record<Script, readonly string[]>>
}

/** A tree of names of several words, by the keys of their words. */
type Node = { readonly next: Map<string, Node>; readonly groups: NameGroup[] }

type Groups = ReadonlyMap<string, readonly NameGroup[]>

type MutableGroups = Map<string, NameGroup[]>

type Names = {
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
function isSpoken(term: string): boolean {
  return term.length >= shortestSpoken && /^[a-z]+$/.test(term)
}

/** Tokenises a name, with a cache, because each name is read several times during compilation. */
type ReadName = (name: string) => readonly Token[]

/** Maximum cached names; more than the vocabulary has. */
const maxNames = 20_000

function compile(): Names {
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

const names = lazy(compile)

/** The index term of a name of several words or of an abbreviation. No word of a text can equal it. */
export function groupTerm(group: NameGroup, script: Script): string {
  return `${script}:${group.id}`
}

/**
 * The groups that have a word as a one-word name. A Hebrew word may have a prefix; a transliterated word may have
 * another spelling.
 */
export function groupsOfWord(term: string): readonly NameGroup[] {
  for (const base of withoutPrefixes(term)) {
    const groups = names().byWord.get(base)
    if (groups) return groups
  }
  if (!/^[a-z]/.test(term) || hasAmbiguousC(term)) return []
  const spelled = names().bySkeleton.get(skeletonOf(term) ?? '')
  return spelled ?? (isSpoken(term) ? names().bySound.get(spokenSound(term)) : undefined) ?? []
}

/** An abbreviation with more letters is also recognised without gershayim, because it is hardly a word. */
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

/** The words of an abbreviation, which may have a prefix. */
export function expansionOf(term: string): readonly string[] {
  for (const base of withoutPrefixes(term, shortestAbbreviation)) {
    const words = names().expansions.get(base)
    if (words) return words
  }
  return []
}

export type FoundName = { readonly group: NameGroup; readonly script: Script; readonly length: number }

type NameToken = Pick<Token, 'term' | 'script' | 'abbreviated' | 'spellings'>

const none: readonly FoundName[] = []

/** The names that may begin with a word, and those that the word abbreviates. */
type Begun = { readonly nodes: readonly Node[]; readonly abbreviated: readonly NameGroup[] }

const firstFilter = lazy(() => new WordFilter([...names().phrases.next.keys(), 'הויה']))
const abbreviationFilter = lazy(() => new WordFilter(names().byAbbreviation.keys()))

/** False for most Hebrew words that begin and abbreviate no name. */
function mayBegin({ term, script, spellings }: NameToken): boolean {
  if (script !== 'he' || spellings) return true
  const [sounds, short] = [firstFilter(), abbreviationFilter()]
  return someWithoutPrefix(
    term,
    longestSplit,
    (from) => sounds.mayHaveSound(term, from) || short.mayHave(term, from),
  )
}

function namesBegunBy(token: NameToken): Begun | null {
  if (!mayBegin(token)) return null
  const nodes = firstKeys(token).flatMap((key) => names().phrases.next.get(key) ?? [])
  const abbreviated = groupsOfAbbreviation(token)
  return nodes.length > 0 || abbreviated.length > 0 ? { nodes, abbreviated } : null
}

/**
 * The longest names of several words that begin at `tokens[at]`. If there are none, the names that the word
 * abbreviates.
 */
export function namesAt(tokens: readonly NameToken[], at: number): readonly FoundName[] {
  const first = tokens[at]
  if (!first) return none
  // A word of a text caches the names that begin with it; most have none.
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

/** What names of several words may begin with a word: none, only names that continue, or one that it abbreviates. */
export type NameStart = 'none' | 'continued' | 'abbreviated'

/** Whether names may begin with a word. If it is `continued`, the next word must be one that `continuesName`. */
export function nameStartOf(word: Word): NameStart {
  if (word.counted.names === undefined) word.counted.names = namesBegunBy(word)
  const begun = word.counted.names as Begun | null
  if (begun === null) return 'none'
  return begun.abbreviated.length > 0 ? 'abbreviated' : 'continued'
}

const secondKeys = lazy(
  () => new Set([...names().phrases.next.values()].flatMap(({ next }) => [...next.keys()])),
)

const secondFilter = lazy(() => new WordFilter([...secondKeys(), 'הויה']))

/**
 * Whether a word is the second word of a name.
 * @param first the first word, of which `nameStartOf` is not `none`; default: any.
 */
export function continuesName(word: NameToken, first?: Word): boolean {
  const { term, script } = word
  const filter = secondFilter()
  if (script === 'he' && !filter.mayHaveSound(term) && !filter.mayHaveSound(term, 1)) return false
  if (!first) return laterKeys(word).some((key) => secondKeys().has(key))
  const { nodes } = first.counted.names as Begun
  return laterKeys(word).some((key) => nodes.some(({ next }) => next.has(key)))
}

function foundNames(groups: readonly NameGroup[], script: Script, length: number): readonly FoundName[] {
  return groups.map((group) => ({ group, script, length }))
}

type Longest = { readonly groups: readonly NameGroup[]; readonly end: number }

function longer(a: Longest | undefined, b: Longest | undefined): Longest | undefined {
  return a && (!b || a.end >= b.end) ? a : b
}

/** The longest name that continues from a node with `tokens[at]`. */
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
