import { describe, expect, it } from 'vitest'
import { resolveRef, resolveRefs } from '../../../src/sources/refs/ref-lookup.ts'
import { useLibraryDatabase } from '../../support/database.ts'
import { times } from '../../support/full.ts'
import { type ShelfRow, shelfLines, useLibrary } from '../../support/library-lines.ts'
import { libraryReader } from '../../support/library-reader.ts'

/** Headings of real books with made-up texts: in Hebrew, and the addresses that stand under them. */
const shelf: readonly ShelfRow[] = [
  ['Tanya', 'Tanya, Part I; Likkutei Amarim', 'תניא, חלק א; ליקוטי אמרים', '1', '31', '32', '33', '41', '53'],
  ['Tanya', 'Tanya, Part IV; Iggeret HaKodesh', 'תניא, חלק ד; אגרת הקודש', '20', '32'],
  ['Likutei Moharan', 'Likutei Moharan', 'ליקוטי מוהר״ן', '272:1:1', '282:1:1', '282:1:2', '282:2:1'],
  ['Likutei Moharan', 'Likutei Moharan, Part II', 'ליקוטי מוהר״ן, תנינא', '48:1:1', '48:2:7'],
  ['Kedushat Levi', 'Kedushat Levi, Genesis, Bereshit', 'קדושת לוי, בראשית, בראשית', '1', '2'],
  ['Baal Shem Tov', 'Baal Shem Tov, Noach', 'בעל שם טוב, נח', '14:1', '15:1', '15:2'],
  ['Berakhot', 'Berakhot', 'ברכות', '2a:4', '2a:5', '2b:1', '2b:3', '3a:1'],
  ['Gate of the Way into the Wells', 'Gate of the Way into the Wells', 'שער הדרך אל הבארות', '3:1', '3:2'],
]
const lines = shelfLines(shelf)
const own = [
  { work: 'Wells', ref: 'Wells 1', he_ref: 'בארות פרק א', en: 'one' },
  { work: 'Wells', ref: 'Wells, Afterword', he_ref: 'בארות, חלק ב', en: 'after' },
  { work: 'Wells', ref: 'Wells, Notes 8', he_ref: 'בארות (מהדורה שניה) דף ח', en: 'eight' },
  { work: 'Doors', ref: 'Doors, Front 3', en: 'in front' },
  { work: 'Doors', ref: 'Doors, Back 3', en: 'behind' },
  { work: 'Rivers', ref: 'Rivers 1', he_ref: 'נהרות א׳', he: 'מילים ארוכות על הנהר. '.repeat(400) },
  { work: 'Rivers', ref: 'Rivers 1:3', he_ref: 'נהרות א׳:ג׳', en: 'the third segment' },
  { work: 'Wells', ref: 'Wells, Long', he_ref: 'בארות, ארוך', en: 'A long sentence of words. '.repeat(120) },
]

const db = useLibrary([...lines, ...own], useLibraryDatabase())
const { findIn, missingIn } = libraryReader(db)

/** What each ref of a text became: its canonical ref, or the word for what is wrong with it. */
const outcomes = async (text: string) => (await findIn(text)).map(({ ref, outcome }) => ref ?? outcome)

const tanya = 'Tanya, Part I; Likkutei Amarim'

