import { describe, expect, it } from 'vitest'
import { resolveRef } from '../../../src/sources/refs/ref-lookup.ts'
import { useLibraryDatabase } from '../../support/database.ts'
import { type ShelfRow, shelfLines, useLibrary } from '../../support/library-lines.ts'
import { libraryReader } from '../../support/library-reader.ts'

const shelf: readonly ShelfRow[] = [
  ['Kedushat Levi', 'Kedushat Levi, Genesis, Bereshit', 'קדושת לוי, בראשית, בראשית', '1', '2'],
  ['Streams', 'Streams, Vayeshev', 'נחלים, וישב', '1', '2'],
  ['Lamps', 'Lamps, Part II', 'נרות, חלק ב', '1', '2'],
  ['Lamps', 'Lamps, Introduction', 'נרות, הקדמה', '1', '2'],
  ['Lamps', 'Lamps, Wicks of Flax', 'נרות, פתילות', '1', '2'],
  ['Doors', 'Doors, Wicks of Flax', 'דלתות, פתילות', '1', '2'],
]

const db = useLibrary(shelfLines(shelf), useLibraryDatabase())
const { verify } = libraryReader(db)

const joy = 'The Psalmist asks to serve God in joy'
const concepts = 'Concepts of Chassidut, '
const rasha = `${concepts}Rasha 1`

describe('words of another entry beside the name of an entry are misattributed:', () => {
  const besideRasha = [
    ...['“Q” (Rasha 1).', '“Q” (see Rasha 1).', '“Q” [Rasha 1]', '“Q” — Rasha 1', '“Q” (Rasha §1)'],
    ...['“Q” (*Rasha 1*)', '“Q” (Rasha ch. 1)', '“Q” (רשע א)', '“Q” (הרשע א)', "“Q” (ראה רשע א')"],
    ...['“Q” (Rasha 1; Bitachon 1)', '*Q* (Rasha 1)', '»Q« (Rasha 1)', '“Q.” (Rasha 1)', '“Q”, Rasha 1.'],
    ...['> Q\n> — Rasha 1', '> Q\n\n— Rasha 1', '> Q\n\n— **Rasha 1**', 'Rasha 1\n> Q', 'Rasha 1: “Q”.'],
    ...['**Rasha 1**: “Q”.', 'Rasha 1 begins: “Q”.', 'According to Rasha 1, “Q”', 'Rasha 1 says that “Q”'],
  ]
  it.each([
    ...besideRasha.map((text) => [text, rasha]),
    ['In the entry “Rasha”: “Q”.', `${concepts}Rasha`],
    ['בערך "רשע" נאמר: “Q”.', `${concepts}Rasha`],
    ['In the entry *Rasha* of *Concepts of Chassidut*: “Q”.', `${concepts}Rasha`],
    ['“Q” (*Concepts of Chassidut*, s.v. *Rasha*).', `${concepts}Rasha`],
    ['Concepts of Chassidut (Rasha): “Q”.', `${concepts}Rasha`],
    ['“Q” (Rebbe 1)', `${concepts}Rebbe 1`],
    ['“Q” (The Kotzker Rebbe 1)', 'Masters of Chassidut, Kotzker Rebbe 1'],
    ['“Q” (Moach Shalit Al HaLev 1)', `${concepts}Moach Shalit Al HaLev 1`],
    ['“Q” (אור גנוז א)', `${concepts}Or HaGanuz 1`],
    ['“Q” (הבעל שם טוב א)', 'Masters of Chassidut, Baal Shem Tov 1'],
    ["“Q” – אהבת ה' א", `${concepts}Ahavat Hashem 1`],
    ['“Q” (Rasha 7)', 'Rasha 7'],
  ])('%s', async (text, ref) => {
    const found_ref = 'Concepts of Chassidut, Simcha 1'
    const { quotes } = await verify(text.replace('Q', joy))
    expect(quotes).toMatchObject([{ result: 'misattributed', ref, found_ref }])
  })
})

it.each([
  `“${joy}” (Concepts of Chassidut, s.v. Rasha)`,
  `“${joy}” (מושגי החסידות, ערך "רשע")`,
  `במושגי החסידות בערך רשע: “${joy}”`,
])('words of another entry are misattributed to the entry of a work: %s', async (text) => {
  const { quotes } = await verify(text)
  expect(quotes).toMatchObject([{ result: 'misattributed', found_ref: 'Concepts of Chassidut, Simcha 1' }])
})

it.each([
  `“${joy}” (Concepts of Chassidut, s.v. Simcha)`,
  `“${joy}” (מושגי החסידות, ערך שמחה)`,
  `“${joy}” (Simcha 1)`,
  `“${joy}” (שמחה א)`,
  `> ${joy}\n> — Simcha 1`,
  `“${joy}” (see Rasha 2; Simcha 1)`,
])('words of the entry are verbatim beside its name: %s', async (text) => {
  const { quotes } = await verify(text)
  expect(quotes).toMatchObject([{ result: 'verbatim', ref: expect.stringMatching(/Simcha|שמחה/) }])
})

describe('no ref is read in', () => {
  const brackets = [
    ...['Simcha, 19 years', 'Rosh 1', 'Simcha', 'joy 1', 'simcha 1', 'Chassidut 1', 'Introduction 1'],
    ...['Vayeshev 1', 'חלק ב א', 'Emet 1990', 'Simcha 1st', 'Simcha 1 of 3', 'שמחה', 'שמחה של מצוה'],
    ...["אהבת ה'", 'אמר אמת א'],
  ]
  it.each([
    ...brackets.map((words) => `“Q” (${words})`),
    'He gave Simcha 1 apple and Natan 2 pears.',
    'Simcha 1 was there, and Rasha 1 was not.',
    'Of the two, Rasha 1 is the worse, and Simcha 2 the better.',
    '“Q” Simcha 1 apple gave',
    '“Q”, Simcha 1 said to him.',
    'He and Natan 2 said: “Q”',
    'A list: (Emet 2), (Anavah 3) and (Kaas 4).',
    'The score is Chabad 1 - Breslov 0',
    'כתוב (יום א) ועוד (שיעור ב) ועוד (כיתה ג)',
    'רשע א׳ אמר לרשע ב׳ דבר גדול',
    'אמת ב׳ פעמים, (אמת ב׳ פעמים) כך אמר',
  ])('%s', async (text) => {
    expect((await verify(text.replace('Q', joy))).refs).toEqual([])
  })
})

it('an entry of several works may mean each of them', async () => {
  const { refs } = await verify(`“${joy}” (Wicks of Flax 1)`)
  expect(refs).toMatchObject([{ ref: 'Wicks of Flax 1', exists: true }])
})

it.each(['Kotzker Rebbe 1', 'The Kotzker Rebbe 1', 'Rasha 1', 'רשע א', 'Ahavat Yisrael 1'])(
  'the ref %s resolves without the title of its work',
  async (ref) => {
    expect(await resolveRef(db.database.system, ref)).toBeDefined()
  },
)

it.each([
  ...['Introduction 1', 'Part II 1', 'Vayeshev 1', 'Wicks of Flax 1', 'Rasha 9', 'Rosh 1', 'joy 1', 'Rasha'],
  '1',
  'Chassidut 1',
])('the ref %s does not resolve', async (ref) => {
  expect(await resolveRef(db.database.system, ref)).toBeUndefined()
})
