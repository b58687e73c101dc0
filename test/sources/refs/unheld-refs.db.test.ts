import { describe, expect, it } from 'vitest'
import { hitQuery, readHits } from '../../../src/sources/search/hit-page.ts'
import { refNotFound } from '../../../src/sources/search/missing/statement.ts'
import { useLibraryDatabase } from '../../support/database.ts'
import { libraryReader } from '../../support/library-reader.ts'

/** The starter library: entries about books, and none of the books. */
const db = useLibraryDatabase()
const { verify, findIn, missingIn } = libraryReader(db)

const refs = async (text: string) => (await findIn(text)).map(({ written, outcome }) => [written, outcome])
const missing = async (text: string) => (await missingIn(text)).map(({ written, kind }) => [written, kind])

const english = [
  ...['Tanya 32', 'Tanya, 32', 'Tanya 32:1', 'Tanya I:32', 'Tanya, ch. 32', 'Tanya, Likkutei Amarim 32'],
  ...['LM 282', 'Likutei Moharan 282', 'Likutei Moharan II, 24', 'Pirkei Avot 2:16', 'Avos 2:16', 'Gen. 1:1'],
  ...['Bereishis 1:1', 'Ps. 119:89', 'Psalms 119', 'Berakhot 5a', 'Zohar I:11b', 'Zohar, Bereshit 15a'],
  ...['Rambam, Hilchos Teshuvah 2:2', 'Kedushat Levi, Bereshit 1', 'Meor Enayim Bereshis 3', 'Tanya XXXII'],
  ...['Shulchan Aruch, Orach Chaim 1:1', 'Mishneh Torah, Repentance 2:2', 'Tanya, XXXII', 'Genesis XXIII:4'],
  ...['Likutei Moharan ii:24', 'L.A. 26', 'L"A 26', 'L.A. ch. 26', 'Peri Aretz 1', 'Pri Ha-Aretz 1'],
]
const hebrew = [
  ...['תניא ל"ב', 'תניא לב', 'תניא, לב', 'תניא פל"ב', 'ספר התניא פרק לב', 'לקו"מ רפב', 'ליקוטי מוהר"ן רפ"ב'],
  ...['אבות ב, טז', 'אבות פ"ב מט"ז', 'פרקי אבות ב, טז', 'ברכות ה ע"א', 'ברכות דף ה עמוד ב', 'שבת לא ע"ב'],
  ...['בראשית א, א', 'בראשית א א', 'תהלים קיט, פט', 'תהילים קיט פט', 'ויקרא יט, יח', 'שמות ג, ב'],
  ...['זוהר ח"א יא ע"ב', 'זהר בראשית טו ע"א', 'כוזרי א, כה', 'מורה נבוכים ג, נא', 'הלכות תשובה ב, ב'],
  ...['קדושת לוי בראשית א', 'שפת אמת בראשית תרל"א', 'ליקוטי תורה ראה לב ע"ב', 'תורה אור ה ע"ב'],
  ...['אגה"ק סי"א', 'אגה"ק סי׳ י"א', 'אגה"ק סכ"ה', 'אגה"ק ס"ה'],
  ...['אורח חיים סימן רל"א', 'שו"ע או"ח רלא', 'רמב"ם הלכות תשובה פרק ב הלכה ב'],
]

it('a URL of a place that the library does not hold is a ref', async () => {
  const url = 'https://www.sefaria.org/Tanya%2C_Part_I%3B_Likkutei_Amarim.32'
  expect(await refs(`It is so ([here](${url}?lang=bi)).`)).toEqual([[`${url}?lang=bi`, 'unknown_work']])
  const { quotes } = await verify(`“Joy here does not mean denying pain” ([source](${url})).`)
  const [ref, found_ref] = ['Tanya, Part I; Likkutei Amarim 32', 'Concepts of Chassidut, Simcha 1']
  expect(quotes).toMatchObject([{ result: 'misattributed', ref, found_ref }])
})

describe('a place of a work that the library does not hold is seen whole:', () => {
  it.each(english)('%s', async (ref) => {
    const wanted = [[ref, 'unknown_work']]
    expect(await refs(`It is so (${ref}).`)).toEqual(wanted)
    expect(await refs(`As it says in ${ref}, love is great.`)).toEqual(wanted)
    expect(await missing(`What does ${ref} say?`)).toEqual([[ref, 'unheld']])
  })

  it.each(hebrew)('%s', async (ref) => {
    const wanted = [[ref, 'unknown_work']]
    expect(await refs(`כן הוא (${ref}).`)).toEqual(wanted)
    expect(await refs(`כמו שכתוב ב${ref}, אהבה גדולה.`)).toEqual(wanted)
    expect(await missing(`מה כתוב ב${ref}?`)).toEqual([[ref, 'unheld']])
  })

  it.each([
    ...['ברכות ה.', 'ברכות ה:', 'ישעיה ו', 'Genesis 1', 'Berachos 5', 'Ps. 119', 'ברכות ה, א'],
    ...['בבא מציעא נט', 'תניא לא'],
    ...['Noam Elimelech, Vayeshev', 'נועם אלימלך וישב'],
  ])('in brackets alone: (%s)', async (ref) => {
    expect(await refs(`so it is (${ref}) there`)).toEqual([[ref, 'unknown_work']])
  })
})

