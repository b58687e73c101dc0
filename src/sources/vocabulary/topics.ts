import { readFileSync } from 'node:fs'
import { lazyInSteps } from '../text/lazy.ts'
import { type Script, type ScriptTerm, tokenize } from '../text/tokens.ts'

/**
 * Words and phrases for everyday subjects that such a library does not treat: sports, cooking, computers, weather,
 * money, medicine. Words with a second sense in chassidic books (king, light, garment, vessel, candle) are left out.
 */
const everyday = lazyInSteps(() => phrasesOf([...readTopics('en'), ...readTopics('he')]))

/**
 * Words that certainly belong to the field, such as God, prayer or `מצוה`. Words with an everyday sense (soul, king,
 * light) are left out.
 */
const field = lazyInSteps(() => phrasesOf([...readTopics('field-en'), ...readTopics('field-he')]))

/** Makes both tables in advance. */
export async function loadTopics(): Promise<void> {
  await everyday.load()
  await field.load()
}

/** Lists of index terms, by their first term. */
type Phrases = ReadonlyMap<string, readonly (readonly string[])[]>

function* phrasesOf(written: readonly string[]): Generator<undefined, Phrases> {
  const phrases: (readonly string[])[] = []
  for (const one of written) {
    phrases.push(tokenize(one).map(({ term }) => term))
    yield
  }
  return Map.groupBy(phrases, ([first = '']) => first)
}

/**
 * Reads the lines of `topics/*.tsv`: a topic, a tab, and its words and phrases, separated by `|`.
 */
export function readTopics(list: Script | `field-${Script}`): readonly string[] {
  const text = readFileSync(new URL(`./data/topics/${list}.tsv`, import.meta.url), 'utf8')
  return text.split('\n').flatMap((line) => line.split('\t')[1]?.split('|') ?? [])
}

/** Positions of the words for everyday subjects, alone or as parts of a phrase. */
export function everydayWords(words: readonly ScriptTerm[]): ReadonlySet<number> {
  return positionsOf(everyday(), words)
}

/** Positions of the words that belong to the field, alone or as parts of a phrase. */
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

/** Prefixes that a Hebrew word for an everyday subject may have. */
const prefixes = ['ו', 'ה', 'ב', 'ל', 'מ', 'כ', 'ש', 'וה', 'של', 'מה', 'כש', 'וב', 'ול', 'ומ', 'שה', 'לה']

/** Minimum letters of a word without its prefix. In shorter words the first letter is often not a prefix. */
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
