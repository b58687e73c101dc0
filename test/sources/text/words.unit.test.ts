import { describe, expect, it } from 'vitest'
import { documentTerms, headingsOf } from '../../../src/sources/index/terms.ts'
import { printedHebrewAddress } from '../../../src/sources/refs/grammar/hebrew-refs.ts'
import { hebrewHeadingOf } from '../../../src/sources/refs/grammar/refs.ts'
import { parseQuery } from '../../../src/sources/search/expansion/query.ts'
import { englishStem } from '../../../src/sources/text/english.ts'
import { withoutPrefixes, withPrefixes } from '../../../src/sources/text/hebrew.ts'
import { hebrewNumber, hebrewNumeral, toHebrewNumber } from '../../../src/sources/text/hebrew-numbers.ts'
import { skeletonOf, tokenize } from '../../../src/sources/text/tokens.ts'
import { expectLinear } from '../../support/growth.ts'

const terms = (text: string): readonly string[] => tokenize(text).map((token) => token.term)

describe('tokenize', () => {
  it('gives one term to a word however it is pointed, quoted or ended', () => {
    expect(new Set(['שלום', 'שָׁלוֹם', 'שלומ'].flatMap(terms)).size).toBe(1)
    expect(new Set(['הקב"ה', 'הקב״ה', 'הקב”ה', "הקב''ה"].flatMap(terms))).toEqual(new Set(['הקבה']))
  })

  it('keeps an abbreviation whole and separates at a maqaf', () => {
    expect(terms('נה"ב על־פי')).toEqual(['נהב', 'על', 'פי'])
  })

  it.each([
    [["ה'", "ד'", 'יי', 'השי"ת'], 'יהוה'],
    [["הוי'", 'הוי"ה', 'הויה', 'יהוה', 'י־ה־ו־ה', 'ידו"ד', 'יקו"ק', 'יְ־הֹוָה'], 'הויה'],
    [['אלקים', 'אלהים', 'אלוקים', 'אֱלֹהִים', 'א-להים', 'א־לֹהִים', 'אלקי-ם'], 'אלהימ'],
    [['אדנ"י', 'א-דני', 'אד-ני', 'אדנות'], 'אדני'],
    [['שדי', 'ש-די', 'שד-י', 'שַׁ־דַּי'], 'שדי'],
    [['צבאות', 'צב-אות', 'צבא-ות', 'צבקות'], 'צבאות'],
    [['א-ל', 'הא-ל', 'א–ל'], 'האל'],
    [['G-d', 'G–d', 'God', 'G‑d'], 'god'],
    [['L-rd', 'Lord'], 'lord'],
  ])('knows %j as one divine name', (forms, term) => {
    expect(new Set(forms.flatMap(terms))).toEqual(new Set([term]))
  })

  it.each(['בית-אל', 'אל-הבית', 'שלום־עליכם', 'כי-ה', 'על־יד', 'א-ב', 'אלף־אלפים'])(
    'separates %s, which is no divine name, at its hyphen',
    (text) => {
      expect(terms(text)).toHaveLength(2)
    },
  )

  it.each(['\u05b0', '-', 'א-', 'א\u05b0-', 'י-ה-'])(
    'reads a divine name before 30,000 times %j in proportion to the length',
    async (part) => {
      await expectLinear((times) => `א${part.repeat(times)}`, tokenize, 30_000)
    },
  )

  it('keeps a prefix before a divine name', () => {
    expect(terms("לה' באלקים")).toEqual(['ליהוה', 'באלהימ'])
  })

  it('reports where each word stands in the text as given', () => {
    const text = 'אֶת־הָאוֹר, the “light”'
    expect(tokenize(text).map((t) => text.slice(t.start, t.end))).toEqual(['אֶת', 'הָאוֹר', 'the', 'light'])
  })

  it('survives text of marks, surrogates and controls alone', () => {
    expect(terms('\u05b0\u05b1 \ud800 \u0000 \u200f ""')).toEqual([])
  })
})

describe('Hebrew prefixes', () => {
  it('finds a word under a prefix and keeps at least three letters', () => {
    expect(withoutPrefixes('ובתשובה')).toContain('תשובה')
    expect(withoutPrefixes('מלכ')).toEqual(['מלכ'])
  })

  it('adds Aramaic ד as well as the Hebrew letters', () => {
    expect(withPrefixes('תשובה')).toEqual(expect.arrayContaining(['דתשובה', 'התשובה', 'שבתשובה', 'וכשתשובה']))
  })
})

describe('spelling classes', () => {
  it.each([
    ['chassidut', 'hasidut', 'chasidus', 'chassidus'],
    ['bitachon', 'bitahon', 'bitakhon'],
    ['devekut', 'dveikus', 'deveikut'],
    ['malchut', 'malkhut', 'malchus'],
    ['mitzvot', 'mitzvos', 'mitsvoth'],
    ['ביטחון', 'בטחון'],
  ])('%s is of one class with its other spellings', (...spellings) => {
    expect(new Set(spellings.map((s) => skeletonOf(terms(s)[0] ?? ''))).size).toBe(1)
  })

  it('leaves short words alone, which plain English would collide with', () => {
    expect(skeletonOf('heat')).toBeUndefined()
    expect(skeletonOf('chair')).toBeUndefined()
  })
})

