import { expect, test } from 'vitest'
import type { Origin } from '../../../src/sources/search/expansion/query.ts'
import {
  evidenceOf,
  evidenceParts,
  queryWords,
  toQueryConcept,
} from '../../../src/sources/search/relevance/relevance-floor.ts'
import { type FoundConcept, spellingWeight } from '../../../src/sources/search/scoring/index-reader.ts'

const facts = {
  en: { documents: 1_000, averageLength: 100 },
  he: { documents: 1_000, averageLength: 100 },
} as const

/** A concept of one word at a position; `documents` of the library have it. */
function word(
  term: string,
  position: number,
  { documents = 10, weight = 1, origin }: { documents?: number; weight?: number; origin?: Origin } = {},
): FoundConcept {
  const terms = new Map([[term, weight]])
  const origins = new Map(origin ? [[term, origin] as const] : [])
  return {
    concept: {
      ...{ script: 'en', terms, origins, respelled: [], rests: new Map(), inflected: [] },
      ...{ weight: 1, position, length: 1 },
    },
    ...{ terms, documents, postings: documents },
  }
}

type About = Partial<Parameters<typeof evidenceParts>[1]>

/** The evidence of a passage that has the `present` terms. */
function evidence(concepts: readonly FoundConcept[], present: readonly string[], about: About = {}): number {
  const asked = concepts.map((concept) => toQueryConcept(concept, facts))
  const words = queryWords(asked, new Set(present))
  return evidenceOf(evidenceParts(words, { everyday: new Set(), field: new Set(), titled: false, ...about }))
}

const question = ['heart', 'stone', 'prayer'].map((term, at) => word(term, at))

test('a passage is about a question if it has its words, and each further word adds evidence', () => {
  expect(evidence(question, ['river'])).toBeLessThan(0)
  const has = ['heart', 'stone', 'prayer']
  const [one = 0, two = 0, three = 0] = has.map((_, i) => evidence(question, has.slice(0, i + 1)))
  expect(two).toBeGreaterThan(one)
  expect(three).toBeGreaterThan(Math.max(two, 0))
})

test('words that the library lacks count against a passage', () => {
  const unknown = [...question, word('zeppelin', 3, { documents: 0 })]
  expect(evidence(unknown, ['heart', 'stone'])).toBeLessThan(evidence(question, ['heart', 'stone']))
})

test('one word of an everyday matter outweighs two words met', () => {
  const two = question.slice(0, 2)
  expect(evidence(two, ['heart', 'stone'])).toBeGreaterThan(0)
  const asked = [...two, word('laptop', 2, { documents: 0 })]
  expect(evidence(asked, ['heart', 'stone'], { everyday: new Set([2]) })).toBeLessThan(0)
})

test('an everyday word that the passage has does not count against it', () => {
  const asked = [...question, word('boot', 3)]
  const has = ['heart', 'stone', 'prayer', 'boot']
  expect(evidence(asked, has, { everyday: new Set([3]) })).toBe(evidence(asked, has))
})

test('a third word of everyday matters adds nothing', () => {
  const asked = ['a', 'b', 'c'].map((term, at) => word(term, at))
  const counting = (...at: readonly number[]): number => evidence(asked, [], { everyday: new Set(at) })
  expect(counting(0, 1)).toBeLessThan(counting(0))
  expect(counting(0, 1, 2)).toBe(counting(0, 1))
})

test('words of the field speak for an answer, a third one no more', () => {
  const counting = (...at: readonly number[]): number => evidence(question, ['heart'], { field: new Set(at) })
  expect(counting(0)).toBeGreaterThan(counting())
  expect(counting(0, 1, 2)).toBe(counting(0, 1))
})

test('a passage under the title that is asked for has more evidence', () => {
  expect(evidence(question, ['heart'], { titled: true })).toBeGreaterThan(evidence(question, ['heart']))
})

test('a name met counts more than a word, and an unknown one not against', () => {
  const name = word('en:besht', 0)
  expect(evidence([name], ['en:besht'])).toBeGreaterThan(evidence([word('besht', 0)], ['besht']))
  const missing = (term: string): number =>
    evidence([...question, word(term, 3, { documents: 0 })], ['heart'])
  expect(missing('en:nobody')).toBeGreaterThan(missing('nobody'))
})

test.each([
  ['vocabulary', 'synonyms'],
  ['lexicon', 'synonyms'],
] as const)('a word found through the %s is surer than through %s', (surer, weaker) => {
  const through = (origin: Origin): number => evidence([word('heart', 0, { origin })], ['heart'])
  expect(through(surer)).toBeGreaterThan(through(weaker))
})

test('another spelling counts almost as the word itself where no passage has the spelling of the question', () => {
  const own = word('אתכפיא', 0)
  const spelled = (terms: ReadonlyMap<string, number>): number =>
    evidence([{ ...own, concept: { ...own.concept, terms: new Map([['איתכפיא', 1]]) }, terms }], ['אתכפיא'])
  const alone = spelled(new Map([['אתכפיא', spellingWeight]]))
  expect(alone).toBeGreaterThan(0)
  expect(alone).toBeGreaterThan(spelled(new Map([['אתכפיא', spellingWeight]]).set('איתכפיא', 1)))
})

test('a question without content words gives no passage evidence', () => {
  expect(evidence([], ['heart'])).toBeLessThanOrEqual(0)
})
