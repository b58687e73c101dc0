import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { passageCount, splitPassages } from '../../../src/sources/importers/split-passages.ts'
import {
  blockSize,
  classLengths,
  lengthClass,
  packPosting,
  readPostings,
  withoutDocuments,
} from '../../../src/sources/index/postings.ts'
import { classifyLicense, mayImport } from '../../../src/sources/library/licenses.ts'
import { PassageWords } from '../../../src/sources/search/phrases/passage-words.ts'
import { snippetOf } from '../../../src/sources/search/relevance/snippet.ts'
import { type CollectionStats, mergeConcept, rankByBm25 } from '../../../src/sources/search/scoring/bm25.ts'

describe('postings', () => {
  it('are read as they were written, also from an odd place in a buffer', () => {
    const posting = fc.tuple(fc.nat(65_535), fc.integer({ min: 1, max: 255 }), fc.nat(127))
    fc.assert(
      fc.property(fc.array(posting), fc.nat(3), (rows, shift) => {
        const packed = rows.map(([doc, frequency, length]) => packPosting(doc, frequency, length))
        const bytes = Buffer.from(Uint32Array.from(packed).buffer)
        const moved = Buffer.concat([Buffer.alloc(shift), bytes]).subarray(shift)
        const read = [...readPostings(moved)].map((p) => [p & 0xffff, (p >>> 16) & 0xff, p >>> 24])
        expect(read).toEqual(rows)
      }),
    )
  })

  it('keep lengths within 2.5 %, up to 30,000 words', () => {
    for (let words = 1; words < 30_000; words += 7) {
      const kept = classLengths[lengthClass(words)] ?? 0
      expect(Math.abs(kept - words) / words).toBeLessThan(0.026)
    }
  })

  it('lose exactly the documents that are taken out', () => {
    const all = Uint32Array.from([1, 5, 6, 9].map((doc) => packPosting(doc, 1, 10)))
    expect([...withoutDocuments(all, 5, 6)].map((p) => p & 0xffff)).toEqual([1, 9])
  })
})

describe('rankByBm25', () => {
  const collection: CollectionStats = { documents: 1000, averageLength: 100 }
  const rows = (...docs: readonly (readonly [doc: number, frequency: number, length: number])[]) => {
    const blocks = Map.groupBy(docs, ([doc]) => Math.floor(doc / blockSize))
    return [...blocks].map(([block, inBlock]) => ({
      block,
      weight: 1,
      postings: Uint32Array.from(inBlock.map(([doc, f, l]) => packPosting(doc % blockSize, f, l))),
    }))
  }

  it('gives the textbook score', () => {
    const [best] = rankByBm25([mergeConcept(rows([7, 2, 80]), 1)], collection, 10)
    const idf = Math.log(1 + (1000 - 1 + 0.5) / 1.5)
    expect(best?.doc).toBe(7)
    expect(best?.score).toBeCloseTo((idf * 2 * 2.2) / (2 + 1.2 * (0.5 + 0.5 * 0.8)), 10)
  })

  it('scores variants of a word as one term: two forms once are worth one form twice', () => {
    const forms = mergeConcept([...rows([1, 1, 100]), ...rows([1, 1, 100])], 1)
    const twice = mergeConcept(rows([1, 2, 100]), 1)
    expect(rankByBm25([forms], collection, 1)).toEqual(rankByBm25([twice], collection, 1))
  })

  it('finds documents across blocks, puts equal ones in order of number, and forgets one query before the next', () => {
    const concept = mergeConcept(rows([3, 1, 50], [blockSize + 3, 1, 50], [blockSize * 2, 1, 50]), 1)
    const ranked = rankByBm25([concept], collection, 10).map((s) => s.doc)
    expect(ranked).toEqual([3, blockSize + 3, blockSize * 2])
    expect(rankByBm25([mergeConcept(rows([9, 1, 50]), 1)], collection, 10)).toHaveLength(1)
  })

  it('keeps to the ranges', () => {
    const concept = mergeConcept(rows([3, 9, 50], [8, 1, 50], [20, 5, 50]), 1)
    const docs = rankByBm25([concept], collection, 10, [
      [4, 10],
      [30, 40],
    ]).map((s) => s.doc)
    expect(docs).toEqual([8])
  })

  it('keeps the best of more documents than it may return', () => {
    const many = Array.from({ length: 5000 }, (_, i) => [i, 1 + (i % 7), 100] as const)
    const ranked = rankByBm25([mergeConcept(rows(...many), 1)], { ...collection, documents: 9000 }, 20)
    expect(ranked).toHaveLength(20)
    expect(ranked.every(({ doc }) => doc % 7 === 6)).toBe(true)
  })
})

