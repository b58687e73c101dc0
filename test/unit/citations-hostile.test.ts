import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OfferedSource } from '../../src/agent/tools.ts'
import { checkCitations } from '../../src/sources/citations/check.ts'
import { quoteLibrary } from '../support/quote-library.ts'

const river = 'The river does not hurry, said the miller, and yet “no stone has stopped it”.'
const pointed = 'אָמַר הַחָכָם: שָׁלוֹם רַב לְאֹהֲבֵי תוֹרָתֶךָ, וְהקב"ה שׁוֹמֵר עַל־הָעוֹלָם בְּכׇל־עֵת. וְהַצַּדִּיק יִשְׂמַח.'
const sources = [source('S1', river), source('S2', pointed), source('S3', '')]

function source(mark: string, text: string): OfferedSource {
  const names = {
    ref: `Book ${mark}`,
    heRef: '',
    title: 'Book',
    work: 'Book',
    version: '',
    license: '',
    url: '',
  }
  return { ...names, mark, text, language: 'en' }
}

async function check(text: string, cited = sources) {
  const checked = await checkCitations({
    text,
    cited: cited.map((entry, i) => ({ source: entry, n: i + 1 })),
    lookups: quoteLibrary([]),
  })
  return checked.sources.map(({ verification }) => verification)
}

const pieces = [
  '"',
  '“',
  '”',
  '„',
  '>',
  '\n',
  ' ',
  '[S1]',
  '[S2, S3',
  ']',
  '…',
  '[x]',
  'The river does',
  ' not hurry',
  'שָׁלוֹם רַב',
  ' לאהבי ',
  'וכו׳',
  '*',
  '<b>',
  '😀',
  '\ud800',
  'ﬁ',
  'İ',
]

it('no text makes it throw, and original is what stands between start and end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), async (parts) => {
      for (const [i, checks] of (await check(parts.join(''))).entries()) {
        for (const { original, start, end } of checks) {
          if (original === undefined || start === undefined || original.includes(' … ')) continue
          expect(sources[i]?.text.slice(start, end)).toBe(original)
        }
      }
    }),
    { numRuns: 2000 },
  )
})

it('any contiguous words of a passage are verbatim, with their own characters', async () => {
  const words = [...pointed.matchAll(/[^\s־]+/g)]
  await fc.assert(
    fc.asyncProperty(fc.nat(words.length - 1), fc.nat(words.length), async (from, count) => {
      const first = words[from]
      const last = words[Math.min(from + count, words.length - 1)]
      const quote = pointed.slice(first?.index, (last?.index ?? 0) + (last?.[0].length ?? 0))
      const entry = (await check(`„${quote}” [S2]`))[1]?.[0]
      if (entry?.result === 'paraphrase') return
      expect(entry).toMatchObject({ result: 'verbatim', original: quote.replace(/[.,:]$/, '') })
    }),
  )
})

describe('hostile texts take linear time', () => {
  const long = Array.from({ length: 12_000 }, (_, i) => `word${(i * 7919) % 1000}`).join(' ')
  const lost = Array.from({ length: 6000 }, (_, i) => `"lost ${i} lost ${i} lost"`)
  it.each([
    ['a quotation of 100,000 letters', `"${long}" [S1]`, 'verbatim'],
    [
      'the same with one letter changed, which is too long for near wording',
      `"${long.replace('word7 ', 'ward7 ')}" [S1]`,
      'not_found',
    ],
    ['8,000 letters with one changed', `"${long.slice(0, 8000).replace('word7 ', 'ward7 ')}" [S1]`, 'fuzzy'],
    ['6,000 quotations that are nowhere', `${lost.join(' [S1] ')} [S1]`, 'not_found'],
    ['6,000 quotations and one mark', `${lost.join(' ')} [S1]`, 'not_found'],
    ['100,000 brackets', '['.repeat(100_000), 'paraphrase'],
    ['100,000 quotation marks', '"“„'.repeat(33_000), 'paraphrase'],
    ['ellipses', `"${'word7 … '.repeat(12_000)}" [S1]`, 'not_found'],
    ['opened and never closed', '"abc «abc ‘abc „abc '.repeat(5000), 'paraphrase'],
    ['marks and prefixes', 'ש"אב"ג '.repeat(15_000), 'paraphrase'],
  ])('%s', async (_, text, result) => {
    const began = performance.now()
    const [checks] = await check(text, [source('S1', long)])
    expect(performance.now() - began).toBeLessThan(4000)
    expect(checks?.[0]?.result).toBe(result)
  })
})

it('tags in a passage do not count, and the original has them', async () => {
  const [checks] = await check('"The river does not hurry<br>at all" [S1]', [
    source('S1', 'So: <b>T</b>he <i class="x">river</i> does not hurry<br>at all.'),
  ])
  expect(checks?.[0]).toMatchObject({
    result: 'verbatim',
    original: 'T</b>he <i class="x">river</i> does not hurry<br>at all',
  })
})
