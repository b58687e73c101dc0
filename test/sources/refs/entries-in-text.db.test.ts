import { beforeAll, describe, expect, it } from 'vitest'
import { verifyText } from '../../../src/sources/citations/verify.ts'
import { verifyLookups } from '../../../src/sources/citations/verify-lookups.ts'
import { resolveRef } from '../../../src/sources/refs/ref-lookup.ts'
import { useLibraryDatabase } from '../../support/database.ts'
import { importLines, type ShelfRow, shelfLines } from '../../support/library-lines.ts'

const shelf: readonly ShelfRow[] = [
  ['Kedushat Levi', 'Kedushat Levi, Genesis, Bereshit', 'קדושת לוי, בראשית, בראשית', '1', '2'],
  ['Streams', 'Streams, Vayeshev', 'נחלים, וישב', '1', '2'],
  ['Lamps', 'Lamps, Part II', 'נרות, חלק ב', '1', '2'],
  ['Lamps', 'Lamps, Introduction', 'נרות, הקדמה', '1', '2'],
  ['Lamps', 'Lamps, Wicks of Flax', 'נרות, פתילות', '1', '2'],
  ['Doors', 'Doors, Wicks of Flax', 'דלתות, פתילות', '1', '2'],
]

const db = useLibraryDatabase()
beforeAll(async () => {
  await importLines(db.database, shelfLines(shelf))
})

const verify = (text: string) => verifyText(text, verifyLookups(db.database.system))
const joy = 'The Psalmist asks to serve God in joy'
const rasha = 'Concepts of Chassidut, Rasha 1'

describe('words of another entry beside the name of an entry are misattributed:', () => {
  it.each([
    [`“${joy}” (Rasha 1).`, rasha],
    [`“${joy}” (see Rasha 1).`, rasha],
    [`“${joy}” (cf. Rasha 1).`, rasha],
    [`“${joy}” [Rasha 1]`, rasha],
    [`“${joy}.” (Rasha 1)`, rasha],
    [`“${joy}” — Rasha 1`, rasha],
    [`“${joy}” – Rasha 1.`, rasha],
    [`“${joy}” - Rasha 1`, rasha],
    [`“${joy},” Rasha 1.`, rasha],
    [`“${joy}”, Rasha 1.`, rasha],
    [`“${joy}” (Rasha, 1)`, rasha],
    [`“${joy}” (Rasha §1)`, rasha],
    [`“${joy}” (Rasha ch. 1)`, rasha],
    [`*${joy}* (Rasha 1)`, rasha],
    [`»${joy}« (Rasha 1)`, rasha],
    [`> ${joy}\n> — Rasha 1`, rasha],
    [`> ${joy} (Rasha 1)`, rasha],
    [`> ${joy}\n\n(Rasha 1)`, rasha],
    [`> ${joy}\n\n— Rasha 1`, rasha],
    [`Rasha 1: “${joy}”.`, rasha],
    [`**Rasha 1**: “${joy}”.`, rasha],
    [`Rasha 1\n> ${joy}`, rasha],
    [`Rasha 1 begins: “${joy}”.`, rasha],
    [`- From **Rasha 1**: “${joy}”.`, rasha],
    [`1. *Rasha 1*: “${joy}”.`, rasha],
    [`“${joy}” (*Rasha 1*)`, rasha],
    [`> ${joy}\n\n— **Rasha 1**`, rasha],
    [`In the entry “Rasha”: “${joy}”.`, 'Concepts of Chassidut, Rasha'],
    [`בערך "רשע" נאמר: “${joy}”.`, 'Concepts of Chassidut, Rasha'],
    [`In the entry *Rasha* of *Concepts of Chassidut*: “${joy}”.`, 'Concepts of Chassidut, Rasha'],
    [`“${joy}” (*Concepts of Chassidut*, s.v. *Rasha*).`, 'Concepts of Chassidut, Rasha'],
    [`Concepts of Chassidut (Rasha): “${joy}”.`, 'Concepts of Chassidut, Rasha'],
    [`“${joy}” (Bitachon 1)`, 'Concepts of Chassidut, Bitachon 1'],
    [`“${joy}” (Rebbe 1)`, 'Concepts of Chassidut, Rebbe 1'],
    [`“${joy}” (Two Souls 1)`, 'Concepts of Chassidut, Two Souls 1'],
    [`“${joy}” (The Kotzker Rebbe 1)`, 'Masters of Chassidut, Kotzker Rebbe 1'],
    [`“${joy}” (Kotzker Rebbe 1)`, 'Masters of Chassidut, Kotzker Rebbe 1'],
    [`“${joy}” (Moach Shalit Al HaLev 1)`, 'Concepts of Chassidut, Moach Shalit Al HaLev 1'],
    [`“${joy}” (רשע א)`, rasha],
    [`“${joy}” (הרשע א)`, rasha],
    [`“${joy}” (ראה רשע א')`, rasha],
    [`“${joy}” (אור גנוז א)`, 'Concepts of Chassidut, Or HaGanuz 1'],
    [`“${joy}” (הבעש"ט א)`, 'Masters of Chassidut, Baal Shem Tov 1'],
    [`“${joy}” (הבעל שם טוב א)`, 'Masters of Chassidut, Baal Shem Tov 1'],
    [`“${joy}” – אהבת ה' א`, 'Concepts of Chassidut, Ahavat Hashem 1'],
    [`“${joy}” (Rasha 1; Bitachon 1)`, rasha],
    [`According to Rasha 1, “${joy}”`, rasha],
    [`In Rasha 1 we read: “${joy}”`, rasha],
    [`Rasha 1 says that “${joy}”`, rasha],
    [`“${joy}” (Rasha 7)`, 'Rasha 7'],
  ])('%s', async (text, ref) => {
    const { quotes } = await verify(text)
    expect(quotes).toMatchObject([
      { result: 'misattributed', ref, found_ref: 'Concepts of Chassidut, Simcha 1' },
    ])
  })
})

