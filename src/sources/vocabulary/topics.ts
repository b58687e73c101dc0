import { readFileSync } from 'node:fs'
import { lazily } from '../text/lazily.ts'
import { type Script, type ScriptTerm, tokenize } from '../text/tokens.ts'

/**
 * Words and phrases of matters that no such library treats: sports, cooking, computers, weather, money, medicine. Words
 * with a second sense in chassidic books (king, light, garment, vessel, candle) are not among them.
 */
const everyday = lazily(() => phrasesOf([...readTopics('en'), ...readTopics('he')]))

/**
 * Words that name a matter of the field by themselves, such as God, prayer or `מצוה`. Words with an everyday sense (soul,
 * king, light) are not among them.
 */
const field = lazily(() => phrasesOf([...readTopics('field-en'), ...readTopics('field-he')]))

/** Lists of index terms by their first. */
type Phrases = ReadonlyMap<string, readonly (readonly string[])[]>

function phrasesOf(written: readonly string[]): Phrases {
  const phrases = written.map((one) => tokenize(one).map(({ term }) => term))
  return Map.groupBy(phrases, ([first = '']) => first)
}

/** The lines of `topics/*.tsv`: a topic, a tab, and its words and phrases with `|` between them. */
export function readTopics(list: Script | `field-${Script}`): readonly string[] {
  const text = readFileSync(new URL(`./topics/${list}.tsv`, import.meta.url), 'utf8')
  return text.split('\n').flatMap((line) => line.split('\t')[1]?.split('|') ?? [])
}

/** Positions of the words that name an everyday matter, alone or as parts of a phrase. */
export function everydayWords(words: readonly ScriptTerm[]): ReadonlySet<number> {
  return positionsOf(everyday(), words)
}

/** Positions of the words that name a matter of the field, alone or as parts of a phrase. */
export function fieldWords(words: readonly ScriptTerm[]): ReadonlySet<number> {
  return positionsOf(field(), words)
}

function positionsOf(phrases: Phrases, words: readonly ScriptTerm[]): ReadonlySet<number> {
  const found = new Set<number>()
  for (const at of words.keys()) {
    for (const terms of phrasesAt(phrases, words, at)) for (const i of terms.keys()) found.add(at + i)
  }
  return found
}

function phrasesAt(
  phrases: Phrases,
  words: readonly ScriptTerm[],
  at: number,
): readonly (readonly string[])[] {
  const { term = '', script = 'en' } = words[at] ?? {}
  const begun = (script === 'he' ? bases(term) : [term]).flatMap((form) => phrases.get(form) ?? [])
  return begun.filter((terms) => terms.every((wanted, i) => i === 0 || isSame(words[at + i]?.term, wanted)))
}

/** Prefixes with which a Hebrew word of everyday life is asked for. */
const prefixes = ['ו', 'ה', 'ב', 'ל', 'מ', 'כ', 'ש', 'וה', 'של', 'מה', 'כש', 'וב', 'ול', 'ומ', 'שה', 'לה']

/** Two letters may be a prefix and a word of one letter: what is left has three. */
const shortestBase = 3

function bases(term: string): readonly string[] {
  const cut = prefixes.filter(
    (prefix) => term.startsWith(prefix) && term.length - prefix.length >= shortestBase,
  )
  return [term, ...cut.map((prefix) => term.slice(prefix.length))]
}

function isSame(term: string | undefined, wanted: string): boolean {
  return term === wanted || term === `ה${wanted}`
}
