import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from '../../../src/sources/text/fold.ts'
import { anyText } from '../../support/any-text.ts'

describe('fold', () => {
  it.each([
    ['removes points and cantillation, and makes final letters medial', 'שָׁל֖וֹם עֲלֵיכֶֽם', 'שלומ עליכמ'],
    ['separates words at a maqaf, a paseq and a sof pasuq', 'כִּי־טוֹב׀וַיְהִי׃', 'כי טוב ויהי'],
    ...['הקב"ה', 'הקב״ה', 'הקב”ה', "הקב''ה", 'הקבה'].map((form) => [
      'takes gershayim for nothing',
      form,
      'הקבה',
    ]),
    ...["ר' משה", 'ר׳ משה'].map((form) => ['takes every geresh for nothing', form, 'ר משה']),
    ['resolves presentation forms that canonical composition leaves alone', '\ufb20\ufb4b\ufb2a', 'עוש'],
    ['lower-cases Latin letters and drops their accents', 'Ḥasidut — “Café”', 'hasidut cafe'],
    ['drops what is not seen: direction marks, joiners, soft hyphens', '\u200fשל\u00adום\u200e', 'שלומ'],
  ])('%s: %s', (_, text, folded) => {
    expect(fold(text).folded).toBe(folded)
  })

  it('gives the original wording back, points and all, and without the punctuation around it', () => {
    const text = '  „בְּרֵאשִׁית, בָּרָא אֱלֹקִים!”'
    const { folded, offsets } = fold(text)
    const at = folded.indexOf('ברא אלקימ', 4)
    expect(text.slice(offsets[at], offsets[at + 'ברא אלקימ'.length])).toBe('בָּרָא אֱלֹקִים')
  })

  it('is stable, has one offset a character and one more, rising, within the text: for any text', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const { folded, offsets } = fold(text)
        expect(offsets).toHaveLength(folded.length + 1)
        const rises = offsets.every((offset, i) => offset <= text.length && offset >= (offsets[i - 1] ?? 0))
        expect(rises).toBe(true)
        expect(folded).toBe(folded.trim())
        expect(folded).not.toContain('  ')
      }),
    )
  })

  it('folds a folded Hebrew or English text to itself', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'אבגדךםןוי"\'־ ,.aBcZéְָ') })
    fc.assert(
      fc.property(letters, (text) => {
        const { folded } = fold(text)
        expect(fold(folded).folded).toBe(folded)
      }),
    )
  })
})