it.each([
  `“${joy}” (Concepts of Chassidut, s.v. Rasha)`,
  `“${joy}” (Concepts of Chassidut, entry “Rasha”)`,
  `“${joy}” (מושגי החסידות, ערך רשע)`,
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
  `“${joy}” (השמחה א)`,
  `> ${joy}\n> — Simcha 1`,
  `“${joy}” (see Rasha 2; Simcha 1)`,
])('words of the entry are verbatim beside its name: %s', async (text) => {
  const { quotes } = await verify(text)
  expect(quotes).toMatchObject([{ result: 'verbatim', ref: expect.stringMatching(/Simcha|שמחה/) }])
})

describe('no ref is read in', () => {
  it.each([
    'He gave Simcha 1 apple and Natan 2 pears.',
    'Simcha 1 was there, and Rasha 1 was not.',
    'Of the two, Rasha 1 is the worse, and Simcha 2 the better.',
    '“The Psalmist asks to serve God in joy” Simcha 1 apple gave',
    '“The Psalmist asks to serve God in joy”, Simcha 1 said to him.',
    '“The Psalmist asks to serve God in joy” (Simcha, 19 years)',
    '“The Psalmist asks to serve God in joy” (Rosh 1)',
    '“The Psalmist asks to serve God in joy” (Simcha)',
    '“The Psalmist asks to serve God in joy” (joy 1)',
    '“The Psalmist asks to serve God in joy” (simcha 1)',
    '“The Psalmist asks to serve God in joy” (May 1)',
    '“The Psalmist asks to serve God in joy” (Figure 1)',
    '“The Psalmist asks to serve God in joy” (Note 1)',
    '“The Psalmist asks to serve God in joy” (Chassidut 1)',
    '“The Psalmist asks to serve God in joy” (Introduction 1)',
    '“The Psalmist asks to serve God in joy” (Part II 1)',
    '“The Psalmist asks to serve God in joy” (חלק ב א)',
    '“The Psalmist asks to serve God in joy” (Vayeshev 1)',
    '“The Psalmist asks to serve God in joy” (Vayeshev 2)',
    '“The Psalmist asks to serve God in joy” (Emet 1990)',
    '“The Psalmist asks to serve God in joy” (Simcha 1st)',
    '“The Psalmist asks to serve God in joy” (Simcha 1 of 3)',
    '“The Psalmist asks to serve God in joy” (Simcha 12%)',
    'He and Natan 2 said: “The Psalmist asks to serve God in joy”',
    'In the year (Simcha 5) he came; he had (Dreams 12) and more.',
    'A list: (Emet 2), (Anavah 3) and (Kaas 4).',
    'The score is Chabad 1 - Breslov 0',
    'הוא נתן שמחה א ועוד דבר',
    'היתה לו שמחה א גדולה מאד',
    '“The Psalmist asks to serve God in joy” (שמחה)',
    '“The Psalmist asks to serve God in joy” (שמחה של מצוה)',
    "“The Psalmist asks to serve God in joy” (אהבת ה')",
    '“The Psalmist asks to serve God in joy” (אמר אמת א)',
    'כתוב (יום א) ועוד (שיעור ב) ועוד (כיתה ג)',
    'רשע א׳ אמר לרשע ב׳ דבר גדול',
    'אמת ב׳ פעמים, (אמת ב׳ פעמים) כך אמר',
  ])('%s', async (text) => {
    expect((await verify(text)).refs).toEqual([])
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
  'Introduction 1',
  'Part II 1',
  'Vayeshev 1',
  'Wicks of Flax 1',
  'Rasha 9',
  'Rosh 1',
  'joy 1',
  'Rasha',
  '1',
  'Chassidut 1',
])('the ref %s does not resolve', async (ref) => {
  expect(await resolveRef(db.database.system, ref)).toBeUndefined()
})
