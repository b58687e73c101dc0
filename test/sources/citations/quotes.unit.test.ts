import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attributeQuotations, findMarks } from '../../../src/sources/citations/attribution/anchors.ts'
import { readAttributions } from '../../../src/sources/citations/attribution/attribution.ts'
import { Doc } from '../../../src/sources/citations/quotations/doc.ts'
import { findQuotations } from '../../../src/sources/citations/quotations/quotes.ts'
import { times } from '../../support/full.ts'
import { expectLinear } from '../../support/growth.ts'
import { textsWithRefs } from '../../support/texts-with-refs.ts'

const isOffered = (mark: string) => Number(mark.slice(1)) <= 5
const marksIn = (text: string) => findMarks(text, isOffered)

function quotesOf(text: string): string[] {
  return findQuotations(text, marksIn(text)).quotations.map((quotation) => quotation.text)
}

/** Every quotation with the marks it belongs to. */
function owners(text: string): string[] {
  const marks = marksIn(text)
  const found = findQuotations(text, marks)
  return attributeQuotations(text, found, marks).map(
    (anchor, i) => `${found.quotations[i]?.text.split(' ')[0]} ${anchor?.keys.join('+') ?? '-'}`,
  )
}

describe('quotations are found', () => {
  it.each([
    ['in English marks', 'He said “the river runs slowly” then.', ['the river runs slowly']],
    ['in straight marks', 'He said "the river runs slowly" then.', ['the river runs slowly']],
    ['in angle marks', 'Il dit « the river runs slowly » alors.', ['the river runs slowly']],
    ['in single curly marks', 'He said ‘the river doesn’t run slowly’.', ['the river doesn’t run slowly']],
    ['in Hebrew low marks', 'אמר „הנהר זורם לאט מאוד” ושתק.', ['הנהר זורם לאט מאוד']],
    ['in marks set the other way round', 'אמר ”הנהר זורם לאט מאוד“ ושתק.', ['הנהר זורם לאט מאוד']],
    ['in gershayim signs as marks', 'אמר ״הנהר זורם לאט מאוד״ ושתק.', ['הנהר זורם לאט מאוד']],
    ['behind two prefixes', 'נאמר וכש"הנהר זורם לאט מאוד" כידוע.', ['הנהר זורם לאט מאוד']],
    ['with bold around them', 'He said **"the river runs slowly"** then.', ['the river runs slowly']],
    ['two in a line', '"the river runs" and "the hill stands"', ['the river runs', 'the hill stands']],
    ['with blanks inside the marks', 'He said " the river runs slowly " then.', ['the river runs slowly']],
    ['over a line break', 'He said "the river\nruns slowly" then.', ['the river runs slowly']],
  ])('%s', (_, text, quotes) => {
    expect(quotesOf(text)).toEqual(quotes)
  })

  it.each([
    ['רמב"ם', 'אמר "כך כתב הרמב"ם בספרו הגדול" ושתק.', ['כך כתב הרמב"ם בספרו הגדול']],
    ['הקב"ה at the end', 'אמר "הנהר זורם כרצון הקב"ה" ושתק.', ['הנהר זורם כרצון הקב"ה']],
    ['של"ה', 'כתב בשל"ה הקדוש "הנהר זורם לאט מאוד" ושתק', ['הנהר זורם לאט מאוד']],
    ['a sentence of them', 'הרמב"ם והרמב"ן והראב"ד כתבו כך, ושל"ה הביא משמם', []],
    ['the sign of its own', 'אמר ״כך כתב הרמב״ם בספרו הגדול״ ושתק.', ['כך כתב הרמב״ם בספרו הגדול']],
  ])('gershayim are no quotation marks: %s', (_, text, quotes) => {
    expect(quotesOf(text)).toEqual(quotes)
  })

  it.each([
    ['“He said “go now” and went home”', ['He said “go now” and went home']],
    ['"He said "go now" and went home"', ['He said "go now" and went home']],
    ['“He said ‘go now’ and went home”', ['He said ‘go now’ and went home']],
    ['"He said ‘go now’ and went home"', ['He said ‘go now’ and went home']],
  ])('a quotation within a quotation is part of it: %s', (text, quotes) => {
    expect(quotesOf(`So: ${text}.`)).toEqual(quotes)
  })

  it('fewer than twelve letters are no quotation, whatever stands between them', () => {
    expect(quotesOf('"abcdefghijk" “אבגדהוזחטיכ”')).toEqual([])
    expect(quotesOf('"a b-c, d!!! e f g h i j k"')).toEqual([])
    expect(quotesOf('"abcd efgh ijkl"')).toEqual(['abcd efgh ijkl'])
    expect(quotesOf('"אָבָגָ דָהָוָ זָחָטָיָ"')).toEqual([])
  })

  it('fewer than three words are a term, not a quotation', () => {
    expect(quotesOf('the so-called "intellectual contemplation" of the book')).toEqual([])
    expect(quotesOf('ענין "אתערותא דלעילא" הידוע')).toEqual([])
  })

  it('an unclosed mark opens nothing; an unclosed “ ends with its paragraph', () => {
    expect(quotesOf('A 5" pipe runs along here for miles.')).toEqual([])
    expect(quotesOf('He said "the river runs slowly.\n\nAnd "the hill stands still" too.')).toEqual([
      'the hill stands still',
    ])
    expect(quotesOf('“The river runs slowly.\n\n“The hill stands still.” So.')).toEqual([
      'The river runs slowly.',
      'The hill stands still.',
    ])
  })
})

