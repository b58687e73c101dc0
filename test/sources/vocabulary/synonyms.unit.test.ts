import { describe, expect, it } from 'vitest'
import { documentTerms } from '../../../src/sources/index/terms.ts'
import { parseQuery } from '../../../src/sources/search/expansion/query.ts'
import { readSynonyms } from '../../../src/sources/vocabulary/synonyms.ts'

/** What the occurrence of a concept counts that a query asks for and a text has; 0 if it has none. */
function weightIn(query: string, text: string): number {
  const present = documentTerms(text).frequencies
  const weights = parseQuery(query).concepts.flatMap(({ terms }) =>
    [...terms].filter(([term]) => present.has(term)).map(([, weight]) => weight),
  )
  return Math.max(0, ...weights)
}

describe('Hebrew synonyms', () => {
  const entries = readSynonyms()

  it('have Hebrew letters on both sides, and a word to look up in each form', () => {
    for (const form of entries.flatMap(({ newer, older }) => [...newer, ...older])) {
      expect(form.written).toMatch(/^[א-ת]["'א-ת]*(?: ["'א-ת]+)*$/)
      expect(form.terms.length, form.written).toBeGreaterThan(0)
    }
  })

  it('find the older word for a newer one, with prefixes on both sides', () => {
    expect(weightIn('איך יוצאים מהדכדוך', 'והעצבות היא')).toBeGreaterThan(0)
  })

  it('find an older phrase for a newer word', () => {
    expect(weightIn('מלנכוליה', 'היא המרה שחורה')).toBeGreaterThan(0)
  })

  it('count less than the word itself', () => {
    expect(weightIn('דכדוך', 'עצבות')).toBeLessThan(weightIn('עצבות', 'עצבות'))
  })

  it('never lead from the older word to the newer', () => {
    expect(weightIn('עצבות', 'דכדוך')).toBe(0)
  })

  it('are not asked of words in Latin letters', () => {
    expect(
      parseQuery('depression').concepts.every(({ origins }) => ![...origins.values()].includes('synonyms')),
    ).toBe(true)
  })
})