describe('one number after a title that is also a word is a ref where something is read:', () => {
  it.each([
    ['What is written in Ps. 119?', 'Ps. 119'],
    ['What does it say in Avot 2?', 'Avot 2'],
    ['What does Bereshit 1 teach?', 'Bereshit 1'],
    ['מה כתוב בישעיהו ו?', 'ישעיהו ו'],
    ['מה נאמר בברכות ה?', 'ברכות ה'],
  ])('%s', async (question, ref) => {
    expect(await missing(question)).toEqual([[ref, 'unheld']])
  })
})

describe('the unknown_ref of a search', () => {
  const options = { semantic: undefined, signal: new AbortController().signal }
  it.each([
    { q: 'Tanya 32', ref: 'Tanya 32' },
    { q: 'תניא ל"ב', ref: 'תניא ל"ב' },
    { q: 'What does Sefer Orot HaPaamonim chapter 4 say?', ref: 'Sefer Orot HaPaamonim chapter 4' },
    { q: 'What does the Tanya say about joy?', ref: undefined },
  ])('of $q is $ref', async ({ q, ref }) => {
    const { unknownRef } = await readHits(db.database.system, hitQuery.parse({ q }), options)
    expect(unknownRef).toEqual(ref && expect.objectContaining({ ref, nearest: null }))
  })
})

it('a tool says of such a place that the work is not held, as the search does', async () => {
  const near = { nearest: [] }
  const unheld = await refNotFound(db.database.system, 'Tanya 32', near)
  expect(unheld.content).toContain('does not hold that work')
  const entry = await refNotFound(db.database.system, 'Concepts of Chassidut, Sadness 1', near)
  expect(entry.content).toContain('does not exist in this library')
})

describe('a quotation with such a place is not confirmed:', () => {
  it.each([
    '“Desires still rise in his heart” (Tanya 32)',
    '“Desires still rise in his heart” (LM 282).',
    '“Desires still rise in his heart” (Ps. 119:89)',
    '"התאוות עדיין מתעוררות בלבו" (תניא ל"ב)',
    '"התאוות עדיין מתעוררות בלבו" (אבות ב, טז).',
    '"התאוות עדיין מתעוררות בלבו" (ברכות ה.)',
    '“Desires still rise in his heart” (Books of Chassidut, Kuzari 1)',
  ])('%s', async (text) => {
    const { quotes, refs: checks } = await verify(text)
    expect(quotes.map(({ result }) => result)).toEqual(['misattributed'])
    expect(checks.map(({ exists }) => exists)).toEqual([false])
  })
})

describe('an entry that a work of the library does not have is reported without a quotation:', () => {
  it.each([
    ['So it is in Concepts of Chassidut, Sadness 1, and so on.', 'Concepts of Chassidut, Sadness 1'],
    ['As in Books of Chassidut, Kuzari 1.', 'Books of Chassidut, Kuzari 1'],
    ['כתוב במושגי החסידות, עצבנות א, וכן הוא.', 'מושגי החסידות, עצבנות א'],
  ])('%s', async (text, asked) => {
    const nearest = expect.any(String)
    expect((await verify(text)).refs).toMatchObject([{ ref: asked, exists: false, nearest }])
  })
})

describe('a question that asks what an unheld book says is told so:', () => {
  it.each([
    ['What does the Tanya say about two kings?', 'Tanya'],
    ['According to the Tanya, what is a beinoni?', 'Tanya'],
    ['How does the Tanya define a tzaddik?', 'Tanya'],
    ['What is joy according to Tanya?', 'Tanya'],
    ['מה אומר התניא על שמחה?', 'תניא'],
    ['לפי התניא, מהו בינוני?', 'תניא'],
    ['מה אומר השפת אמת על שבת?', 'שפת אמת'],
  ])('%s', async (question, title) => {
    expect(await missing(question)).toEqual([[title, 'unheld_work']])
  })

  it.each([
    ["What is the Tanya's sixth part?", "Tanya's sixth part"],
    ['מה כתוב בחלק השישי של התניא?', 'בחלק השישי של התניא'],
  ])('%s', async (question, written) => {
    expect(await missing(question)).toEqual([[written, 'unheld']])
  })

  it.each([
    'בתניא',
    'בלקו"ת',
    'Who wrote the Tanya?',
    'מי כתב את התניא?',
    'What is the Tanya?',
    'When was the Tanya printed?',
  ])('but not: %s', async (question) => {
    expect(await missing(question)).toEqual([])
  })
})
