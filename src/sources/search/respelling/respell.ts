import type { Executor } from '../../../db/client.ts'
import { groupsOfWord } from '../../vocabulary/lookup.ts'
import { titlesOfAcronym } from '../../vocabulary/spelling/acronyms.ts'
import {
  fullNames,
  type KnownWord,
  loadKnownWords,
  slipsOf,
  soundAlikes,
} from '../../vocabulary/spelling/known-words.ts'
import { parseQuery, type Query, type Respelling } from '../expansion/query.ts'
import type { FoundConcept } from '../scoring/index-reader.ts'
import { type LibraryWords, libraryWords } from './library-words.ts'
import { type UnknownWord, unknownWords } from './unknown-words.ts'

/** Weight of a word that the vocabulary has, and of one that only the library has. */
const knownWeight = 0.8
const libraryWeight = 0.6

/** The weight of an ordinary word. In Hebrew, more words differ in one letter. */
const ordinaryWeight = (written: string): number => (/[א-ת]/.test(written) ? libraryWeight : knownWeight)

/** Words that sound less alike than the nearest one by more than this are left out. */
const tolerance = 0.1

/** Maximum number of words that stand for one word, and of words for which names are tried. */
const maxWords = 3
const maxParts = 12

/**
 * Reads a query again, with other spellings for the words that nothing is known about; undefined when there are none.
 * @param found the concepts of the query with their frequencies.
 */
export async function respell(
  executor: Executor,
  text: string,
  query: Query,
  found: readonly FoundConcept[],
): Promise<Query | undefined> {
  const unknown = unknownWords(text, query, found)
  if (unknown.length === 0) return undefined
  await loadKnownWords()
  const inLibrary = await libraryWords(
    executor,
    unknown.map(({ written }) => written),
  )
  const respellings = new Map(
    unknown.flatMap((word, i) => {
      const made = respellingOf(word, inLibrary[i])
      return made ? [[word.position, made] as const] : []
    }),
  )
  return respellings.size === 0 ? undefined : parseQuery(text, query.quoted, respellings)
}

function respellingOf(word: UnknownWord, inLibrary: LibraryWords | undefined): Respelling | undefined {
  const { written, abbreviated, isTitled } = word
  const names = abbreviated ? titlesOfAcronym(written) : []
  if (names.length > 0) return { words: new Map(), parts: [], names }
  const alike = soundAlikes(written)
  const slips = slipsOf(written)
  const words = new Map<string, number>()
  const add = (terms: readonly string[], weight: number): void => {
    for (const term of terms) if (words.size < maxWords && !words.has(term)) words.set(term, weight)
  }
  add(nearestNames(alike), knownWeight)
  add(inLibrary?.bySound ?? [], knownWeight)
  if (words.size === 0) add(termsOf(slips.filter(({ isName }) => isName)), knownWeight)
  if (words.size === 0) add(termsOf(slips.filter(({ isOrdinary }) => isOrdinary)), ordinaryWeight(written))
  if (words.size === 0) add(inLibrary?.byLetter ?? [], libraryWeight)
  const pets = isTitled ? fullNames(written) : []
  const parts = termsOf([...alike, ...slips, ...pets]).slice(0, maxParts)
  return words.size + parts.length === 0 ? undefined : { words, parts, names }
}

const termsOf = (words: readonly { readonly term: string }[]): readonly string[] =>
  words.map(({ term }) => term)

/** The names that sound most like the word, one spelling of each. */
function nearestNames(alike: readonly KnownWord[]): readonly string[] {
  const names = alike.filter(({ isName }) => isName)
  const limit = (names[0]?.distance ?? 0) + tolerance
  const near = names.filter(({ distance }) => distance <= limit).map(({ term }) => term)
  const seen = new Set<string>()
  return near.filter((term) => {
    const ids = groupsOfWord(term).map(({ id }) => id)
    const isNew = ids.length === 0 || ids.some((id) => !seen.has(id))
    for (const id of ids) seen.add(id)
    return isNew
  })
}
