import { lazyInSteps } from '../text/lazy.ts'
import type { ScriptTerm, Word } from '../text/tokens.ts'
import { type LexiconForm, phraseTerm, readLexicon } from './lexicon.ts'
import { type Begun, PhraseFinder } from './phrases.ts'
import { readSynonyms } from './synonyms.ts'

/**
 * Collects every phrase to which a query can be expanded: phrases of the lexicon, and the older Hebrew phrases of the
 * synonyms.
 */
function* compile(): Generator<undefined, PhraseFinder<string>> {
  const finder = new PhraseFinder<string>()
  const known = new Set<string>()
  const add = (form: LexiconForm): void => {
    const term = phraseTerm(form)
    if (form.terms.length < 2 || known.has(term)) return
    known.add(term)
    finder.add(form.terms, term)
  }
  for (const { en, he } of yield* readLexicon.steps()) {
    for (const form of en) add(form)
    for (const form of he) add(form)
    yield
  }
  for (const { older } of yield* readSynonyms.steps()) {
    for (const form of older) add(form)
    yield
  }
  return finder
}

const phrases = lazyInSteps(compile)

/** Makes the table of phrases in advance. */
export const loadPhrases = phrases.load

/** The index terms of the known phrases that begin at `words[at]`, each with its length in words. */
export function phraseTermsAt(
  words: readonly ScriptTerm[],
  at: number,
): readonly (readonly [term: string, length: number])[] {
  const first = words[at]
  if (!first) return none
  // A word of a text caches the phrases that begin with it; most have none.
  const { counted } = first as Partial<Word>
  const begun = (counted?.phrases as Begun<string> | undefined) ?? phrases().begunBy(first.term)
  if (counted) counted.phrases = begun
  if (begun.phrases.length === 0) return none
  const found = phrases().at(words, at, begun)
  return found.length === 0 ? none : found.map(({ value, length }) => [value, length])
}

/** Whether phrases may begin with a word. A word that `continuesPhrase` must then follow, after function words. */
export function beginsPhrase(word: Word): boolean {
  word.counted.phrases ??= phrases().begunBy(word.term)
  return (word.counted.phrases as Begun<string>).phrases.length > 0
}

/** Whether `term` is the second word of a phrase that begins with a word of which `beginsPhrase` is true. */
export function continuesPhraseOf(word: Word, term: string): boolean {
  return (word.counted.phrases as Begun<string>).seconds.has(term)
}

/** Whether a word is the second word of any phrase. */
export function continuesPhrase(word: ScriptTerm): boolean {
  return phrases().continues(word)
}

/** Maximum number of function words between two words of a phrase. */
export { maxBetween } from './phrases.ts'

const none: readonly (readonly [string, number])[] = []
