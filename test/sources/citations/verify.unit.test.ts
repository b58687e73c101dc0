import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ComparedPassage } from '../../../src/sources/citations/comparison/stretch.ts'
import { checkText, verifyText } from '../../../src/sources/citations/verify.ts'
import { times } from '../../support/full.ts'
import { expectLinear } from '../../support/growth.ts'
import { offeredSource, quoteLibrary } from '../../support/quote-library.ts'

const library: readonly ComparedPassage[] = [
  { ref: 'Book of Rivers, Part I; Gate 3:4', text: 'The river does not hurry, and no stone has stopped it.' },
  { ref: 'Book of Rivers, Part I; Gate 3:4', text: 'הַנָּהָר אֵינוֹ מְמַהֵר, וְשׁוּם אֶבֶן לֹא עָצְרָה אוֹתוֹ.' },
  { ref: 'Book of Columns 2c:1', text: 'Four columns stand on every leaf.' },
  { ref: 'Sayings 54', text: 'Every hill stands still and waits for the evening wind.' },
]

const lookups = () => quoteLibrary(library)

it('refs in the text are joined by those asked for', async () => {
  const found = await verifyText('Nothing.', { ...lookups(), refs: ['Sayings 54', 'Sayings 99'] })
  expect(found.refs).toEqual([
    { ref: 'Sayings 54', exists: true, nearest: null },
    { ref: 'Sayings 99', exists: false, nearest: 'Sayings 54' },
  ])
})

describe('a quotation is compared with', () => {
  it('the nearest ref of its paragraph, in any of its versions', async () => {
    const text =
      'Sayings 54 differs. Book of Rivers, Part I; Gate 3:4 says "the river does not hurry" and „שום אבן לא עצרה אותו”.\n\nSayings 54: "the evening wind waits"'
    const { quotes } = await verifyText(text, lookups())
    const ref = 'Book of Rivers, Part I; Gate 3:4'
    expect(quotes).toMatchObject([
      { result: 'verbatim', original: 'The river does not hurry', ref, start: 0 },
      { result: 'edited', original: 'שׁוּם אֶבֶן לֹא עָצְרָה אוֹתוֹ', ref },
      { result: 'not_found', ref: 'Sayings 54' },
    ])
  })

  it('the ref of its sentence rather than a nearer one', async () => {
    const text =
      'Book of Rivers, Part I; Gate 3:4 has it that "the river does not hurry". Sayings 54 is older.'
    expect((await verifyText(text, lookups())).quotes).toMatchObject([{ result: 'verbatim' }])
  })

  it('the mark beside it, if that was offered', async () => {
    const offered = offeredSource({ ref: 'File 1', text: 'Nobody knows this text but us.' })
    const text = 'See Sayings 54. And then "nobody knows this text" [S1].'
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
    const quote = 'Every hill stands still'
    expect(quotes).toEqual([
      {
        quote,
        result: 'verbatim',
        original: quote,
        start: 0,
        end: 23,
        similarity: 1,
        found_ref: 'Sayings 54',
      },
      { quote: 'every cloud drifts away', result: 'not_found' },
    ])
  })
})

it('a quotation that its place does not have comes with the nearest words there and how they differ', async () => {
  const text = 'Sayings 54: "Every hill stands quiet and waits for any morning wind."'
  expect((await verifyText(text, lookups())).quotes).toMatchObject([
    {
      result: 'not_found',
      ref: 'Sayings 54',
      nearest: {
        ref: 'Sayings 54',
        original: 'Every hill stands still and waits for the evening wind',
        differences: [
          { kind: 'changed', quote: 'quiet', text: 'still' },
          { kind: 'changed', quote: 'any morning', text: 'the evening' },
        ],
      },
    },
  ])
})

it('a quotation with a wrong or missing ref is misattributed', async () => {
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
  expect(quotes.map(({ result }) => result)).toEqual(['edited', 'not_found'])
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
  ...['Sayings', ' 54', ' 3:4', 'Book of Rivers, Part I; Gate', ' 5a', '"', '“', '”', '„', ' ', '\n', 'I '],
  ...['-', '–6'],
  ...[':', 'The ', 'Every hill stands still', 'שלום', '\ud800'],
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
    { numRuns: times(300, 1_500) },
  )
})

it.each(['A 1 ', 'A ', 'A, ', 'Aa 1:1 ', '1:1 ', 'Part I; '])(
  'reads 10^5 characters of %j in proportion to their number',
  async (unit) => {
    const text = (length: number) => unit.repeat(length / unit.length)
    await expectLinear(text, (written) => verifyText(written, lookups()), 100_000)
  },
)

