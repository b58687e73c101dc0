import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { looseHeadingKey } from '../../src/sources/heading-keys.ts'
import { formatRef, headingOf, parseRef, sectionOf } from '../../src/sources/refs.ts'

describe('parseRef and formatRef', () => {
  it.each([
    ['Tanya, Part I; Likkutei Amarim 32:4', 'Tanya, Part I; Likkutei Amarim 32:4'],
    ['Tanya,_Part_I;_Likkutei_Amarim.32.4', 'Tanya, Part I; Likkutei Amarim 32:4'],
    ['Tanya%2C_Part_I%3B_Likkutei_Amarim.32.4', 'Tanya, Part I; Likkutei Amarim 32:4'],
    ['Likutei Moharan 282 1 1', 'Likutei Moharan 282:1:1'],
    ['Likutei Moharan, Part II 48:2:7', 'Likutei Moharan, Part II 48:2:7'],
    ['Genesis 1:1-2', 'Genesis 1:1-2'],
    ['Genesis 1:1–2:1', 'Genesis 1:1-2:1'],
    ['Genesis 1:1-1:3', 'Genesis 1:1-3'],
    ['Berakhot 2a', 'Berakhot 2a'],
    ['Berakhot 2a-3B', 'Berakhot 2a-3b'],
    ['Tanya, chapter 32', 'Tanya 32'],
    ['Tanya ch. 7', 'Tanya 7'],
    ['תניא פרק ל"ב', 'תניא 32'],
    ['תניא פרק ל״ב', 'תניא 32'],
    ['תניא לב', 'תניא 32'],
    ['תניא פרק לב סעיף ד', 'תניא 32:4'],
    ['ליקוטי מוהר"ן תורה רפ"ב', 'ליקוטי מוהר"ן 282'],
    ['ברכות ב ע"א', 'ברכות 2a'],
    ['ברכות דף ב עמוד ב', 'ברכות 2b'],
    ['ברכות ב.', 'ברכות 2a'],
    ['ברכות ב:', 'ברכות 2b'],
    ['Kedushat Levi, Genesis, Bereshit', 'Kedushat Levi, Genesis, Bereshit'],
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

  it('never fails, whatever is written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(typeof formatRef(parseRef(text))).toBe('string')
      }),
    )
  })

  it('answers a hostile text at once', () => {
    const start = performance.now()
    for (const text of ['1 '.repeat(50_000), ' .'.repeat(50_000), `${'א '.repeat(20_000)}א`]) parseRef(text)
    expect(performance.now() - start).toBeLessThan(2_000)
  })
})

describe('headings and sections', () => {
  it('cuts numbers off, and only those', () => {
    expect(headingOf('Tanya, Part I; Likkutei Amarim 32:4')).toBe('Tanya, Part I; Likkutei Amarim')
    expect(headingOf('Likutei Moharan, Part II')).toBe('Likutei Moharan, Part II')
    expect(sectionOf('Work 3:4:5')).toBe('Work 3:4')
    expect(sectionOf('Work 3')).toBe('Work')
  })

  it('gives one loose key to the ways of spelling a title', () => {
    const spellings = ['Likutei Moharan', 'Likkutei Moharan', 'Likutey Moharan', 'Lekutey Moharan']
    expect(new Set(spellings.map(looseHeadingKey)).size).toBe(1)
    expect(looseHeadingKey('Iggeret HaTeshuvah')).toBe(looseHeadingKey('Igeret HaTeshuva'))
    expect(looseHeadingKey('Iggeret HaTeshuvah')).not.toBe(looseHeadingKey('Iggeret HaKodesh'))
  })
})