describe('a ref in a sentence is found:', () => {
  it.each([
    ['The two souls are explained in Tanya ch. 1.', `${tanya} 1`],
    ['See chapter 32 of the Tanya on love.', `${tanya} 32`],
    ['It is written in the Tanya, chapter thirty-two, that', `${tanya} 32`],
    ['as the Tanya (ch. 32) has it', `${tanya} 32`],
    ["the Tanya's chapter 32", `${tanya} 32`],
    ['**Tanya** 32: the words', `${tanya} 32`],
    ['tanya chapter 32 love of israel', `${tanya} 32`],
    ['So he writes (Tanya XXXII).', `${tanya} 32`],
    ['So he writes (tanya xxxii).', `${tanya} 32`],
    ['"תניא", פרק לב', `${tanya} 32`],
    ['The heart is ruled (Tanya Ch32) always', `${tanya} 32`],
    ['See L.A. 32, and be glad', `${tanya} 32`],
    ['Kedushat HaLevi, Bereshit 2 says', 'Kedushat Levi, Genesis, Bereshit 2'],
    ['כמבואר באגה"ק ס"כ, שם', 'Tanya, Part IV; Iggeret HaKodesh 20'],
    ['https://www.sefaria.org/Tanya%2C_Part_I%3B_Likkutei_Amarim.32?lang=bi says', `${tanya} 32`],
    ['(https://books.example/library/read/Tanya%2C%20Part%20I%3B%20Likkutei%20Amarim%2032).', `${tanya} 32`],
    ['Into the Gate of the Way into the Wells 3:2 we go.', 'Gate of the Way into the Wells 3:2'],
    ['מבואר בתניא פרק ל"ב שיש', `${tanya} 32`],
    ['כמו שכתוב בתניא פל"ב: אהבת ישראל', `${tanya} 32`],
    ['פרק ל״ב בתניא עוסק באהבה', `${tanya} 32`],
    ['באגרת הקודש סימן כ מבואר', 'Tanya, Part IV; Iggeret HaKodesh 20'],
    ['בבעש"ט נח טו איתא', 'Baal Shem Tov, Noach 15'],
    ['Compare Tanya 32-33 and more', `${tanya} 32-33`],
    ['in Wells, Afterword we read', 'Wells, Afterword'],
    ['see Wells, Long §2 there', 'Wells, Long §2'],
  ])('%s', async (text, ref) => {
    expect(await outcomes(text)).toEqual([ref])
  })

  it.each([
    ['Tanya speaks of it. In ch. 32 he says more.', [`${tanya} 32`]],
    ['Tanya 31 says it (ibid., ch. 33) and again (ibid.).', [31, 33, 33].map((n) => `${tanya} ${n}`)],
    ['בתניא פרק לב כתב (שם, פרק לג) ועוד (שם).', [32, 33, 33].map((n) => `${tanya} ${n}`)],
    ['התניא מבאר זאת באריכות. ראה פרק לב.', [`${tanya} 32`]],
    ['In Likutei Moharan 282 and in Tanya 32', ['Likutei Moharan 282', `${tanya} 32`]],
    ['Tanya ch. 112 and תניא פרק ק"ב', ['missing', 'missing']],
    ['Tanya, and then ch. 99 of it', ['missing']],
    ['In Sefer HaChalom 3:4 it is told', ['unknown_work']],
    ['Psalms, chapter 3 and the Tanya', ['unknown_work']],
    ['Compare Imaginary Tractate 5a', ['unknown_work']],
  ])('%s gives all', async (text, expected) => {
    expect(await outcomes(text)).toEqual(expected)
  })

  it.each([
    'In Chapter 5 on June 4 at 10:30 we were in Room 54 of Hotel 7.',
    'By Monday 10:30 all of the 613 were there, version 2.0, page 12:3.',
    'The Year 1796. In 1796 he was 54.',
    'בתניא לא נאמר כך, ובתניא של אדמו"ר הזקן',
    'לב האדם פרק ג בספר אחר',
    'Shaar HaYichud VehaEmunah, the gate of unity and faith, in 12; Iggeret HaTeshuvah in 12.',
  ])('none in: %s', async (text) => {
    expect(await outcomes(text)).toEqual([])
  })
})

const sentences: readonly ((ref: string) => string)[] = [
  (ref) => `As it is written in ${ref}, and so on.`,
  (ref) => `He said it (${ref}) there.`,
  (ref) => `See ${ref}: “words”`,
  (ref) => `מבואר ב${ref}, ועוד.`,
  (ref) => `וכך כתב (${ref}) שם.`,
  (ref) => `עיין ${ref}; והבן`,
]