describe('a title that the text says the library lacks is no quotation:', () => {
  it.each([
    '"The Gate of Clouds" does not exist in this library; nearest: Sayings 54.',
    '“The Gate of Clouds” is not in this library: it does not hold that work. See Sayings 54.',
    '„שערי הלבנה הגדולה” אינו קיים בספרייה זו; Sayings 54.',
    '„שערי הלבנה הגדולה” אינו בספרייה זו: החיבור אינו נמצא בה.',
  ])('%s', async (text) => {
    expect((await verifyText(text, lookups())).quotes).toEqual([])
  })

  it.each([
    '"The Gate of Clouds" says so in Sayings 54.',
    '"The miller said that he has not seen the river for years" is not in this library.',
  ])('but %s', async (text) => {
    expect((await verifyText(text, lookups())).quotes).toMatchObject([{ result: 'not_found' }])
  })
})

describe('words for which the text claims no source are no quotation:', () => {
  it.each([
    ['the question', 'You asked: “Why does nobody answer my prayers?” Here is an answer.'],
    ['words of the reader', 'In your message you wrote “I feel that nothing helps me any more”.'],
    ['the question, in Hebrew', 'אתה שואל: "האם אפשר לשמוח גם כשהלב שבור?" זו שאלה עמוקה.'],
    [
      'everyday sentences',
      'People say things like “I am not a patient person” or “waiting is boring for me”.',
    ],
    ['words to oneself', 'Then tell yourself: “this too is only a passing cloud”.'],
    ['a title in quotation marks', 'In “The Ladder of Silence” he speaks of mills.'],
    ['a title in italics', 'See *The Ladder of Silence* (chapter 4) on mills.'],
    ['a title in Hebrew', 'הוא כתב את הספר "שער התפילה והתשובה" בזקנותו.'],
  ])('%s', async (_, text) => {
    expect((await verifyText(text, lookups())).quotes).toEqual([])
  })

  it.each([
    ['words of a source', 'As you said, the book teaches: “the miller weeps for the stones of the river”.'],
    ['words after a question', 'You asked about it. The answer is “the miller weeps for the stones”.'],
    ['a question within a story', 'The miller was asked, “why do the stones of the river weep?”'],
    ['a sentence after a title', 'In “The Ladder of Silence” he says: “the miller weeps for the stones”.'],
  ])('but %s are', async (_, text) => {
    expect((await verifyText(text, lookups())).quotes).toMatchObject([{ result: 'not_found' }])
  })

  it.each([
    ['the library has', 'You wrote: “The river does not hurry, and no stone”.', 'verbatim'],
    ['a ref stands beside', 'You wrote: “The river weeps for every stone” (Sayings 54).', 'not_found'],
  ])('nor are words that %s left out', async (_, text, result) => {
    expect((await verifyText(text, lookups())).quotes).toMatchObject([{ result }])
  })
})

describe('a block in Hebrew with its translation below', () => {
  const hebrew = 'הנהר אינו ממהר, ושום אבן לא עצרה אותו'
  const english = 'The river does not hurry, and no stone has stopped it.'
  const ref = 'Book of Rivers, Part I; Gate 3:4'
  it.each([
    `> ${hebrew}\n> ${english}\n\n— ${ref}`,
    `> ${hebrew} (${ref})\n>\n> ${english} (${ref})`,
    `> ${hebrew}\n>\n> (“${english}”)\n\n(${ref})`,
    `> **Hebrew:** ${hebrew}\n>\n> **English:** ${english}\n> — ${ref}`,
    `${ref}:\n\n> *${hebrew}*\n> ${english}`,
  ])('is two quotations from one place: %s', async (text) => {
    const { quotes } = await verifyText(text, lookups())
    expect(quotes).toMatchObject([
      { result: 'verbatim', ref },
      { result: 'verbatim', ref },
    ])
  })

  it('is held to the ref below it, each quotation on its own', async () => {
    const { quotes } = await verifyText(`> ${hebrew}\n> The miller weeps for us.\n\n— Sayings 54`, lookups())
    expect(quotes).toMatchObject([
      { result: 'misattributed', ref: 'Sayings 54', found_ref: ref },
      { result: 'not_found', ref: 'Sayings 54' },
    ])
  })
})

describe('a ref at the edge of a block', () => {
  const passage = 'Sayings 99, by its number, speaks of hills and of the wind. Its root is in Sayings 99.'
  const offered = [offeredSource({ ref: 'Book of Rivers 3', text: passage })]
  it.each([
    'Sayings 99, by its number, speaks of hills',
    'hills and of the wind. Its root is in Sayings 99.',
  ])('is quoted if the passage has it there: %s', async (words) => {
    const { quotes, ownRefs } = await checkText(`> “… ${words} …” [S1]`, lookups(), { offered })
    expect(quotes).toMatchObject([{ check: { result: 'verbatim' } }])
    expect(ownRefs).toEqual([])
  })

  it('names the source if the passage does not have it', async () => {
    const text = '> Every hill stands still and waits for the evening wind. Sayings 54'
    expect((await verifyText(text, lookups())).quotes).toMatchObject([
      { result: 'verbatim', ref: 'Sayings 54' },
    ])
    const answer = '> by its number, speaks of hills (Sayings 99) [S1]'
    expect((await checkText(answer, lookups(), { offered })).ownRefs).toHaveLength(1)
  })
})