describe('englishStem', () => {
  it.each([
    ['teachings', 'teaching', 'teaches', 'teach'],
    ['prayers', 'prayer'],
    ['holiness', 'holy'],
    ['loving', 'loves', 'love', 'loved'],
    ['rejoicing', 'rejoice', 'rejoices'],
  ])('takes %s and its other forms for one', (...forms) => {
    expect(new Set(forms.map(englishStem)).size).toBe(1)
  })

  it('keeps apart what differs in meaning', () => {
    expect(englishStem('pray')).not.toBe(englishStem('praise'))
    expect(englishStem('love')).not.toBe(englishStem('live'))
  })
})

describe('documentTerms', () => {
  it('indexes an abbreviation in its joined form and in its words', () => {
    const { frequencies } = documentTerms('יצה"ר')
    expect([...frequencies.keys()]).toEqual(expect.arrayContaining(['יצהר', 'יצר', 'הרע']))
  })

  it('does not take an ordinary word for the abbreviation of the same letters', () => {
    expect([...documentTerms('קש').frequencies.keys()]).toEqual(['קש'])
  })

  it('indexes a name of several words under its group, whatever prefix it bears, and counts words only in its length', () => {
    const english = documentTerms('the Baal Shem Tov')
    const hebrew = documentTerms('והבעל שם טוב')
    expect(english.frequencies.has('en:baal-shem-tov')).toBe(true)
    expect(hebrew.frequencies.has('he:baal-shem-tov')).toBe(true)
    expect(english.length).toBe(4)
  })

  it('leaves numbers out of headings', () => {
    const headings = ['Work, Part One', 'ספר, חלק ראשון']
    expect(headingsOf({ ref: 'Work, Part One 3:4', heRef: 'ספר, חלק ראשון פרק ג:ד' })).toEqual(headings)
    expect(headingsOf({ ref: 'Work, Part One 1', heRef: 'ספר, חלק ראשון א' })[1]).toBe('ספר, חלק ראשון')
  })
})

describe('parseQuery', () => {
  it('makes one concept of a word with its prefixes', () => {
    const { concepts } = parseQuery('ובכוונה')
    const [own, ...others] = concepts.filter((c) => c.script === 'he').map(({ terms }) => [...terms.keys()])
    expect(others).toEqual([])
    expect(own).toEqual(expect.arrayContaining(['ובכוונה', 'כוונה', 'הכוונה', 'לכוונה']))
  })

  it('asks for a known term in both languages', () => {
    const termsIn = (script: 'en' | 'he', text: string) =>
      parseQuery(text).concepts.find((concept) => concept.script === script)?.terms
    expect(termsIn('he', 'bitachon')?.has('בטחונ')).toBe(true)
    expect(termsIn('en', 'בטחון')?.has('trust')).toBe(true)
  })

  it('leaves out stop words, unless there is nothing else', () => {
    expect(parseQuery('מה היא האמונה').concepts.filter((c) => c.script === 'he')).toHaveLength(1)
    expect(parseQuery('what is faith').concepts).toHaveLength(parseQuery('faith').concepts.length)
    expect(parseQuery('what is it').concepts.length).toBeGreaterThan(0)
  })

  it('makes at most 48 concepts of a pasted text', () => {
    const pasted = Array.from({ length: 5000 }, (_, i) => `word${i}`).join(' ')
    expect(parseQuery(pasted).concepts).toHaveLength(48)
  })
})

describe('Hebrew numbers', () => {
  it('are read back as they were written, from 1 to 999', () => {
    for (let n = 1; n < 1000; n += 1) {
      const written = toHebrewNumber(n)
      expect(hebrewNumber(`${written.slice(0, -1)}"${written.slice(-1)}`), written).toBe(n)
    }
  })

  it('are not seen in ordinary words', () => {
    expect(hebrewNumber('תשובה')).toBeUndefined()
    expect(hebrewNumber('אמת')).toBeUndefined()
  })
})

it('a number beyond those that letters are used for stays in digits, however long it is', () => {
  expect(hebrewNumeral(9_999)).toBe('ט׳תתקצ״ט')
  expect(hebrewNumeral(10_000)).toBe('10000')
  expect(hebrewNumeral(1e200)).toBe('1e+200')
  const endless = '9'.repeat(200)
  expect(printedHebrewAddress([endless, '3'])).toBe(`${endless}:ג׳`)
  expect(hebrewHeadingOf({ ref: `Tanya ${endless}`, heRef: `תניא ${endless}` })).toBe('תניא')
})
