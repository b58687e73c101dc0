import { isHebrewStopWord } from '../../text/hebrew.ts'
import { lazy } from '../../text/lazy.ts'
import { tokenize } from '../../text/tokens.ts'
import { readTable } from '../../vocabulary/data/table.ts'

/**
 * The words of `fillers.tsv`. Words of asking (`which`), of the form of an answer (`essay`), pronouns and words that most
 * sentences could have (`plain`) are indexed, because a text may be about them, but they are ignored in a question with
 * other words. `fact`: words of questions about a book or a person as such, whose name is the subject of the question.
 */
const rows = readTable(new URL('./fillers.tsv', import.meta.url), {
  kind: 'text',
  language: 'text?',
  words: 'list',
})

const termsOf = (isMeant: (row: (typeof rows)[number]) => boolean): ReadonlySet<string> =>
  new Set(rows.filter(isMeant).flatMap(({ words }) => tokenize(words.join(' ')).map(({ term }) => term)))
const fillers = lazy(() => termsOf(({ kind }) => kind !== 'fact'))
const hebrewFillers = lazy(() => termsOf(({ kind, language }) => kind !== 'fact' && language === 'he'))
const factWords = lazy(() => termsOf(({ kind }) => kind === 'fact'))

/** Whether a word of a query asks for a fact about what it names: `printed`, `נולד`. */
export function isFactWord(term: string): boolean {
  return factWords().has(term)
}

/**
 * Prefixes with which a filler or function word stays one: `ולמה`, `שאומרים`, `האילו`. Before two letters, ש and ה
 * usually begin another word: `שמן`, `שער`, `העם`.
 */
const leading = /^(?:ו(?=[א-ת]{2})|[שה](?=[א-ת]{3}))/

/** Whether a word of a query is only a word of asking. */
export function isFiller(term: string): boolean {
  const rest = term.replace(leading, '')
  return fillers().has(term) || (rest !== term && (hebrewFillers().has(rest) || isHebrewStopWord(rest)))
}

/** Phrases that only ask for the meaning of letters. Their single words may be the subject of a question. */
const phrases = ['ראשי תיבות', 'ראשי התיבות', 'stands for', 'short for'].map((phrase) =>
  tokenize(phrase).map(({ term }) => term),
)

/** Whether the word at this index of a query belongs to such a phrase. */
export function isInFillerPhrase(words: readonly { readonly term: string }[], at: number): boolean {
  return phrases.some((phrase) =>
    phrase.some((_, back) => phrase.every((term, i) => words[at - back + i]?.term === term)),
  )
}
