import v8 from 'node:v8'
import vm from 'node:vm'
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

v8.setFlagsFromString('--expose-gc')
const collect = vm.runInNewContext('gc') as () => void

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
    for (const times of [3, 20_000, 5, 15_000])
      expect(scanned('אב c '.repeat(times))).toEqual(Array.from({ length: times }, () => ['אב', 'c']).flat())
  })

  it('keeps abbreviations and divine names whole', () => {
    const written = ['הקב"ה', 'ורש״י', 'אמר', 'G-d', 's', "וגו'", 'כי', 'טוב']
    expect(scanned('הקב"ה ורש״י אמר: G-d’s וגו\' כי־טוב')).toEqual(written)
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
      const all = Array.from({ length: 4_000 }, (_, i) => read(cache, `w${i}`, (written) => `${written}!`)[0])
      expect(all).toEqual(Array.from({ length: 4_000 }, (_, i) => `w${i}!`))
    }
  })

  it('remembers no word of more than 32 letters', () => {
    let made = 0
    const cache = new TokenCache<number>(100)
    const make = () => (made += 1)
    for (const letters of [32, 32, 33, 33]) read(cache, 'a'.repeat(letters), make)
    expect(made).toBe(3)
  })

  it('does not keep the texts in which its words stood', () => {
    const [texts, blanks] = [20, ' '.repeat(200_000)]
    const cache = new TokenCache<string>(100)
    const heapAfter = (round: string): number => {
      for (let n = 0; n < texts; n += 1) read(cache, `${round}transliteration${n} ${blanks}`, (word) => word)
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = heapAfter('first')
    expect(heapAfter('second') - before).toBeLessThan((texts * blanks.length) / 4)
  })
})
