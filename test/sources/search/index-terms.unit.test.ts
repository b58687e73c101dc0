import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type IndexTerms, indexTermsOf } from '../../../src/sources/index/index-terms.ts'
import { packPosting } from '../../../src/sources/index/postings.ts'
import { sendTerms, TermReceiver } from '../../../src/sources/index/sent-terms.ts'
import { bucketOf, PairBuckets } from '../../../src/sources/index/spelling-pairs.ts'
import { orderOf } from '../../../src/sources/index/term-order.ts'
import { documentTerms } from '../../../src/sources/index/terms.ts'
import { record, WordTable } from '../../../src/sources/text/word-table.ts'
import { times } from '../../support/full.ts'
import { randomFrom } from '../../support/random.ts'

/** The postings of each text by term. */
function byText({ terms, numbers, postings, counts }: IndexTerms): ReadonlyMap<string, number>[] {
  let at = 0
  return [...counts].map((count) => {
    const own = new Map<string, number>()
    for (const end = at + count; at < end; at += 1) own.set(terms[numbers[at] ?? -1] ?? '', postings[at] ?? 0)
    return own
  })
}

/** What `documentTerms` finds, one text at a time and with a map of strings. */
function reference(text: string, headings: readonly string[]): ReadonlyMap<string, number> {
  const { frequencies, length } = documentTerms(text, headings)
  return new Map([...frequencies].map(([term, frequency]) => [term, packPosting(0, frequency, length)]))
}

/** Words that begin or continue names, phrases and abbreviations, between others, in all their ways of writing. */
const pieces = [
  ...['the', 'of', 'Baal', 'Shem', 'Tov', 'garments', 'soul', 'garments of the soul', 'Ein Sof'],
  'tree of life',
  ...['G-d', 'G—d', 'G', 'L-rd', 'rabbi’s', "don't", 'naïve', 'ṣaddiq', '3:4', 'A1', '𝔸𝔹', '\ud800', 'ﬁn'],
  ...['הבעל', 'שם', 'טוב', 'בעש"ט', 'הבעש״ט', 'אדמו"ר', 'הזקן', 'עץ', 'חיים', 'ועץ החיים', "הנז'", 'וגו׳'],
  ...['אֱלֹהִים', 'א-להים', 'י-ה-ו-ה', 'כִּי־טוֹב', 'של', 'על', 'נפש', 'האלהית', 'אור', 'אין סוף', 'ב"ה', "ה'"],
]

const word = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...pieces) },
  fc.string({ unit: 'grapheme', maxLength: 6 }),
)
const joint = fc.constantFrom(' ', ' ', ' ', ', ', '-', '־', '\n', '')
const text = fc.array(fc.tuple(word, joint), { maxLength: 30 }).map((parts) => parts.flat().join(''))
const texts = fc.array(text, { minLength: 1, maxLength: 5 })

describe('the terms of texts', () => {
  it('are those that the plain reference finds, with frequencies and lengths', () => {
    const headings = ['Garments of the Soul', 'אור אין סוף']
    fc.assert(
      fc.property(texts, (all) => {
        const found = byText(indexTermsOf(all.map((text) => ({ text, headings }))))
        expect(found).toEqual(all.map((text) => reference(text, headings)))
      }),
      { numRuns: times(100, 500) },
    )
  })

  it('stay the same when threads send only the terms that are new', () => {
    const receiver = new TermReceiver()
    fc.assert(
      fc.property(texts, (all) => {
        const terms = indexTermsOf(all.map((text) => ({ text, headings: [] })))
        const received = receiver.receive(structuredClone(sendTerms(terms)))
        expect(byText(received)).toEqual(byText(terms))
      }),
    )
  })

  it('are refused when some of a thread were lost on the way', () => {
    const receiver = new TermReceiver()
    sendTerms(indexTermsOf([{ text: 'lost', headings: [] }]))
    const next = sendTerms(indexTermsOf([{ text: 'later', headings: [] }]))
    expect(() => receiver.receive(next)).toThrow(/were lost/)
  })
})

describe('WordTable', () => {
  it('gives each of many words its own number, and the same one again', () => {
    const table = new WordTable()
    const added: string[] = []
    for (let round = 0; round < 2; round += 1) {
      for (let i = 0; i < 20_000; i += 50) {
        const words = Array.from({ length: 50 }, (_, k) => `w${i + k}`)
        const add = (word: string, at: number) => {
          table.records[at + record.value] = added.push(word) - 1
        }
        expect(table.read(words.join(' '), add)).toBe(50)
        const numbers = [...table.words.subarray(0, 50)].map((at) => table.records[at + record.value])
        expect(numbers).toEqual(words.map((_, k) => i + k))
      }
    }
    expect(added).toEqual(Array.from({ length: 20_000 }, (_, i) => `w${i}`))
  })
})

it('every pair is in the row of its bucket, in the order of the calls, also a very long one', () => {
  const pairs = Array.from({ length: 40_000 }, (_, i) => [`~מילה${i % 7_000}`, `term${i}`] as const)
  pairs.splice(20_000, 0, ['~long', 'א'.repeat(200_000)] as never)
  const expected = new Map<number, string>()
  const collected = new PairBuckets()
  for (const [name, term] of pairs) {
    collected.add(name, term)
    const bucket = bucketOf(name)
    expected.set(bucket, `${expected.get(bucket) ?? ''}${name}\t${term}\n`)
  }
  const rows = collected.rows()
  expect(rows.map(({ bucket }) => bucket)).toEqual([...expected.keys()].sort((a, b) => a - b))
  for (const { bucket, pairs } of rows) expect(pairs.toString()).toBe(expected.get(bucket))
})

it('terms are in the order of their UTF-16 units, whatever letters they have', () => {
  const random = randomFrom(7)
  const letters = [...'abאבת~:', '\u07fd', '\u07fe', '\u07ff', '語', '\ud835', '\udd18']
  const terms = Array.from({ length: 5_000 }, () =>
    Array.from(
      { length: Math.floor(random() * 7) },
      () => letters[Math.floor(random() * letters.length)],
    ).join(''),
  )
  const sorted = [...orderOf(terms)].map((at) => terms[at])
  expect(sorted).toEqual(terms.toSorted())
  expect(new Set(orderOf(terms)).size).toBe(terms.length)
})
