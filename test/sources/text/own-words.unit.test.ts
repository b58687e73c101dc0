import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createOwnWordsFilter } from '../../../src/sources/citations/own-words.ts'
import { times } from '../../support/full.ts'
import { expectLinear } from '../../support/growth.ts'

function filtered(text: string, given: readonly number[] = []): string {
  const filter = createOwnWordsFilter(new Set(given))
  return filter.push(text) + filter.end()
}

const ourList = `Joy breaks barriers.

Sources:

[1] Tanya, Part I; Likkutei Amarim 26:1  
תניא, ליקוטי אמרים כ״ו:א׳  
Kehot, 1998  
Licence: CC BY  
https://www.sefaria.org/Tanya%2C_Part_I%3B_Likkutei_Amarim.26.1  
Quotation: word for word

[2] Likutei Moharan 282:1  
Quotation: not in this passage, but in  
Likutei Moharan 24:1`

describe('a list of sources that the model writes', () => {
  test.each([
    ['ours, copied', ourList],
    ['ours, in isolates', ourList.replaceAll(/^\[(\d)\] (.*?)(?= {2}$|$)/gm, '[$1] \u2066$2\u2069')],
    ['with bullets', 'Joy breaks barriers.\n\n**Sources:**\n- [S1] Tanya 26\n- Likutei Moharan 282'],
    [
      'under a heading',
      'Joy breaks barriers.\n\n## Sources\n\n1. Tanya 26 (verified)\n2. Likutei Moharan 24',
    ],
    ['underlined', 'Joy breaks barriers.\n\nSources\n-------\n\n1. Tanya 26'],
    ['in one line', 'Joy breaks barriers.\n\nSources: Tanya 26:1; Likutei Moharan 24.'],
    ['in one line, bold', 'Joy breaks barriers.\n\n**Sources**: [S1], [S2]'],
    ['without a heading', 'Joy breaks barriers.\n\n[1] Tanya 26:1\n[2] Likutei Moharan 24'],
    ['of references', 'Joy breaks barriers.\n\nReferences\n\n- https://www.sefaria.org/Tanya.26'],
  ])('%s: is left out', (_, text) => {
    expect(filtered(text)).toBe('Joy breaks barriers.')
  })

  test.each([
    ['with numbers', 'השמחה פורצת גדר.\n\nמקורות:\n\n[1] תניא פרק כו\nציטוט: מילה במילה\n\n[2] תניא כז'],
    ['with bullets', 'השמחה פורצת גדר.\n\n**מקורות:**\n• תניא פרק כ״ו\n• ליקוטי מוהר״ן תורה רפ״ב'],
    ['in one line', 'השמחה פורצת גדר.\n\nמקורות: תניא פרק כ״ו; ליקוטי מוהר״ן סימן רפב'],
  ])('in Hebrew, %s: is left out', (_, text) => {
    expect(filtered(text)).toBe('השמחה פורצת גדר.')
  })

  test('what follows it stays', () => {
    expect(filtered('Joy.\n\nSources:\n- Tanya 26\n- Tanya 27\n\nWould you like to read more?')).toBe(
      'Joy.\n\nWould you like to read more?',
    )
  })

  test('an answer that is nothing but our list is left out, and so is a heading at the end', () => {
    expect(filtered('Sources:\n\n[1] Tanya 26:1  \nQuotation: word for word')).toBe('')
    expect(filtered('Joy.\n\nSources:\n')).toBe('Joy.')
  })

  test('an answer that leads to a numbered list keeps it, without the numbers', () => {
    const text = 'He speaks of joy here:\n\n[1] Tanya 26:1\n[2] Likutei Moharan 24\n\nMore.'
    expect(filtered(text)).toBe('He speaks of joy here:\n\nTanya 26:1\nLikutei Moharan 24\n\nMore.')
  })

  test('its marks are known, so that the sources are cited', () => {
    const filter = createOwnWordsFilter()
    filter.push('Joy.\n\nSources:\n- [S2] Tanya 26\n- [S1, S3] Tanya 27')
    filter.end()
    expect(filter.listedMarks()).toEqual(['S2', 'S1', 'S3'])
  })
})

test.each([
  ['Joy [1].', 'Joy.'],
  ['Joy[1] breaks [2][3] barriers [4, 5] here ([6]).', 'Joy breaks barriers here.'],
  ['השמחה[1] פורצת [2].', 'השמחה פורצת.'],
  ['Joy【1†source】 is.', 'Joy is.'],
  [
    '[1] Joy is a great thing and it breaks through every barrier there is.',
    'Joy is a great thing and it breaks through every barrier there is.',
  ],
])('a number in brackets that was never given is left out: %j', (text, expected) => {
  expect(filtered(text)).toBe(expected)
})