describe('blocks of > lines', () => {
  it.each([
    [
      'a whole',
      'So:\n\n> The river runs,\n> the hill stands. [S1]\n\nEnd.',
      'The river runs, the hill stands.',
    ],
    ['without a signature', '> The river runs slowly.\n> — Book of Rivers 3 [S1]', 'The river runs slowly.'],
    [
      'with words in marks',
      '> The river, says "the miller", runs. [S1]',
      'The river, says "the miller", runs.',
    ],
    ['directly under a line', 'As it says:\n> The river runs slowly\n\nEnd.', 'The river runs slowly'],
    ['directly above a line', '> The river runs slowly\nAnd so on and on.', 'The river runs slowly'],
    ['mostly in marks', '> Book 3: “The river “runs” over the hill” [S1]', 'The river “runs” over the hill'],
  ])('are one quotation: %s', (_, text, quote) => {
    expect(quotesOf(text)).toEqual([quote])
  })

  it.each(['"', ''])('hold one quotation up to each mark, with %j around it', (mark) => {
    const block = `> ${mark}The river runs slowly${mark} [S1]\n> ${mark}Every hill stands still${mark} [S2]`
    expect(owners(block)).toEqual(['The S1', 'Every S2'])
  })
})

describe('a quotation belongs to', () => {
  it.each([
    ['the mark behind it', '"Alpha river runs slowly" [S1].', ['Alpha S1']],
    [
      'the mark behind its point',
      '"Alpha river runs." [S1] "Beta river runs." [S2]',
      ['Alpha S1', 'Beta S2'],
    ],
    ['the mark inside it', '“Alpha river [S2] runs slowly” [S1].', ['Alpha S2']],
    ['the mark before it in the sentence', 'As it says [S1]: "Alpha river runs slowly".', ['Alpha S1']],
    ['no mark of the next sentence', 'In [S1] it says "Alpha river runs". Others differ [S2].', ['Alpha S1']],
    [
      'its own side',
      '[S1] says "Alpha river runs" but "Beta river runs" is in [S2].',
      ['Alpha S1', 'Beta S2'],
    ],
    ['one mark that two share', '"Alpha river runs" and "Beta river runs" [S1].', ['Alpha S1', 'Beta S1']],
    ['all marks of a group', '"Alpha river runs slowly" [S1, S2][S3] [S4].', ['Alpha S1+S2+S3+S4']],
    ['a later mark of its paragraph', '"Alpha river runs slowly." So it is. And more [S1].', ['Alpha S1']],
    ['an earlier one if there is no other', 'So it is [S1]. And more. "Alpha river runs."', ['Alpha S1']],
    ['a later one of its paragraph', 'It is [S1]. "Alpha river runs." On. And more [S2].', ['Alpha S2']],
    [
      'nothing, far from any mark',
      'One [S1].\n\nHe said "Alpha river runs" there.\n\nTwo [S2].',
      ['Alpha -'],
    ],
    ['no mark outside its list item', 'It is [S1].\n\n- "Alpha river runs"\n\nBeta [S2].', ['Alpha -']],
    ['the line under it', '„אלפא נהר זורם לאט”\n\nספר הנהרות ג [S1]', ['אלפא S1']],
    ['the line close under it', 'One [S2].\n\n> Alpha river runs slowly\n[S1]', ['Alpha S1']],
    ['the paragraph before', 'As it says [S1]:\n\n> Alpha river runs\n\nA long paragraph.', ['Alpha S1']],
    ['nothing in another list item', '- "Alpha river runs slowly"\n- Beta [S2]', ['Alpha -']],
    ['its list item', '1. "Alpha river runs" [S1]\n2. "Beta river runs" [S2]', ['Alpha S1', 'Beta S2']],
  ])('%s', (_, text, expected) => {
    expect(owners(text)).toEqual(expected)
  })
})

it('marks keep their places, and words in brackets are none', () => {
  const text = 'A [x] [S1, S2] b ([S3]) c 【S4†x】 d (S5) e (S9) f [S1, chapter 3] g [S12]'
  const marks = marksIn(text)
  const written = ['[S1, S2]', '[S3]', '【S4†x】', '(S5)', '[S1', '[S12]']
  expect(marks.map(({ start, end }) => text.slice(start, end))).toEqual(written)
  expect(marks.map(({ keys }) => keys.join())).toEqual(['S1,S2', 'S3', 'S4', 'S5', 'S1', 'S12'])
})

