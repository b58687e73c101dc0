import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { withoutPrefixes, withPrefixes } from '../../text/hebrew.ts'
import { isFunctionWord, otherScript, type Script, type Token } from '../../text/tokens.ts'
import { isWithin } from './phrases.ts'
import type { Concept, Query } from './query.ts'

/** What finding a word is worth that was only seen beside the word of the query, beside 1 for the word itself. */
const learnedWeight = 0.5

/** Words of a query that are looked up: of a pasted text the first. */
const maxWords = 500

type Learned = { readonly other: string; readonly strength: number }

/** What stands beside words in the other script, by their terms, the strongest first. */
export type LearnedWords = ReadonlyMap<string, readonly Learned[]>

/** What the library's parallel texts have beside the words of a query. Reads one small table. */
export async function learnedWords(executor: Executor, { tokens }: Query): Promise<LearnedWords> {
  const telling = tokens.filter((token) => !isFunctionWord(token)).slice(0, maxWords)
  const terms = [...new Set(telling.flatMap(basesOf))]
  return terms.length === 0 ? new Map() : partnersOf(executor, terms)
}

/**
 * A query with the words of the other script that were learned to belong to its own, where neither the vocabulary nor
 * the lexicon knows any.
 */
export function withLearned(query: Query, learned: LearnedWords): Query {
  if (learned.size === 0) return query
  const added = [...untranslated(query)].flatMap(([position, token]) => {
    const partners = basesOf(token).flatMap((base) => learned.get(base) ?? [])
    return partners.length === 0 ? [] : [learnedConcept(token.script, position, partners)]
  })
  return { ...query, concepts: [...query.concepts, ...added].sort((a, b) => a.position - b.position) }
}

/** The words of a query, by position, that have concepts in their own script only; quoted words want no other. */
function untranslated({ concepts, tokens, quoted }: Query): ReadonlyMap<number, Token> {
  const translated = new Set(tokens.keys().filter((at) => isWithin(quoted, at)))
  for (const { script, position, length } of concepts) {
    for (let at = position; at < position + length; at += 1) {
      if (script !== tokens[at]?.script) translated.add(at)
    }
  }
  const own = concepts.filter(({ position, script }) => script === tokens[position]?.script)
  return new Map(
    own.flatMap(({ position }) => {
      const token = tokens[position]
      return token && !translated.has(position) && !isFunctionWord(token) ? [[position, token] as const] : []
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