describe('splitPassages', () => {
  const sentence = fc.array(fc.constantFrom('אמר', 'word', 'לו', 'more'), { minLength: 1, maxLength: 30 })
  const text = fc
    .array(sentence, { minLength: 1, maxLength: 60 })
    .map((s) => s.map((w) => `${w.join(' ')}.`).join(' '))

  it('loses and adds no word, and makes no more pieces than asked for', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 12 }), (whole, parts) => {
        const pieces = splitPassages(whole, parts)
        expect(pieces.join(' ').split(/\s+/)).toEqual(whole.split(/\s+/))
        expect(pieces.length).toBeLessThanOrEqual(parts)
      }),
    )
  })

  it('cuts at ends of sentences, into pieces of about 120 words', () => {
    const long = Array.from({ length: 60 }, () => `${'מילה '.repeat(9)}סוף.`).join(' ')
    const pieces = splitPassages(long, passageCount(long))
    expect(pieces).toHaveLength(5)
    for (const piece of pieces) expect(piece.endsWith('סוף.')).toBe(true)
  })

  it('cuts a text without any sentence between words', () => {
    const pieces = splitPassages('מילה '.repeat(600).trim(), 5)
    expect(pieces.map((p) => p.split(' ').length)).toEqual([120, 120, 120, 120, 120])
  })

  it('leaves a text of up to 180 words whole', () => {
    expect(passageCount('מילה '.repeat(180))).toBe(1)
  })
})

describe('snippetOf', () => {
  it('shows the stretch with the words that were asked for, at most 240 characters, whole words', () => {
    const text = `${'רקע '.repeat(200)}כאן האוצר הגנוז נמצא ${'סתם '.repeat(200)}`
    const snippet = snippetOf(text, new PassageWords(text), (term) =>
      term === 'האוצר' ? { key: 1, weight: 1 } : undefined,
    )
    expect(snippet).toContain('האוצר הגנוז')
    expect(snippet.length).toBeLessThanOrEqual(240)
    expect(snippet).toMatch(/^…(?:רקע|כאנ|כאן) .* סתם…$/)
  })

  it('leaves a short text as it is', () => {
    expect(snippetOf('קצר', new PassageWords('קצר'), () => undefined)).toBe('קצר')
  })
})

describe('licences', () => {
  it.each([
    ['Public Domain', 'open'],
    ['CC-BY', 'open'],
    ['own', 'own'],
    ['CC-BY-NC', 'cc-by-nc'],
    ['cc by-nc-sa 3.0', 'cc-by-nc'],
    ['CC-BY-ND', 'unknown'],
    ['', 'unknown'],
    ['CC0 1.0 Universal Public Domain Dedication', 'open'],
    ['Public Domain Mark 1.0', 'open'],
    ['CC\u2011BY\u2011SA', 'open'],
    ['Creative Commons Attribution-ShareAlike 3.0 Unported License', 'open'],
    ['Creative Commons Attribution-NonCommercial 4.0', 'cc-by-nc'],
    ['CC BY-NC-ND v4.0', 'cc-by-nc'],
    ['CC0 / CC-BY-NC', 'unknown'],
    ['CC-BY-NC; after 2030 ask the press', 'unknown'],
    ['Public Domain (Hebrew); translation © 2015 Press', 'unknown'],
    ['ownership disputed', 'unknown'],
  ])('%s is %s', (written, kind) => {
    expect(classifyLicense(written)).toBe(kind)
  })

  it('restricted ones need the operator’s word, each for itself', () => {
    expect(mayImport('CC-BY-NC', [])).toBe(false)
    expect(mayImport('CC-BY-NC', ['unknown'])).toBe(false)
    expect(mayImport('CC-BY-NC', ['cc-by-nc'])).toBe(true)
    expect(mayImport('own', [])).toBe(true)
  })
})
