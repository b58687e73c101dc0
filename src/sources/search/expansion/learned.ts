import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { withoutPrefixes, withPrefixes } from '../../text/hebrew.ts'
import { isStopWord, otherScript, type Script, type Token } from '../../text/tokens.ts'
import { isInPhrase } from './phrases.ts'
import type { Concept, Query } from './query.ts'

/** Weight of a learned word; the word of the query itself has 1. */
const learnedWeight = 0.5

/** Maximum number of query words that are looked up. */
const maxWords = 500

type Learned = { readonly other: string; readonly strength: number }

/** Learned words of the other script, strongest first, by the term of the query. */
export type LearnedWords = ReadonlyMap<string, readonly Learned[]>

/** Reads the learned words for the words of a query, from one small table. */
export async function learnedWords(executor: Executor, { tokens }: Query): Promise<LearnedWords> {
  const contentWords = tokens.filter((token) => !isStopWord(token)).slice(0, maxWords)
  const terms = [...new Set(contentWords.flatMap(basesOf))]
  return terms.length === 0 ? new Map() : partnersOf(executor, terms)
}

/** Adds learned words of the other script to the query words for which the vocabulary and the lexicon have none. */
export function withLearned(query: Query, learned: LearnedWords): Query {
  if (learned.size === 0) return query
  const added = [...untranslated(query)].flatMap(([position, token]) => {
    const partners = basesOf(token).flatMap((base) => learned.get(base) ?? [])
    return partners.length === 0 ? [] : [learnedConcept(token.script, position, partners)]
  })
  return { ...query, concepts: [...query.concepts, ...added].sort((a, b) => a.position - b.position) }
}

/** The query words, by position, that have concepts only in their own script. Quoted words are left out. */
function untranslated({ concepts, tokens, quoted }: Query): ReadonlyMap<number, Token> {
  const translated = new Set(tokens.keys().filter((at) => isInPhrase(quoted, at)))
  for (const { script, position, length } of concepts) {
    for (let at = position; at < position + length; at += 1) {
      if (script !== tokens[at]?.script) translated.add(at)
    }
  }
  const own = concepts.filter(({ position, script }) => script === tokens[position]?.script)
  return new Map(
    own.flatMap(({ position }) => {
      const token = tokens[position]
      return token && !translated.has(position) && !isStopWord(token) ? [[position, token] as const] : []
    }),
  )
}

function basesOf({ term, script }: Token): readonly string[] {
  return script === 'he' ? withoutPrefixes(term) : [term]
}

async function partnersOf(executor: Executor, terms: readonly string[]): Promise<LearnedWords> {
  const found = await executor.execute<Learned & { term: string }>(sql`
    select term, other, strength from search_associations where term = any(${sql.param(terms)}::text[])
    order by strength desc, other`)
  return Map.groupBy(found.rows, (row) => row.term)
}

function learnedConcept(from: Script, position: number, partners: readonly Learned[]): Concept {
  const script = otherScript(from)
  const terms = new Map<string, number>()
  for (const { other, strength } of partners) {
    for (const form of script === 'he' ? [other, ...withPrefixes(other)] : [other]) {
      terms.set(form, Math.max(strength / 1_000, terms.get(form) ?? 0))
    }
  }
  const origins = new Map([...terms.keys()].map((term) => [term, 'learned'] as const))
  return {
    script,
    terms,
    origins,
    respelled: [],
    rests: new Map(),
    inflected: [],
    weight: learnedWeight,
    position,
    length: 1,
  }
}
