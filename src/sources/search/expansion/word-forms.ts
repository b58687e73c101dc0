import { basesOf, withoutPrefixes, withPrefixes } from '../../text/hebrew.ts'
import type { Token } from '../../text/tokens.ts'

/** The forms that a query word may have in a text. */
export type WordForms = {
  readonly forms: ReadonlySet<string>
  /** Forms that assume that the word begins with a prefix, each with the word without it. */
  readonly rests: ReadonlyMap<string, string>
}

/** Minimum letters of an abbreviation without its prefix: `בי"ט`. */
const shortestAbbreviation = 2

/**
 * Returns a Hebrew word with each prefix, and the same for the word without its own possible prefix. An English stem
 * has only one form.
 */
export function formsOf({
  term,
  script,
  abbreviated,
}: Pick<Token, 'term' | 'script' | 'abbreviated'>): WordForms {
  const forms = new Set([term])
  const rests = new Map<string, string>()
  if (script === 'en') return { forms, rests }
  for (const form of withPrefixes(term)) forms.add(form)
  const bases = abbreviated ? withoutPrefixes(term, shortestAbbreviation) : basesOf(term)
  for (const rest of bases.slice(1)) {
    for (const form of [rest, ...withPrefixes(rest)]) {
      if (!forms.has(form)) rests.set(form, rest)
      forms.add(form)
    }
  }
  return { forms, rests }
}