const pieces = [
  ...['"', '“', '”', '„', '«', '»', '‘', '’', '״', '>', '\n', ' ', '- ', '[S1]', '(S1', '[', '.', 'abcdefgh'],
  ...['שלום', 'ש', 'ָ', '😀', '\ud800', '\u2067'],
]

it('no text makes it throw, and places are always those of the text', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), (parts) => {
      const text = parts.join('')
      for (const { start, end } of findQuotations(text, marksIn(text)).quotations) {
        expect(start).toBeGreaterThanOrEqual(0)
        expect(end).toBeGreaterThan(start)
        expect(end).toBeLessThanOrEqual(text.length)
      }
      owners(text)
    }),
    { numRuns: times(600, 3_000) },
  )
})

it.each([
  ['commas', '[S1', ',S1', ']'],
  ['ranges', '[S1', ',S1-S3', ']'],
  ['blanks', '[S1', '; S2', ']'],
])('a group of 20,000 marks with %s is read in proportion to their number', async (_, first, more, last) => {
  const group = (marks: number) => `${first}${more.repeat(marks)}${last} and [S2]`
  await expectLinear(group, marksIn, 20_000)
  const text = group(20_000)
  expect(marksIn(text).map(({ start, end }) => [start, end])).toEqual([
    [0, text.length - 9],
    [text.length - 4, text.length],
  ])
})

it('a mark and a group of 200,000 marks behind it are one anchor', () => {
  const text = `[S1] [${'S1-S5,'.repeat(40_000)}S5]`
  expect(marksIn(text).map(({ start, end }) => [start, end])).toEqual([[0, text.length]])
})

describe('single quotation marks', () => {
  it.each([
    ["He said 'the dogs' tails wag all day' and left.", ["the dogs' tails wag all day"]],
    ["He said 'the river doesn't run slowly' then.", ["the river doesn't run slowly"]],
    ["אמר 'ה' אחד ושמו אחד בעולם כולו' ושתק.", ["ה' אחד ושמו אחד בעולם כולו"]],
    ['Il dit ‹the river runs slowly› alors.', ['the river runs slowly']],
    [`'twas said "the river runs slowly" by the dogs' keeper`, ['the river runs slowly']],
    ["The millers' sons and the miller's daughters' children came.", []],
    ["וכו' וגו' ועי' בפי' הר' אברהם שכ' כן בס' הישר", []],
  ])('%s', (text, quotes) => {
    expect(quotesOf(text)).toEqual(quotes)
  })

  it.each(["'a ", " 'a b' ", "'‘‚"])('%j 30,000 times is read in proportion to its length', async (unit) => {
    await expectLinear((times) => unit.repeat(times), quotesOf, 30_000)
  })
})

describe('italics', () => {
  it.each([
    ['The book says: *the river runs slowly to the sea*.', ['the river runs slowly to the sea']],
    ['As he writes _the river runs slowly to the sea_.', ['the river runs slowly to the sea']],
    ['*the river runs slowly to the sea* (Book of Rivers 3)', ['the river runs slowly to the sea']],
    ['So *the river runs slowly to the sea* [S1].', ['the river runs slowly to the sea']],
    ['*The river runs slowly to the sea*', ['The river runs slowly to the sea']],
    ['זה לשונו: *הנהר זורם לאט מאוד*', ['הנהר זורם לאט מאוד']],
  ])('that frame a quotation count: %s', (text, quotes) => {
    expect(quotesOf(text)).toEqual(quotes)
  })

  it.each([
    'It is *very much more important* than all else.',
    'He says: **the river runs slowly to the sea**.',
    'A snake_case_name_here and 2*3*4 are no italics.',
  ])('that do not are emphasis: %s', (text) => {
    expect(quotesOf(text)).toEqual([])
  })

  it('around a quotation in quotation marks add nothing', () => {
    expect(quotesOf('He says: *“the river runs to the sea”*.')).toEqual(['the river runs to the sea'])
  })
})

it('a text has the same quotations with and without the test for their signs', async () => {
  let quoting = 0
  await fc.assert(
    fc.asyncProperty(textsWithRefs, async (text) => {
      // A mark is no part of a quotation, and only one of the two looks for marks.
      fc.pre(!text.includes('[S'))
      const { quotations } = findQuotations(text, [])
      quoting += quotations.length > 0 ? 1 : 0
      expect((await readAttributions(new Doc(text), undefined, {})).quotations).toEqual(quotations)
    }),
    { numRuns: times(1_000, 5_000) },
  )
  expect(quoting).toBeGreaterThan(times(20, 100))
})
