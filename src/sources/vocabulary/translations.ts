import { basesOf, withPrefixes } from '../text/hebrew.ts'
import { lazyInSteps } from '../text/lazy.ts'
import { otherScript, type Script, type ScriptTerm } from '../text/tokens.ts'
import { inflectionsOf } from './inflections.ts'
import { type LexiconEntry, type LexiconForm, phraseTerm, readLexicon } from './lexicon.ts'
import { PhraseFinder } from './phrases.ts'

type Lexicon = {
  /** Entries by their one-word forms. */
  readonly words: ReadonlyMap<string, readonly LexiconEntry[]>
  readonly phrases: PhraseFinder<LexiconEntry>
}

function* compile(): Generator<undefined, Lexicon> {
  const words = new Map<string, LexiconEntry[]>()
  const phrases: Lexicon['phrases'] = new PhraseFinder()
  for (const entry of yield* readLexicon.steps()) {
    for (const script of ['he', 'en'] as const) {
      for (const form of entry[script]) {
        const [first = ''] = form.terms
        if (form.terms.length > 1) phrases.add(form.terms, entry)
        else words.set(first, [...(words.get(first) ?? []), entry])
      }
    }
    yield
  }
  return { words, phrases }
}

const lexicon = lazyInSteps(compile)

/** Makes the table of translations in advance. */
export const loadTranslations = lexicon.load

/** The translation of words into the other script. */
export type Translation = {
  readonly script: Script
  /** Number of query words that it translates. */
  readonly length: number
  /** Index terms, in every form. */
  readonly terms: ReadonlySet<string>
}

/** Translates the longest phrase that begins at `words[at]`. All its meanings form one concept. */
export function translatePhrase(words: readonly ScriptTerm[], at: number): Translation | undefined {
  const longest = lexicon().phrases.longestAt(words, at)
  return longest && translationOf(words[at]?.script ?? 'en', longest.length, longest.values)
}

/** Translates a word. A Hebrew word may have a prefix. All its meanings form one concept. */
export function translateWord({ term, script }: ScriptTerm): Translation | undefined {
  for (const base of script === 'he' ? basesOf(term) : [term]) {
    const entries = lexicon().words.get(base)
    if (entries) return translationOf(script, 1, entries)
  }
  return undefined
}

function translationOf(from: Script, length: number, entries: readonly LexiconEntry[]): Translation {
  const script = otherScript(from)
  const terms = new Set<string>()
  for (const form of new Set(entries.flatMap((entry) => entry[script]))) addForms(terms, form, script)
  return { script, length, terms }
}

function addForms(terms: Set<string>, form: LexiconForm, script: Script): void {
  if (form.terms.length > 1) {
    terms.add(phraseTerm(form))
    return
  }
  const [word = ''] = form.terms
  terms.add(word)
  if (script === 'en') return
  for (const prefixed of withPrefixes(word)) terms.add(prefixed)
  for (const inflected of inflectionsOf(word)) {
    for (const prefix of inflectedPrefixes) terms.add(prefix + inflected)
  }
}

/**
 * Prefixes of inflected words. These are fewer than for uninflected words, because a question would otherwise search
 * thousands of forms.
 */
const inflectedPrefixes = ['', ...'והבכלמשד', 'וב', 'ול', 'שב']
