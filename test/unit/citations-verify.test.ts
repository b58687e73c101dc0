import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Passage } from '../../src/sources/citations/checker.ts'
import { verifyText } from '../../src/sources/citations/verify.ts'
import { fold } from '../../src/sources/fold.ts'

const library: readonly Passage[] = [
  { ref: 'Book of Rivers, Part I; Gate 3:4', text: 'The river does not hurry, and no stone has stopped it.' },
  { ref: 'Book of Rivers, Part I; Gate 3:4', text: 'הַנָּהָר אֵינוֹ מְמַהֵר, וְשׁוּם אֶבֶן לֹא עָצְרָה אוֹתוֹ.' },
  { ref: 'Book of Columns 2c:1', text: 'Four columns stand on every leaf.' },
  { ref: 'Sayings 54', text: 'Every hill stands still and waits for the evening wind.' },
]

function lookups() {
  const asked = { refs: [] as string[], words: [] as string[], read: [] as string[] }
  return {
    asked,
    findVerbatim: async (folded: string) => {
      asked.words.push(folded)
      return library.find((passage) => ` ${fold(passage.text).folded} `.includes(` ${folded} `))
    },
    resolveRef: async (ref: string) => {
      asked.refs.push(ref)
      const heading = ref.replace(/[\d:\sa-d-]+$/, '')
      return {
        exists: library.some((passage) => passage.ref === ref),
        nearest: library.map((passage) => passage.ref).filter((known) => known.startsWith(heading)),
      }
    },
    passages: async (ref: string) => {
      asked.read.push(ref)
      return library.filter((passage) => passage.ref === ref)
    },
  }
}

describe('refs written in plain text', () => {
  it.each([
    ['See Book of Rivers, Part I; Gate 3:4.', [['Book of Rivers, Part I; Gate 3:4', true, null]]],
    ['As the Sayings 54 have it', [['Sayings 54', true, null]]],
    [
      '(Sayings 54; Sayings 55)',
      [
        ['Sayings 54', true, null],
        ['Sayings 55', false, 'Sayings 54'],
      ],
    ],
    ['So Book of Rivers, Part I; Gate 3:4–6 says', [['Book of Rivers, Part I; Gate 3:4-6', true, null]]],
    [
      'Book of Rivers, Part I; Gate 9:9',
      [['Book of Rivers, Part I; Gate 9:9', false, 'Book of Rivers, Part I; Gate 3:4']],
    ],
    ['In Sefer HaChalom 3:4 it is told', [['Sefer HaChalom 3:4', false, null]]],
    ['Compare Imaginary Tractate 5a', [['Imaginary Tractate 5a', false, null]]],
    ['In Book of Columns 2c:1 we read', [['Book of Columns 2c:1', true, null]]],
    ['So Book of Columns 2c:1-2d:4 has it', [['Book of Columns 2c:1-2d:4', true, null]]],
    ['So Book of Columns 2d-3a has it', [['Book of Columns 2d-3a', false, 'Book of Columns 2c:1']]],
    ['See Book of Volumes 1:15a', [['Book of Volumes 1:15a', false, null]]],
    ['Sayings 54 and again Sayings 54', [['Sayings 54', true, null]]],
  ])('%s', async (text, refs) => {
    const found = await verifyText(text, lookups())
    expect(found.refs).toEqual(refs.map(([ref, exists, nearest]) => ({ ref, exists, nearest })))
  })

  it.each([
    'In Chapter 5 on June 4 at 10:30 we were in Room 54 of Hotel 7.',
    'By Monday 10:30 all of the 613 were there, version 2.0, page 12:3.',
    'The Year 1796. In 1796 he was 54.',
  ])('are not seen in: %s', async (text) => {
    expect((await verifyText(text, lookups())).refs).toEqual([])
  })

  it('are joined by those asked for', async () => {
    const found = await verifyText('Nothing.', { ...lookups(), refs: ['Sayings 54', 'Sayings 99'] })
    expect(found.refs).toEqual([
      { ref: 'Sayings 54', exists: true, nearest: null },
      { ref: 'Sayings 99', exists: false, nearest: 'Sayings 54' },
    ])
  })

  it('cost at most 300 look-ups', async () => {
    const { asked, ...rest } = lookups()
    await verifyText(Array.from({ length: 2000 }, (_, i) => `Sayings ${i + 100}. `).join(''), rest)
    expect(asked.refs.length).toBe(300)
  })
})

