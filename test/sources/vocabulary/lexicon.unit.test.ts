import { describe, expect, it } from 'vitest'
import { documentTerms } from '../../../src/sources/index/terms.ts'
import { parseQuery } from '../../../src/sources/search/expansion/query.ts'
import { inflectionsOf } from '../../../src/sources/vocabulary/inflections.ts'
import { readLexicon } from '../../../src/sources/vocabulary/lexicon.ts'

/** The terms that a query asks for in Hebrew. */
function hebrewTerms(query: string): ReadonlySet<string> {
  const concepts = parseQuery(query).concepts.filter(({ script }) => script === 'he')
  return new Set(concepts.flatMap(({ terms }) => [...terms.keys()]))
}

/** Whether a query asks, in the other script, for something that stands in a text. */
function finds(query: string, text: string): boolean {
  const present = documentTerms(text).frequencies
  return parseQuery(query).concepts.some(({ terms }) => [...terms.keys()].some((term) => present.has(term)))
}

describe('the lexicon', () => {
  const entries = readLexicon()

  it('has each pair once', () => {
    const pairs = entries.flatMap(({ en, he }) =>
      en.flatMap((a) => he.map((b) => `${a.written.toLowerCase()} = ${b.written}`)),
    )
    const counts = Map.groupBy(pairs, (pair) => pair)
    expect([...counts].filter(([, same]) => same.length > 1).map(([pair]) => pair)).toEqual([])
  })

  it('has English on one side and Hebrew on the other, without blanks around them', () => {
    for (const { en, he } of entries) {
      for (const { written, terms } of en) {
        expect(written).toMatch(/^[a-z0-9][a-z0-9 '-]*$/i)
        expect(terms.length, written).toBeGreaterThan(0)
      }
      for (const { written, terms } of he) {
        expect(written).toMatch(/^[א-ת][א-ת "']*$/)
        expect(terms.length, written).toBeGreaterThan(0)
      }
    }
  })
})

describe('a query in one script', () => {
  it.each([
    ['garments', 'והלבושים האלו'],
    ['What are the garments of the soul?', 'שלשה לבושי הנפש'],
    ["the soul's three garments", 'ג׳ לבושים'],
    ['animal soul', 'בנפש הבהמית'],
    ['to subdue desire', 'בחי׳ אתכפיא'],
    ['reciting the Shema', 'בשעת ק״ש'],
    ['splitting of the Red Sea', 'קריעת ים סוף'],
    ['נפש הבהמית', 'the animal soul of every person'],
    ['מהו לבוש?', 'a garment of light'],
  ])('finds a text in the other: %s', (query, text) => {
    expect(finds(query, text)).toBe(true)
  })

  it('finds inflected forms of a translation', () => {
    expect([...hebrewTerms('thoughts')]).toEqual(expect.arrayContaining(['מחשבותיו', 'במחשבתו']))
  })

  it('has no translation of stop words and fillers', () => {
    expect([...hebrewTerms('What is the difference between these, and why does he say so?')]).toEqual([])
  })

  it('counts the meanings of one word as one concept', () => {
    const concepts = parseQuery('garment').concepts.filter(({ script }) => script === 'he')
    expect(concepts).toHaveLength(1)
    expect(concepts[0]?.terms.size).toBeGreaterThan(50)
  })

  it('names where each term of another word comes from', () => {
    const [own, foreign] = parseQuery('joy').concepts
    expect(own?.origins.get('joy')).toBeUndefined()
    expect(foreign?.origins.get('שמחה')).toBe('vocabulary')
    expect(foreign?.origins.get('ששונ')).toBe('lexicon')
  })
})

describe('inflectionsOf', () => {
  it('makes none of short words, whose forms would be other words', () => {
    expect(inflectionsOf('אש')).toEqual([])
  })

  it('makes plural, construct and possessive forms in medial letters', () => {
    expect(inflectionsOf('מחשבה')).toEqual(expect.arrayContaining(['מחשבת', 'מחשבות', 'מחשבתו']))
    expect(inflectionsOf('לבוש')).toEqual(expect.arrayContaining(['לבושימ', 'לבושי', 'לבושו']))
  })
})
