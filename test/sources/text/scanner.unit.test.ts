import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TextWords } from '../../../src/sources/text/text-words.ts'
import { TokenCache } from '../../../src/sources/text/token-cache.ts'
import { anyText } from '../../support/any-text.ts'
import { times } from '../../support/full.ts'

/** What a word is, said as a regular expression; the scanner must find the same. */
const word =
  /(?<![\p{L}\p{N}])(?:G[-–—‐‑]d|L[-–—‐‑]rd)(?![\p{L}\p{N}])|[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:["'`׳״‘’“”„]+[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*['׳’]?/gu

const words = new TextWords()

const scanned = (text: string): readonly string[] => {
  words.read(text)
  return Array.from({ length: words.count }, (_, i) => text.slice(words.starts[i], words.ends[i]))
}

const telling = fc.constantFrom(
  ...['א', 'ב', 'ם', 'ּ', 'ָ', '־', '״', '"', "'", '׳', '’', ' ', '.', 'G', '-', 'd', 'L', 'rd', 'G-d', 'L–rd'],
  ...['a', 'Z', '7', 'é', 'e\u0301', '𝒳', '\ud83d', '\udc00', '😀', '\u{1e900}', '\u{e0100}', '\n'],
)

describe('TextWords', () => {
  it('finds what the regular expression finds, in texts of significant characters', () => {
    const texts = fc.array(telling, { maxLength: 40 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, (text) => {
        expect(scanned(text)).toEqual(text.match(word) ?? [])
      }),
      { numRuns: times(600, 3_000) },
    )
  })

  it('finds what the regular expression finds, in any text', () => {
    fc.assert(
      fc.property(anyText(60), (text) => {
        expect(scanned(text)).toEqual(text.match(word) ?? [])
      }),
    )
  })

  it('finds the words of a short text after a long one, and of a long one again', () => {
    for (const times of [3, 200_000, 5, 100_000])
      expect(scanned('אב c '.repeat(times))).toEqual(Array.from({ length: times }, () => ['אב', 'c']).flat())
  })

  it('keeps abbreviations and divine names whole', () => {
    expect(scanned('הקב"ה ורש״י אמר: G-d’s וגו\' כי־טוב')).toEqual([
      'הקב"ה',
      'ורש״י',
      'אמר',
      'G-d',
      's',
      "וגו'",
      'כי',
      'טוב',
    ])
  })
})

describe('TokenCache', () => {
  const read = <T>(cache: TokenCache<T>, text: string, make: (written: string) => T): T[] => {
    words.read(text)
    return Array.from({ length: words.count }, (_, i) => cache.of(text, words, i, make))
  }

  it('makes a word once, wherever it stands, and tells words apart', () => {
    const made: string[] = []
    const make = (written: string) => {
      made.push(written)
      return `<${written}>`
    }
    const cache = new TokenCache<string>(100)
    expect(read(cache, 'ab abc b ab', make)).toEqual(['<ab>', '<abc>', '<b>', '<ab>'])
    expect(made).toEqual(['ab', 'abc', 'b'])
  })

  it('gives each of many words its own, also after it was cleared', () => {
    const cache = new TokenCache<string>(1_500)
    for (let round = 0; round < 2; round += 1) {
      for (let i = 0; i < 4_000; i += 1) {
        expect(read(cache, `w${i}`, (written) => `${written}!`)).toEqual([`w${i}!`])
      }
    }
  })
})
