import fc from 'fast-check'

const words =
  'the Tanya says love word12 3rd isn’t soul (so) no one Torah sections chap.ter verses, light; God. mind: A–B heart— and…'
const hebrew = 'בתניא לב האדם פרק ל"ב (שם) אות ב׳ ולכן, הקב"ה דף מא ע"א תורה רפ"ב שלושים'
const refs = [
  'Tanya 32',
  'Tanya, Part I; Likkutei Amarim 32:4',
  'chapter thirty-two of the Tanya',
  'CHAPTER Two',
  'the sixtieth chapter',
  'thirty second epistle',
  'Perek Lamed Beis',
  'Likutei Moharan II:48',
  'Likutei Moharan XX',
  'Concepts of Chassidut, Bitul 1',
  'paragraph 3',
  'Verse four',
  '§ 3',
  'Berakhot 2a-3b',
  'ibid., ch. 33',
  'p. 41',
  'vol. two',
  'תניא פרק ל"ב',
  'פרק לב בתניא',
  'מושגי החסידות, ביטול א',
  'sefaria.org/Tanya.32',
  'www.sefaria.org.il',
  '/library/read/Tanya%2032',
  'Tanya%2032',
  'HTTPS://example.org/a',
  'ﬁrst chaptеr ３',
  'ｃｈａｐｔｅｒ two',
  'cha\u0301pter two',
  'chap`ter two',
  '[S1]',
]
const quotations = [
  '“a light that drives away”',
  '"so it is said"',
  '*a small light in here*',
  '> a light in the dark room',
  '‚one two three four‘',
  '׳אור קטן שדוחה חושך׳',
]

/** Texts in English and Hebrew, with refs in many forms, quotations, and anything else. */
export const textsWithRefs: fc.Arbitrary<string> = fc
  .array(
    fc.tuple(
      fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom(...words.split(' ')) },
        { weight: 2, arbitrary: fc.constantFrom(...hebrew.split(' ')) },
        { weight: 2, arbitrary: fc.constantFrom(...refs) },
        { weight: 1, arbitrary: fc.constantFrom(...quotations) },
        { weight: 1, arbitrary: fc.string({ maxLength: 6 }) },
        { weight: 1, arbitrary: fc.string({ maxLength: 3, unit: 'grapheme' }) },
      ),
      fc.constantFrom(' ', ' ', ' ', ' ', '. ', ', ', '\n', '\n\n', '-', ''),
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.flat().join(''))
