import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from '../../../src/sources/text/fold.ts'
import { anyText } from '../../support/any-text.ts'

describe('fold', () => {
  it('removes points and cantillation, and makes final letters medial', () => {
    expect(fold('שָׁל֖וֹם עֲלֵיכֶֽם').folded).toBe('שלומ עליכמ')
  })

  it('separates words at a maqaf, a paseq and a sof pasuq', () => {
    expect(fold('כִּי־טוֹב׀וַיְהִי׃').folded).toBe('כי טוב ויהי')
  })

  it('takes every make of gershayim and geresh for the same, as nothing', () => {
    const forms = ['הקב"ה', 'הקב״ה', 'הקב”ה', "הקב''ה", 'הקבה']
    expect(new Set(forms.map((form) => fold(form).folded))).toEqual(new Set(['הקבה']))
    expect(fold("ר' משה").folded).toBe(fold('ר׳ משה').folded)
  })

  it('resolves presentation forms that canonical composition leaves alone', () => {
    expect(fold('\ufb20\ufb4b\ufb2a').folded).toBe('עוש')
  })

  it('lower-cases Latin letters and drops their accents', () => {
    expect(fold('Ḥasidut — “Café”').folded).toBe('hasidut cafe')
  })

  it('drops what is not seen: direction marks, joiners, soft hyphens', () => {
    expect(fold('\u200fשל\u00adום\u200e').folded).toBe('שלומ')
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
        expect(offsets.every((offset, i) => offset <= text.length && offset >= (offsets[i - 1] ?? 0))).toBe(
          true,
        )
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
