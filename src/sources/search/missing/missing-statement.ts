import type { Executor } from '../../../db/client.ts'
import { hebrewNames } from '../../refs/in-text/hebrew-names.ts'
import { isFunctionWord, tokenize } from '../../text/tokens.ts'
import { isFiller } from '../expansion/fillers.ts'
import type { MissingPlace } from './missing-places.ts'

const english = {
  place: (name: string) => `"${name}" does not exist in this library`,
  page: (name: string) => `"${name}" does not exist in this library: its works are not divided by pages`,
  unheld: (name: string) => `"${name}" is not in this library: it does not hold that work`,
  unheld_work: (name: string) => `"${name}" is not in this library: it does not hold that work`,
  work: (name: string) => `"${name}" does not exist in this library: no work of that name is known here`,
  nearest: 'nearest',
  cited: 'passages here that cite it',
}

const hebrew: typeof english = {
  place: (name) => `„${name}” אינו קיים בספרייה זו`,
  page: (name) => `„${name}” אינו קיים בספרייה זו: החיבור אינו מחולק כאן לפי דפים`,
  unheld: (name) => `„${name}” אינו בספרייה זו: החיבור אינו נמצא בה`,
  unheld_work: (name) => `„${name}” אינו בספרייה זו: החיבור אינו נמצא בה`,
  work: (name) => `„${name}” אינו קיים בספרייה זו: אין כאן חיבור ידוע בשם זה`,
  nearest: 'הקרובים ביותר',
  cited: 'מקומות בספרייה המביאים אותו',
}

/** What refs are called in Hebrew: for a Hebrew statement. */
type Names = ReadonlyMap<string, string>

/**
 * Says of each missing place, in a line of its own, that it does not exist or is not here, and what comes nearest.
 * @param names what refs are called in the language; others are named as they are.
 */
export function missingStatement(
  missing: readonly MissingPlace[],
  language: 'en' | 'he',
  names: Names = new Map(),
): string {
  const say = language === 'he' ? hebrew : english
  const named = (refs: readonly string[]): string => refs.map((ref) => names.get(ref) ?? ref).join(' · ')
  return missing
    .map(({ written, kind, nearest, citedBy = [] }) => {
      const near = nearest.length === 0 ? '' : `; ${say.nearest}: ${named(nearest)}`
      const cited = citedBy.length === 0 ? '' : `; ${say.cited}: ${named(citedBy)}`
      return `${say[kind](written)}${near}${cited}.`
    })
    .join('\n\n')
}

/**
 * What the result of a search begins with when the query names what does not exist or is not here, in the language of the
 * query. `not_in_library` stands alone where passages of other works may answer all the same.
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

/** The Hebrew names of refs and titles for what is said in the language of a query: none for an English one. */
export async function namesFor(executor: Executor, query: string, refs: readonly string[]): Promise<Names> {
  return languageOf(query) === 'he' ? hebrewNames(executor, refs) : new Map()
}

function languageOf(text: string): 'en' | 'he' {
  return /[\u05d0-\u05ea]/.test(text) ? 'he' : 'en'
}

/** Whether a query asks for missing places by their names and for no subject beside them. */
export function asksOnlyFor(query: string, missing: readonly MissingPlace[]): boolean {
  const named = new Set(missing.flatMap(({ written }) => tokenize(written).map(({ term }) => term)))
  return tokenize(query).every(
    (token) => named.has(token.term) || isFunctionWord(token) || isFiller(token.term),
  )
}

/**
 * The result of a tool that was asked for one place or work by its name; its `kind` is not known then.
 * @throws database errors.
 */
export async function notThere(executor: Executor, name: string, nearest: readonly string[]) {
  const missing = [{ written: name, kind: 'place' as const, nearest }]
  const error = missingStatement(missing, languageOf(name), await namesFor(executor, name, nearest))
  return { content: JSON.stringify({ error, nearest }), isError: true }
}