describe('a quotation is compared with', () => {
  it('the nearest ref of its paragraph, in any of its versions', async () => {
    const text =
      'Sayings 54 differs. Book of Rivers, Part I; Gate 3:4 says "the river does not hurry" and „שום אבן לא עצרה אותו”.\n\nSayings 54: "the evening wind waits"'
    const { quotes } = await verifyText(text, lookups())
    expect(quotes).toMatchObject([
      {
        result: 'verbatim',
        original: 'The river does not hurry',
        ref: 'Book of Rivers, Part I; Gate 3:4',
        start: 0,
      },
      { result: 'verbatim', original: 'שׁוּם אֶבֶן לֹא עָצְרָה אוֹתוֹ', ref: 'Book of Rivers, Part I; Gate 3:4' },
      { result: 'not_found', ref: 'Sayings 54' },
    ])
  })

  it('the ref of its sentence rather than a nearer one', async () => {
    const text =
      'Book of Rivers, Part I; Gate 3:4 has it that "the river does not hurry". Sayings 54 is older.'
    expect((await verifyText(text, lookups())).quotes).toMatchObject([{ result: 'verbatim' }])
  })

  it('the mark beside it, if that was offered', async () => {
    const offered = {
      mark: 'S1',
      ref: 'File 1',
      heRef: '',
      title: '',
      work: '',
      language: 'en',
      version: '',
      license: '',
      url: '',
      text: 'Nobody knows this text but us.',
    }
    const text = 'Sayings 54 and "nobody knows this text" [S1].'
    expect((await verifyText(text, { ...lookups(), offered: [offered] })).quotes).toMatchObject([
      { result: 'verbatim', ref: 'File 1' },
    ])
  })

  it('the refs asked for, if the text names none', async () => {
    const options = { ...lookups(), refs: ['Sayings 54'] }
    expect((await verifyText('"Every hills stands still and waits"', options)).quotes).toMatchObject([
      { result: 'fuzzy', original: 'Every hill stands still and waits', ref: 'Sayings 54' },
    ])
  })

  it('the whole library, if nothing is named', async () => {
    const { quotes } = await verifyText('"Every hill stands still" but "every cloud drifts away"', lookups())
    expect(quotes).toEqual([
      {
        quote: 'Every hill stands still',
        result: 'verbatim',
        original: 'Every hill stands still',
        start: 0,
        end: 23,
        similarity: 1,
        found_ref: 'Sayings 54',
      },
      { quote: 'every cloud drifts away', result: 'not_found' },
    ])
  })
})

it('a quotation given to the wrong ref, or to one that does not exist, is misattributed', async () => {
  const { quotes } = await verifyText(
    'Sayings 54: "the river does not hurry".\n\nSefer HaChalom 3:4: "Every hill stands still"',
    lookups(),
  )
  expect(quotes).toMatchObject([
    { result: 'misattributed', ref: 'Sayings 54', found_ref: 'Book of Rivers, Part I; Gate 3:4' },
    { result: 'misattributed', ref: 'Sefer HaChalom 3:4', found_ref: 'Sayings 54' },
  ])
})

it('a quotation with ellipses that nothing names must be borne out as a whole', async () => {
  const { quotes } = await verifyText(
    '"Every hill stands still … the evening wind" "Every hill stands still … every cloud"',
    lookups(),
  )
  expect(quotes.map(({ result }) => result)).toEqual(['verbatim', 'not_found'])
})

it('more than 500 quotations are counted, not checked', async () => {
  const { asked, ...rest } = lookups()
  const text = Array.from({ length: 600 }, (_, i) => `"every cloud drifts away ${i}"`).join(' ')
  const { quotes, unchecked } = await verifyText(text, rest)
  expect([quotes.length, unchecked, asked.words.length]).toEqual([500, 100, 500])
})

it('a ref is read once, however often it is named', async () => {
  const { asked, ...rest } = lookups()
  await verifyText('Sayings 54: "Every hill stands still". Sayings 54: "waits for the evening wind".', rest)
  expect(asked.read).toEqual(['Sayings 54'])
})

const pieces = [
  'Sayings',
  ' 54',
  ' 3:4',
  'Book of Rivers, Part I; Gate',
  ' 5a',
  '"',
  '“',
  '”',
  ' ',
  '\n',
  'Every hill stands still',
  '„',
  'שלום',
  'I ',
  '-',
  '–6',
  ':',
  'The ',
  '\ud800',
]

it('no text makes it throw', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), async (parts) => {
      const { object, quotes, refs } = await verifyText(parts.join(''), lookups())
      expect(object).toBe('source.verification')
      for (const quote of quotes) expect(quote.result).not.toBe('paraphrase')
      for (const ref of refs)
        expect(ref.exists).toBe(library.some((passage) => passage.ref === ref.ref.replace(/-[\d:]+$/, '')))
    }),
    { numRuns: 1500 },
  )
})

it.each(['A 1 ', 'A ', 'A, ', 'Aa 1:1 ', '1:1 ', 'Part I; '])(
  'reads 10^5 characters of %j in linear time',
  async (unit) => {
    const began = performance.now()
    await verifyText(unit.repeat(100_000 / unit.length), lookups())
    expect(performance.now() - began).toBeLessThan(3000)
  },
)
