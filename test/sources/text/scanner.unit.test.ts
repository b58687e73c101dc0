import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TokenCache } from '../../../src/sources/text/token-cache.ts'
import { scanHashedWords, scanWords } from '../../../src/sources/text/word-scanner.ts'

/** What a word is, said as a regular expression; the scanner must find the same. */
const word =
  /(?<![\p{L}\p{N}])(?:G[-–—‐‑]d|L[-–—‐‑]rd)(?![\p{L}\p{N}])|[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:["'`׳״‘’“”„]+[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*['׳’]?/gu

const scanned = (text: string): readonly string[] => {
  const words: string[] = []
  scanWords(text, (start, end) => words.push(text.slice(start, end)))
  return words
}

const telling = fc.constantFrom(
  ...['א', 'ב', 'ם', 'ּ', 'ָ', '־', '״', '"', "'", '׳', '’', ' ', '.', 'G', '-', 'd', 'L', 'rd', 'G-d', 'L–rd'],
  ...['a', 'Z', '7', 'é', 'e\u0301', '𝒳', '\ud83d', '\udc00', '😀', '\u{1e900}', '\u{e0100}', '\n'],
)

describe('findWords', () => {
  it('finds what the regular expression finds, in texts of significant characters', () => {
    const texts = fc.array(telling, { maxLength: 40 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, (text) => {
        expect(scanned(text)).toEqual(text.match(word) ?? [])
      }),
      { numRuns: 3_000 },
    )
  })

  it('finds what the regular expression finds, in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        expect(scanned(text)).toEqual(text.match(word) ?? [])
      }),
    )
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
    const found: T[] = []
    scanHashedWords(text, (start, end, hash) => found.push(cache.of(text, start, end, hash, make)))
    return found
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
