import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatRef,
  headingOf,
  parseRef,
  refReadings,
  sectionOf,
} from '../../../src/sources/refs/grammar/refs.ts'
import { looseHeadingKey } from '../../../src/sources/text/heading-keys.ts'
import { anyText } from '../../support/any-text.ts'
import { expectLinear } from '../../support/growth.ts'

describe('a Roman number behind a title', () => {
  it('is read as a chapter, after the title with it', () => {
    const readings = refReadings('Tanya XXVI').map(formatRef)
    expect([...new Set(readings)]).toEqual(['Tanya XXVI', 'Tanya 26'])
  })

  it.each(['Tanya, Part VI', 'Tanya Part VII', 'Likutei Moharan, Vol. II'])(
    'of a part is not read as a chapter: %s',
    (written) => {
      expect(refReadings(written).map(({ address }) => address)).toEqual([[]])
    },
  )
})

describe('parseRef and formatRef', () => {
  it.each([
    ['Tanya, Part I; Likkutei Amarim 32:4', 'Tanya, Part I; Likkutei Amarim 32:4'],
    ['Tanya%2C_Part_I%3B_Likkutei_Amarim.32.4', 'Tanya, Part I; Likkutei Amarim 32:4'],
    ['Genesis 1:1-2', 'Genesis 1:1-2'],
    ['Genesis 1:1–2:1', 'Genesis 1:1-2:1'],
    ['Berakhot 2a', 'Berakhot 2a'],
    ['Berakhot 2a-3B', 'Berakhot 2a-3b'],
    ['Tanya, chapter 32', 'Tanya 32'],
    ['תניא פרק ל"ב', 'תניא 32'],
    ['תניא לב', 'תניא 32'],
    ['ליקוטי מוהר"ן תורה רפ"ב', 'ליקוטי מוהר"ן 282'],
    ['ברכות דף ב עמוד ב', 'ברכות 2b'],
    ['ברכות ב.', 'ברכות 2a'],
    ['ברכות ב:', 'ברכות 2b'],
    ['Kedushat Levi, Genesis, Bereshit', 'Kedushat Levi, Genesis, Bereshit'],
    ['Columns 2c-4D', 'Columns 2c-4d'],
    ['Berakhot 2a-b', 'Berakhot 2a-2b'],
    ['Tanya, Chapter 32, Paragraph 4', 'Tanya 32:4'],
    ['Likutei Moharan Part 2 48:1', 'Likutei Moharan Part II 48:1'],
    ['https://www.sefaria.org/Berakhot.2a.5-2b.3?lang=he', 'Berakhot 2a:5-2b:3'],
    ['https://www.sefaria.org.il/Tanya%2C_Part_I', 'Tanya, Part I'],
    ['ברכות ב׳ א:ה׳', 'ברכות 2a:5'],
    ['שבת קי״ח ב:ג׳', 'שבת 118b:3'],
    ['שבת קי״ח ב:ג׳-קי״ט א:א׳', 'שבת 118b:3-119a:1'],
    ['ברכות ב׳ א-ב', 'ברכות 2a-2b'],
    ['תניא לב ד-ו', 'תניא לב 4-6'],
    ['תניא ל״ב–ל״ד', 'תניא 32-34'],
    ['תניא 32:4-6', 'תניא 32:4-6'],
    ["לקו''א פ' ל''ב", 'לקו"א 32'],
    ['ליקוטי מוהר"ן ערב', 'ליקוטי מוהר"ן 272'],
    ['בעל שם טוב', 'בעל שם טוב'],
    ['10 sefirot', '10 sefirot'],
  ])('reads %s as %s', (written, canonical) => {
    expect(formatRef(parseRef(written))).toBe(canonical)
  })

  it('leaves a canonical ref as it is', () => {
    const heading = fc.constantFrom('Tanya, Part I; Likkutei Amarim', 'Likutei Moharan, Part II', 'Work')
    const numbers = fc.array(fc.integer({ min: 1, max: 999 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(heading, numbers, (name, address) => {
        const ref = `${name} ${address.join(':')}`
        expect(formatRef(parseRef(ref))).toBe(ref)
      }),
    )
  })

  it.each([
    ['ברכות ב א', ['ברכות ב 1', 'ברכות 2a', 'ברכות 2:1']],
    ['בעש"ט נח טו', ['בעש"ט נח 15', 'בעש"ט 58:15']],
    ['תניא פל"ב', ['תניא 32']],
    ['ספר ע״א', ['ספר 71']],
    ['ספר ב ע״א', ['ספר 2a', 'ספר ב 71']],
    ['Tanya 32', ['Tanya 32']],
  ])('gives %s all its readings, and at last the whole as a title', (written, readings) => {
    const found = refReadings(written).map(formatRef)
    expect(found.slice(0, readings.length)).toEqual(readings)
    expect(refReadings(written).at(-1)?.address).toEqual([])
  })

  it('never fails, whatever is written', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(typeof formatRef(parseRef(text))).toBe('string')
      }),
    )
  })

  it.each(['1 ', ' .', 'א ', 'א׳ ', 'א׳:', 'א\'ב"ג ', 'א-', '1-', '1:', '_', '%25', 'ch 1 ', '״', 'פ"'])(
    'reads no more than the beginning of a text of nothing but %j',
    async (unit) => {
      const texts = (length: number) =>
        ['', '1', 'א', 'x'].map((end) => unit.repeat(Math.round(length / unit.length)) + end)
      const readAll = (written: readonly string[]) => written.map(refReadings)
      await expectLinear(texts, readAll, 200_000)
    },
  )
})

describe('headings and sections', () => {
  it.each([
    [
      'Tanya, Part I; Likkutei Amarim 32:4',
      'Tanya, Part I; Likkutei Amarim',
      'Tanya, Part I; Likkutei Amarim 32',
    ],
    ['Likutei Moharan, Part II', 'Likutei Moharan, Part II', 'Likutei Moharan, Part II'],
    ['Work 3', 'Work', 'Work'],
    ['Columns 2c:1', 'Columns', 'Columns 2c'],
    ['Columns 2d', 'Columns', 'Columns'],
    ['Zohar 1:15a:3', 'Zohar', 'Zohar 1:15a'],
    ['Work, Foreword:2', 'Work, Foreword', 'Work, Foreword'],
    ['Work, Psalm C', 'Work, Psalm C', 'Work, Psalm C'],
  ])('%s stands under the heading %s in the section %s', (ref, heading, section) => {
    expect([headingOf(ref), sectionOf(ref)]).toEqual([heading, section])
  })

  it('a range stands under the heading of its first place', () => {
    expect(headingOf('Columns 2c:1-3d:4')).toBe('Columns')
  })

  it('gives one loose key to the ways of spelling a title', () => {
    const spellings = ['Likutei Moharan', 'Likkutei Moharan', 'Likutey Moharan', 'Lekutey Moharan']
    expect(new Set(spellings.map(looseHeadingKey)).size).toBe(1)
    expect(looseHeadingKey('Iggeret HaTeshuvah')).toBe(looseHeadingKey('Igeret HaTeshuva'))
    expect(looseHeadingKey('Berachos')).toBe(looseHeadingKey('Berakhot'))
    expect(looseHeadingKey('ליקוטי אמרים')).toBe(looseHeadingKey('לקוטי אמרים'))
    expect(looseHeadingKey('Room')).not.toBe(looseHeadingKey('Rama'))
    expect(looseHeadingKey('Iggeret HaTeshuvah')).not.toBe(looseHeadingKey('Iggeret HaKodesh'))
  })
})
