import { readdirSync, readFileSync } from 'node:fs'
import { isFunctionWord, type Script, type Token, tokenize } from '../text/tokens.ts'

/** A line of the lexicon: words and phrases of one meaning, in both languages. Each is written as readers see it. */
export type LexiconEntry = Readonly<Record<Script, readonly LexiconForm[]>>

export type LexiconForm = {
  readonly written: string
  /** Its index terms in order, without function words when two others remain. */
  readonly terms: readonly string[]
}

const folder = new URL('./lexicon/', import.meta.url)

/**
 * The lines of the lexicon: English words and phrases, a tab, and what they are in Hebrew; `|` stands between
 * alternatives. Every English form of a line pairs with every Hebrew form of it.
 * @throws Error when a line has not exactly two parts.
 */
export function readLexicon(): readonly LexiconEntry[] {
  entries ??= readPairs(folder).map(([en, he]) => ({ en, he }))
  return entries
}

/** Read once. */
let entries: readonly LexiconEntry[] | undefined

/**
 * The lines of all `.tsv` files of a folder: two lists of forms with a tab between them; `|` stands between the forms.
 * @throws Error when a line has not exactly two parts.
 */
export function readPairs(
  folder: URL,
): readonly (readonly [readonly LexiconForm[], readonly LexiconForm[]])[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.tsv'))
  return files.sort().flatMap((name) => {
    const lines = readFileSync(new URL(name, folder), 'utf8').split('\n')
    return lines.filter((line) => line !== '').map(pairOf)
  })
}

function pairOf(line: string): readonly [readonly LexiconForm[], readonly LexiconForm[]] {
  const [left, right, ...rest] = line.split('\t')
  if (!left || !right || rest.length > 0) throw new Error(`The lexicon line ${line} needs two parts.`)
  return [left.split('|').map(formOf), right.split('|').map(formOf)]
}

function formOf(written: string): LexiconForm {
  return { written, terms: termsOf(tokenize(written)) }
}

/** The index term of a phrase: no word of a text can look like it. */
export function phraseTerm({ terms }: LexiconForm): string {
  return `=${terms.join(' ')}`
}

function termsOf(tokens: readonly Token[]): readonly string[] {
  const telling = tokens.filter((token) => !isFunctionWord(token))
  return (telling.length > 1 ? telling : tokens).map(({ term }) => term)
}
