import type { PassageRow } from '../library/passage-row.ts'
import type { Script } from '../text/tokens.ts'
import type { Query } from './expansion/query.ts'
import { passageTerms } from './phrases/passage-words.ts'
import type { RuleStep } from './ranking-rules.ts'
import type { StatsByScript } from './relevance/candidates.ts'
import type { EvidenceParts } from './relevance/relevance-floor.ts'
import { inverseFrequency } from './scoring/bm25.ts'
import type { FoundConcept } from './scoring/index-reader.ts'
import type { Signals } from './scoring/signals.ts'

/** A word or phrase of the query as the search looked for it in one script. */
export type ExplainedConcept = {
  /** As the query has it. */
  readonly word: string
  readonly script: Script
  /** The index terms of it that the passage has. */
  readonly found: readonly string[]
  /** Number of its index terms that the library has. */
  readonly terms: number
  /** Frequency of the concept in the library's texts. */
  readonly documents: number
  /** Weight of the concept in the ranking: its own times its inverse document frequency. */
  readonly weight: number
}

/** Why a hit has its rank, and what the relevance floor weighed. */
export type HitExplanation = {
  readonly terms: readonly ExplainedConcept[]
  readonly signals: Signals
  /** The rules that changed its rank or score, in order. */
  readonly rules: readonly RuleStep[]
  /** The parts of `coverage.evidence`. */
  readonly floor: EvidenceParts
}

/** Returns a function that lists the concepts of a query with the terms of each that a passage has. */
export function explainedConcepts(
  text: string,
  { tokens }: Query,
  concepts: readonly FoundConcept[],
  facts: StatsByScript,
): (row: PassageRow) => readonly ExplainedConcept[] {
  return (row) => {
    const present = passageTerms(row)
    return concepts.map(({ concept, terms, documents }) => {
      const { position, length, script, weight } = concept
      return {
        word: text.slice(tokens[position]?.start, tokens[position + length - 1]?.end),
        script,
        found: [...terms.keys()].filter((term) => present.has(term)),
        terms: terms.size,
        documents,
        weight: weight * inverseFrequency(documents, facts[script]),
      }
    })
  }
}

/** The explanation as lines for people: signals, rules, the relevance floor, and one line per concept. */
export function explanationLines({ terms, signals, rules, floor }: HitExplanation): readonly string[] {
  const { bm25, order, title, section, languages, ...others } = signals
  const marks = Object.entries(others).map(([name, value]) => (value === true ? name : `${name} ${value}`))
  const steps = rules.map(({ rule, rank, score }) => `${rule} #${rank} (${rounded(score)})`)
  return [
    `signals: ${sumOf({ bm25, order, title, section, languages })}${marks.map((mark) => `; ${mark}`).join('')}`,
    `rules: ${steps.join(' → ')}`,
    `relevance floor: ${sumOf(floor)}`,
    ...terms.map(lineOf),
  ]
}

function lineOf({ word, script, found, terms, documents, weight }: ExplainedConcept): string {
  const has = found.length > 0 ? found.join(', ') : 'not in this passage'
  return `"${word}" (${script}): ${has}; ${terms} terms in ${documents} texts, weight ${rounded(weight)}`
}

/** The parts that are not 0, and their sum. */
function sumOf(parts: Readonly<Record<string, number>>): string {
  const sum = Object.values(parts).reduce((all, part) => all + part, 0)
  const shown = Object.entries(parts).filter(([, part]) => part !== 0)
  return `${shown.map(([name, part]) => `${name} ${rounded(part)}`).join(' + ')} = ${rounded(sum)}`
}

function rounded(number: number): string {
  return String(Math.round(number * 1_000) / 1_000)
}