/** Ways to write one ref that docs/refs.md names. */
function spellings(ref: string, heRef: string): readonly string[] {
  const [, heading = '', numbers = ''] = /^(.*?)(?: ([\d:a-d]+))?$/.exec(ref) ?? []
  const address = `https://www.sefaria.org/${ref.replaceAll(' ', '_')}`
  const written = [ref, heRef, heRef.replaceAll('״', '"').replaceAll('׳', "'"), encodeURI(address)]
  if (numbers !== '') written.push(`${heading} ${numbers.replaceAll(':', '.')}`, `${heading}, ch. ${numbers}`)
  return written.filter((one) => one !== '')
}

it('a ref that resolves alone is found in a sentence of either language', async () => {
  const { rows } = await db.database.systemPool.query<{ ref: string; he_ref: string }>(
    `select ref, he_ref from passages where work_id in (select id from works) order by id desc`,
  )
  const lost: unknown[] = []
  for (const [i, { ref, he_ref }] of rows.entries()) {
    // All shapes, and enough of the starter library: the test takes seconds.
    if (i > 40 && i % times(36, 9) !== 0) continue
    for (const [j, spelled] of spellings(ref, he_ref).entries()) {
      const alone = await resolveRef(db.database.system, spelled)
      // In a text, brackets end a title.
      if (!alone || spelled.includes('(')) continue
      const sentence = sentences[(i + j) % sentences.length]?.(spelled) ?? ''
      const found = await findIn(sentence)
      if (!found.some(({ place }) => JSON.stringify(place) === JSON.stringify(alone)))
        lost.push([spelled, sentence, found.map(({ asked, outcome, ref: as }) => [asked, outcome, as])])
    }
  }
  expect(lost).toEqual([])
})

it('a title with a number that several places have is ambiguous, and names them', async () => {
  const [ref] = await findIn('It is taught in Doors, chapter 3, that a door opens.')
  expect(ref).toMatchObject({ outcome: 'ambiguous', ref: null, nearest: ['Doors, Front 3', 'Doors, Back 3'] })
  expect(await missingIn('What does Doors chapter 3 say?')).toEqual([])
})

describe('a piece and a segment of one number are apart:', () => {
  it.each([
    ['Rivers ch. 1 §3', 'Rivers 1 §3'],
    ['נהרות פרק א §ג', 'Rivers 1 §3'],
    ['Rivers 1:3', 'Rivers 1:3'],
    ['Rivers ch. 1, 3', 'Rivers 1:3'],
  ])('%s', async (ref, wanted) => {
    const [resolved] = await resolveRefs(db.database.system, [ref])
    const [own] = await resolveRefs(db.database.system, [wanted])
    expect(resolved?.found?.place).toEqual(own?.found?.place)
    expect((await findIn(`It is said in ${ref}, that`))[0]?.place).toEqual(own?.found?.place)
  })
})

describe('no ref is', () => {
  it.each([
    ['letters that are no initials', 'In LA 32 people met, and in La 32 more.'],
    ['a Roman number behind another name', 'Henry VIII knew the Tanya, and so did Pope John XXIII.'],
    ['small letters in a sentence', 'the Tanya mi 5, and Tanya li said'],
    ['an abbreviation that looks like a siman', 'בתניא סה"כ, ובתניא סת"ם'],
  ])('%s', async (_, text) => {
    expect(await outcomes(text)).toEqual([])
  })
})

it.each([
  ['It is in Tanya 32 and 33.', [`${tanya} 32`, `${tanya} 33`]],
  ['(תניא פרק ל"ב ול"ג)', [`${tanya} 32`, `${tanya} 33`]],
  ['In Tanya 32 and 33 people agree', [`${tanya} 32`]],
  ['In Tanya 32 and 99.', [`${tanya} 32`]],
  ['בתניא פרק לב ובפרק לג מבואר', [`${tanya} 32`, `${tanya} 33`]],
])('numbers with "and" are places if they exist: %s', async (text, wanted) => {
  expect(await outcomes(text)).toEqual(wanted)
})

it('a Roman number that is part of a title names the part', async () => {
  expect(await outcomes('Likutei Moharan II, 48 and Likutei Moharan II.')).toEqual([
    'Likutei Moharan, Part II 48',
  ])
})