test('numbers that the client wrote itself may be repeated', () => {
  expect(filtered('Joy [1], but not [7].', [1])).toBe('Joy [1], but not.')
})

const kept = [
  'Joy [S1].\n\nAll quotations were verified against the library.',
  'Sources of joy are many: Torah, prayer and good deeds.',
  'Sources:\n- Tanya 26\n- Likutei Moharan 24',
  'He speaks of joy in these places:\n\nSources:\n- Tanya 26\n- Likutei Moharan 24',
  'הוא מדבר על השמחה במקומות אלו:\n\n**מקורות:**\n• תניא פרק כ״ו',
  'Three books speak of it:\n\nReferences: Tanya 26:1; Likutei Moharan 24.',
  'There are three steps.\n\nSources\n\nThe soul draws from above, as a spring draws from the depths of the earth.',
  'Sources: the soul has many springs from which it draws life every day.',
  '1. First step\n2. Second step (see below)\n3. Third [S1]',
  '- [ ] read\n- [x] write',
  'Use `a[1]` and ``b`[2]`` here.',
  '```python\nx = a[1]\n# Sources:\n# [1] Tanya 26\nprint("Quotation: word for word")\n```\nDone [S1].',
  '~~~\n[1] Tanya 26\n~~~',
  'Text.\n\n    x = a[1]\n    y = b[2]\n\nMore.',
  'The row x[1] and m[1][2] are zero.',
  'He repeats the verse word for word, and all sources agree that it was verified long ago by many.',
  'The quotations of the Zohar in this chapter are long and need an explanation.',
  'He asked: “is it so?” (Psalms 119:89) and [sic] left.',
  'In the year [1796] it was printed. Zero is [0].',
  'A footnote[^1].\n\n[^1]: The note.',
  'המקורות של השמחה רבים הם.',
  '“Quoted.”\n\n— Tanya 26:1 [S1]',
  'Trailing blanks stay  \nhere.\n',
  '',
]

test.each(kept)('other text stays letter for letter: %j', (text) => {
  expect(filtered(text)).toBe(text)
})

const samples = [
  ourList,
  ...kept,
  'A [1] b (verified) c.\n\nAll quotations were verified. D.\n\nSources:\n- Tanya 26 [S1]\n\nEnd `x[1] y` [2].',
  'השמחה [1] (מאומת).\n\nמקורות:\n• תניא פרק כ״ו\n\nסוף.',
]

test('however the text is cut into deltas, the same is left', () => {
  const piece = fc.constantFrom(
    ...'[1]|[S1]| |\n|\n\n|Sources:|Sources of joy|- Tanya 26|(verified)|(see [2])|`|```|Quotation: word for word|All quotations were verified.|The |word.|מקורות:|תניא פרק כ״ו|ציטוט: מילה במילה|1. |**|> |    |a|…'.split(
      '|',
    ),
  )
  const composed = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(
      fc.oneof(fc.constantFrom(...samples), composed),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 }),
      (text, cuts) => {
        const places = [...cuts, 1].map((cut) => Math.floor(cut * text.length)).sort((a, b) => a - b)
        const filter = createOwnWordsFilter()
        let [shown, from] = ['', 0]
        for (const place of places) {
          shown += filter.push(text.slice(from, place))
          from = place
        }
        expect(shown + filter.end()).toBe(filtered(text))
      },
    ),
    { numRuns: times(400, 2_000) },
  )
})

test('letter by letter, prose is held back for no more than a word', () => {
  const text =
    'Sources of joy are many. All of them are good. The soul rejoices in its Maker, and the quiet of it stays.'
  const filter = createOwnWordsFilter()
  let [given, shown, most] = [0, 0, 0]
  for (const letter of text) {
    given += 1
    shown += filter.push(letter).length
    most = Math.max(most, given - shown)
  }
  expect(most).toBeLessThanOrEqual(45)
})

test.each(['[', '(', '`', '\n', '~', '[1', 'Sources:\n', 'the ', '* ', '- Tanya 26\n', '【'])(
  'a long answer of nothing but %j takes time in proportion',
  async (unit) => {
    const text = (length: number) => `Joy.\n\nSources:\n${unit.repeat(length / unit.length)}`
    await expectLinear(text, filtered, 50_000)
  },
)
