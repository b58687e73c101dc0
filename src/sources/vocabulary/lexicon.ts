import { readdirSync, readFileSync } from 'node:fs'
import { lazyInSteps } from '../text/lazy.ts'
import { isStopWord, type Script, type Token, tokenize } from '../text/tokens.ts'

/** A line of the lexicon: words and phrases of one meaning in both languages, as written in texts. */
export type LexiconEntry = Readonly<Record<Script, readonly LexiconForm[]>>

export type LexiconForm = {
  readonly written: string
  /** Index terms of the phrase in order. Function words are left out if at least two other words remain. */
  readonly terms: readonly string[]
}

const folder = new URL('./data/lexicon/', import.meta.url)

/** Hebrew nouns in Latin letters, each in one or two spellings. Others are known by their sound. */
const transliterationFolder = new URL('./data/transliterations/', import.meta.url)

/**
 * Reads the lexicon: per line, English forms, a tab, and Hebrew forms; `|` separates alternatives. Every English form
 * of a line translates to every Hebrew form, and the reverse. Transliterated nouns are lines like all others.
 * @throws Error when a line does not have exactly two parts.
 */
export const readLexicon = lazyInSteps(function* (): Generator<undefined, readonly LexiconEntry[]> {
  return [...(yield* entriesIn(folder)), ...(yield* readTransliterations.steps())]
})

/** Reads the transliterated nouns alone. */
export const readTransliterations = lazyInSteps(() => entriesIn(transliterationFolder))

function* entriesIn(place: URL): Generator<undefined, readonly LexiconEntry[]> {
  const entries: LexiconEntry[] = []
  for (const [en, he] of pairsIn(place)) {
    entries.push({ en, he })
    yield
  }
  return entries
}

/** A line of a `.tsv` file: two lists of forms. */
type Pair = readonly [readonly LexiconForm[], readonly LexiconForm[]]

/**
 * Reads the lines of all `.tsv` files in a folder: two lists of forms separated by a tab, with `|` between forms.
 * @throws Error when a line does not have exactly two parts.
 */
export function* pairsIn(folder: URL): Generator<Pair> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.tsv'))
  for (const name of files.sort()) {
    const lines = readFileSync(new URL(name, folder), 'utf8').split('\n')
    for (const line of lines) if (line !== '') yield pairOf(line)
  }
}

function pairOf(line: string): Pair {
  const [left, right, ...rest] = line.split('\t')
  if (!left || !right || rest.length > 0) throw new Error(`The lexicon line ${line} needs two parts.`)
  return [left.split('|').map(formOf), right.split('|').map(formOf)]
}

function formOf(written: string): LexiconForm {
  return { written, terms: termsOf(tokenize(written)) }
}

/** The index term of a phrase. No word of a text can equal it. */
export function phraseTerm({ terms }: LexiconForm): string {
  return `=${terms.join(' ')}`
}

function termsOf(tokens: readonly Token[]): readonly string[] {
  const contentWords = tokens.filter((token) => !isStopWord(token))
  return (contentWords.length > 1 ? contentWords : tokens).map(({ term }) => term)
}
