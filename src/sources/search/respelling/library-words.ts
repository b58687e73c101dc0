import type { Executor } from '../../../db/client.ts'
import { normaliseWord, skeletonOf } from '../../text/tokens.ts'
import { groupsOfWord } from '../../vocabulary/lookup.ts'
import { isEnglish } from '../../vocabulary/spelling/known-words.ts'
import { latinVariants } from '../../vocabulary/spelling/latin-variants.ts'
import { isOrdinarySlip, oneLetterOff } from '../../vocabulary/spelling/one-letter.ts'
import { limitOf, soundDistance, soundOf } from '../../vocabulary/spelling/sound-distance.ts'
import { translateWord } from '../../vocabulary/translations.ts'
import { lookUp } from '../scoring/index-lookup.ts'

/** The words of the library that a writer may have meant. */
export type LibraryWords = {
  /** Terms that sound like the word, nearest first. */
  readonly bySound: readonly string[]
  /** Terms that differ in one letter, most frequent first. */
  readonly byLetter: readonly string[]
}

const none: LibraryWords = { bySound: [], byLetter: [] }

/** Finds words of the library for unknown words, in the order of these. */
export async function libraryWords(
  executor: Executor,
  words: readonly string[],
): Promise<readonly LibraryWords[]> {
  const wanted = words.map((word) => ({
    sounds: /^[a-z]+$/.test(word) ? [...latinVariants(word)].map(termOf) : [],
    letters: [...oneLetterOff(word)].filter((slip) => isOrdinarySlip(word, slip)).flatMap(termsOf),
  }))
  const terms = [...new Set(wanted.flatMap(({ sounds, letters }) => [...sounds, ...letters]))]
  const classes = [
    ...new Set(wanted.flatMap(({ sounds }) => sounds.flatMap((term) => skeletonOf(term) ?? []))),
  ]
  if (terms.length === 0) return words.map(() => none)
  const { documents, inClasses } = await lookUp(executor, terms, classes)
  const members = await inClasses(classes)
  return wanted.map(({ sounds, letters }, i) => ({
    bySound: nearest(words[i] ?? '', [
      ...sounds.filter((term) => documents.has(term)),
      ...sounds.flatMap(
        (term) =>
          members
            .get(skeletonOf(term) ?? '')
            ?.keys()
            .toArray() ?? [],
      ),
    ]),
    byLetter: [...new Set(letters)]
      .filter((term) => documents.has(term))
      .sort((a, b) => (documents.get(b) ?? 0) - (documents.get(a) ?? 0)),
  }))
}

const termOf = (written: string): string => normaliseWord(written).term

/** Letters that a word may lose as a term. With more, the stem of a misspelt word would be that of another word. */
const maxEnding = 1

/** The term of a word, unless the word would lose more letters than that. */
function termsOf(written: string): readonly string[] {
  const { term, script } = normaliseWord(written)
  if (script === 'he') return [term]
  return written.startsWith(term.slice(0, -1)) && written.length - term.length <= maxEnding ? [term] : []
}

function nearest(word: string, terms: readonly string[]): readonly string[] {
  const sound = soundOf(word)
  return [...new Set(terms)]
    .map((term) => ({ term, distance: soundDistance(sound, soundOf(term)) }))
    .filter(({ term, distance }) => distance <= limitOf(sound) && !isEnglish(term) && !isTranslated(term))
    .sort((a, b) => a.distance - b.distance)
    .map(({ term }) => term)
}

/** Whether a term is an English word of the lexicon. Names have a group instead. */
function isTranslated(term: string): boolean {
  return groupsOfWord(term).length === 0 && translateWord({ term, script: 'en' }) !== undefined
}
