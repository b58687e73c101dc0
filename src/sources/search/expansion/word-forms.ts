import { withoutPrefixes, withPrefixes } from '../../text/hebrew.ts'
import type { Token } from '../../text/tokens.ts'

/** The forms in which a word of a query may stand in a text. */
export type WordForms = {
  readonly forms: ReadonlySet<string>
  /** Of these the ones that suppose that the word begins with a prefix, each with what is left without it. */
  readonly rests: ReadonlyMap<string, string>
}

/** What is left of a numeral or another abbreviation without a prefix: `בי"ט`. */
const shortestAbbreviation = 2

/** A Hebrew word with each prefix, and the same for what it may be without one; an English stem is its only form. */
export function formsOf({
  term,
  script,
  abbreviated,
}: Pick<Token, 'term' | 'script' | 'abbreviated'>): WordForms {
  const forms = new Set([term])
  const rests = new Map<string, string>()
  if (script === 'en') return { forms, rests }
  for (const form of withPrefixes(term)) forms.add(form)
  for (const rest of withoutPrefixes(term, abbreviated ? shortestAbbreviation : undefined).slice(1)) {
    for (const form of [rest, ...withPrefixes(rest)]) {
      if (!forms.has(form)) rests.set(form, rest)
      forms.add(form)
    }
  }
  return { forms, rests }
}
