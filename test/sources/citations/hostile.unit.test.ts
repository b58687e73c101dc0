import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkCitations } from '../../../src/sources/citations/check.ts'
import { times } from '../../support/full.ts'
import { expectLinear } from '../../support/growth.ts'
import { offeredSource, quoteLibrary } from '../../support/quote-library.ts'

const river = 'The river does not hurry, said the miller, and yet “no stone has stopped it”.'
const pointed = 'אָמַר הַחָכָם: שָׁלוֹם רַב לְאֹהֲבֵי תוֹרָתֶךָ, וְהקב"ה שׁוֹמֵר עַל־הָעוֹלָם בְּכׇל־עֵת. וְהַצַּדִּיק יִשְׂמַח.'
const source = (mark: string, text: string) => offeredSource({ mark, ref: `Book ${mark}`, text })
const sources = [source('S1', river), source('S2', pointed), source('S3', '')]

async function check(text: string, cited = sources) {
  const checked = await checkCitations({
    text,
    cited: cited.map((entry, i) => ({ source: entry, n: i + 1 })),
    lookups: quoteLibrary([]),
  })
  return checked.sources.map(({ verification }) => verification)
}

const pieces = [
  ...[
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
    '*',
    '<b>',
    '😀',
    '\ud800',
    'ﬁ',
  ],
  'İ',
  ...['The river does', ' not hurry', 'שָׁלוֹם רַב', ' לאהבי ', 'וכו׳'],
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
    { numRuns: times(200, 2_000) },
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

describe('a hostile text is checked in proportion to its length:', () => {
  const words = (count: number) =>
    Array.from({ length: count }, (_, i) => `word${(i * 7919) % 1000}`).join(' ')
  const lost = (count: number) => Array.from({ length: count }, (_, i) => `"lost ${i} lost ${i} lost"`)
  const [short, long] = [words(100), words(12_000)]
  const changed = (text: string) => text.replace('word7 ', 'ward7 ')
  type Text = (size: number) => string
  it.each<[name: string, size: number, text: Text, passage: string, result: string]>([
    ['a quotation of 12,000 words', 12_000, (size) => `"${words(size)}" [S1]`, long, 'verbatim'],
    [
      'the same with one letter changed',
      12_000,
      (size) => `"${changed(words(size))}" [S1]`,
      long,
      'not_found',
    ],
    ['900 words with one letter changed', 900, (size) => `"${changed(words(size))}" [S1]`, long, 'fuzzy'],
    ['3,000 marked quotations', 3000, (size) => `${lost(size).join(' [S1] ')} [S1]`, short, 'not_found'],
    ['3,000 quotations and one mark', 3000, (size) => `${lost(size).join(' ')} [S1]`, short, 'not_found'],
    ['80 of a long passage', 80, (size) => `${lost(size).join(' [S1] ')} [S1]`, long, 'not_found'],
    ['100,000 brackets', 100_000, (size) => '['.repeat(size), long, 'paraphrase'],
    ['100,000 quotation marks', 33_000, (size) => '"“„'.repeat(size), long, 'paraphrase'],
    ['3,200 ellipses', 3200, (size) => `"${'word7 … '.repeat(size)}" [S1]`, long, 'not_found'],
    ['20,000 unclosed quotations', 5000, (size) => '"abc «abc ‘abc „abc '.repeat(size), long, 'paraphrase'],
    ['15,000 marks and prefixes', 15_000, (size) => 'ש"אב"ג '.repeat(size), long, 'paraphrase'],
  ])('%s', async (_, size, text, passage, result) => {
    const cited = [source('S1', passage)]
    let last: string | undefined
    const work = async (written: string) => {
      last = (await check(written, cited))[0]?.[0]?.result
    }
    await expectLinear(text, work, size)
    expect(last).toBe(result)
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
