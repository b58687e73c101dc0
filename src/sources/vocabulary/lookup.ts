import { longestSplit, someWithoutPrefix, withoutPrefixes } from '../text/hebrew.ts'
import { lazy } from '../text/lazy.ts'
import { type Script, skeletonOf, type Token, type Word } from '../text/tokens.ts'
import { isSpoken, type NameGroup, type Node, names } from './name-tables.ts'
import { firstKeys, laterKeys, shortestAbbreviation } from './names/name-keys.ts'
import { hasAmbiguousC, spokenSound } from './names/sounds.ts'
import { WordFilter } from './word-filter.ts'

export type { NameGroup } from './name-tables.ts'

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
