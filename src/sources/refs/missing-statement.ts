import { isFiller } from '../search/fillers.ts'
import { isFunctionWord, tokenize } from '../tokens.ts'
import type { MissingPlace } from './missing-places.ts'

const english = {
  place: (name: string) => `"${name}" does not exist in this library`,
  page: (name: string) => `"${name}" does not exist in this library: its works are not divided by pages`,
  unheld: (name: string) => `"${name}" does not exist in this library: it does not hold that work`,
  work: (name: string) => `"${name}" does not exist in this library: no work of that name is known here`,
  nearest: 'nearest',
  cited: 'passages here that cite it',
}

const hebrew: typeof english = {
  place: (name) => `„${name}” אינו קיים בספרייה זו`,
  page: (name) => `„${name}” אינו קיים בספרייה זו: החיבור אינו מחולק כאן לפי דפים`,
  unheld: (name) => `„${name}” אינו קיים בספרייה זו: החיבור אינו נמצא בה`,
  work: (name) => `„${name}” אינו קיים בספרייה זו: אין כאן חיבור ידוע בשם זה`,
  nearest: 'הקרובים ביותר',
  cited: 'מקומות בספרייה המביאים אותו',
}

/** Says of each missing place, in a line of its own, that it does not exist, and what comes nearest. */
export function missingStatement(missing: readonly MissingPlace[], language: 'en' | 'he'): string {
  const say = language === 'he' ? hebrew : english
  return missing
    .map(({ written, kind, nearest, citedBy = [] }) => {
      const near = nearest.length === 0 ? '' : `; ${say.nearest}: ${nearest.join(' · ')}`
      const cited = citedBy.length === 0 ? '' : `; ${say.cited}: ${citedBy.join(' · ')}`
      return `${say[kind](written)}${near}${cited}.`
    })
    .join('\n\n')
}

/** What the result of a search begins with when the query names what does not exist, in the language of the query. */
export function missingResult(
  query: string,
  missing: readonly MissingPlace[],
): Readonly<Record<string, unknown>> {
  if (missing.length === 0) return {}
  return {
    does_not_exist: missingStatement(missing, languageOf(query)),
    begin_with:
      'Begin your answer with that. Passages behind it are other places: do not cite them as if they were that one.',
    missing,
    nearest: missing.flatMap(({ nearest }) => nearest),
  }
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

/** The result of a tool that was asked for one place or work by its name; its `kind` is not known then. */
export function notThere(name: string, nearest: readonly string[]) {
  const error = missingStatement([{ written: name, kind: 'place', nearest }], languageOf(name))
  return { content: JSON.stringify({ error, nearest }), isError: true }
}
