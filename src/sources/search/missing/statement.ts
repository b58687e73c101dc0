import type { Executor } from '../../../db/client.ts'
import type { AtPublisher } from '../../library/publisher.ts'
import { hebrewNames } from '../../refs/hebrew-names.ts'
import { isStopWord, tokenize } from '../../text/tokens.ts'
import { isFiller } from '../expansion/fillers.ts'
import { isOfUnheldWork, type MissingPlace } from './places.ts'

const english = {
  place: (name: string) => `"${name}" does not exist in this library`,
  page: (name: string) => `"${name}" does not exist in this library: its works are not divided by pages`,
  unheld: (name: string) => `"${name}" is not in this library: it does not hold that work`,
  unheld_work: (name: string) => `"${name}" is not in this library: it does not hold that work`,
  work: (name: string) => `"${name}" does not exist in this library: no work of that name is known here`,
  linked: (name: string, { url, license }: AtPublisher) =>
    `"${name}" is not in this library. Its publisher has it, under the licence ${license}: ${url}`,
  article: 'It has an article about it',
  nearest: 'nearest',
  cited: 'passages here that cite it',
}

const hebrew: typeof english = {
  place: (name) => `„${name}” אינו קיים בספרייה זו`,
  page: (name) => `„${name}” אינו קיים בספרייה זו: החיבור אינו מחולק כאן לפי דפים`,
  unheld: (name) => `„${name}” אינו בספרייה זו: החיבור אינו נמצא בה`,
  unheld_work: (name) => `„${name}” אינו בספרייה זו: החיבור אינו נמצא בה`,
  work: (name) => `„${name}” אינו קיים בספרייה זו: אין כאן חיבור ידוע בשם זה`,
  linked: (name, { url, license }) =>
    `„${name}” אינו בספרייה זו. הוא נמצא אצל המוציא לאור, ברישיון ${license}: ${url}`,
  article: 'יש בה ערך עליו',
  nearest: 'הקרובים ביותר',
  cited: 'מקומות בספרייה המביאים אותו',
}

/** Hebrew names of refs, for a statement in Hebrew. */
type Names = ReadonlyMap<string, string>

/**
 * Writes one line per missing place: that it does not exist or that the library does not have it, the article about
 * it, and the nearest refs.
 * @param names names of refs in the language. Other refs are written as they are.
 */
export function missingStatement(
  missing: readonly MissingPlace[],
  language: 'en' | 'he',
  names: Names = new Map(),
): string {
  const say = language === 'he' ? hebrew : english
  const named = (refs: readonly string[]): string => refs.map((ref) => names.get(ref) ?? ref).join(' · ')
  return missing
    .map(({ written, kind, nearest, citedBy = [], article, publisher }) => {
      // Nothing follows the address, because readers copy it to the end of the line.
      if (publisher) return say.linked(written, publisher)
      const near = nearest.length === 0 ? '' : `; ${say.nearest}: ${named(nearest)}`
      const cited = citedBy.length === 0 ? '' : `; ${say.cited}: ${named(citedBy)}`
      const about = article === undefined ? '' : `. ${say.article}: ${named([article])}`
      return `${say[kind](written)}${about}${near}${cited}.`
    })
    .join('\n\n')
}

/**
 * Writes the beginning of a tool result for a query that names something missing, in the language of the query.
 * `not_in_library` alone means that passages of other works may still answer the question.
 */
export function missingResult(
  query: string,
  missing: readonly MissingPlace[],
  names: Names = new Map(),
): Readonly<Record<string, unknown>> {
  if (missing.length === 0) return {}
  const statement = missingStatement(missing, languageOf(query), names)
  const members = { missing, nearest: missing.flatMap(({ nearest }) => nearest) }
  if (missing.every(({ kind }) => kind === 'unheld_work'))
    return {
      not_in_library: statement,
      begin_with:
        'Begin your answer with that. The passages are of other works: do not cite them as that work.',
      ...members,
    }
  return {
    does_not_exist: statement,
    begin_with:
      'Begin your answer with that. Passages behind it are other places: do not cite them as if they were that one.',
    ...members,
  }
}

/** Reads the Hebrew names of refs and titles if the query is Hebrew. Empty for an English query. */
export async function namesFor(executor: Executor, query: string, refs: readonly string[]): Promise<Names> {
  return languageOf(query) === 'he' ? hebrewNames(executor, refs) : new Map()
}

/** The language of most words. One Hebrew title does not make an English question Hebrew. */
function languageOf(text: string): 'en' | 'he' {
  const words = text.match(/\p{L}+(?:["'’׳״-]\p{L}+)*/gu) ?? []
  const hebrew = words.filter((word) => /[\u05d0-\u05ea]/.test(word)).length
  return hebrew > 0 && hebrew * 2 >= words.length ? 'he' : 'en'
}

/** Whether a query consists of missing places only, without another subject. */
export function asksOnlyFor(query: string, missing: readonly MissingPlace[]): boolean {
  const named = new Set(missing.flatMap(({ written }) => tokenize(written).map(({ term }) => term)))
  return tokenize(query).every((token) => named.has(token.term) || isStopWord(token) || isFiller(token.term))
}

/**
 * The result of a tool that was called with one missing place or work.
 * @throws database errors.
 */
export async function refNotFound(
  executor: Executor,
  name: string,
  { nearest, publisher }: Pick<MissingPlace, 'nearest' | 'publisher'>,
) {
  const kind = (await isOfUnheldWork(executor, name)) ? ('unheld' as const) : ('place' as const)
  const missing = [{ written: name, kind, nearest, ...(publisher && { publisher }) }]
  const error = missingStatement(missing, languageOf(name), await namesFor(executor, name, nearest))
  return { content: JSON.stringify({ error, nearest, ...(publisher && { publisher }) }), isError: true }
}
