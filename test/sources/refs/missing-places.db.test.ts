import { beforeAll, describe, expect, it } from 'vitest'
import { missingPlaces } from '../../../src/sources/search/missing/places.ts'
import { missingResult, missingStatement, namesFor } from '../../../src/sources/search/missing/statement.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { useDatabase, useLibraryDatabase } from '../../support/database.ts'
import { importLines } from '../../support/library-lines.ts'
import { libraryReader } from '../../support/library-reader.ts'

const heading = 'Tanya, Part I; Likkutei Amarim'
const long = 'the way of joy is long and the heart is a lamp. '

const db = useLibraryDatabase()
const { missingIn } = libraryReader(db)
beforeAll(async () => {
  const lines = [1, 2, 15, 30, 41, 53].map((n) => ({ ref: `${heading} ${n}`, en: `words of chapter ${n}` }))
  const cut = `${long.repeat(40)} Love of Israel is the root. ${long.repeat(40)}`
  lines.splice(4, 0, { ref: `${heading} 32`, en: cut })
  await importLines(
    db.database,
    lines.map((line) => ({ work: 'Tanya', ...line })),
  )
})

const missing = async (text: string) => (await missingIn(text)).map(({ written, kind }) => [written, kind])

describe('a question names what does not exist:', () => {
  it.each([
    ['What does Tanya chapter 112 say about love?', 'Tanya chapter 112', 'place'],
    ['מה כתוב בתניא פרק קב?', 'תניא פרק קב', 'place'],
    ['What is in chapter sixty of the Tanya?', 'Tanya chapter sixty', 'place'],
    ['According to the 112th chapter of Tanya, what is joy?', 'Tanya 112th chapter', 'place'],
    ['מה אומר הפרק המאה של התניא?', 'תניא הפרק המאה', 'place'],
    ['What does the book Ohr HaNeshamot of Rabbi Yaakov of Lublin teach?', 'Ohr HaNeshamot', 'work'],
    ['Explain the Gate of Clouds by Rabbi Anshel on prayer', 'Gate of Clouds', 'work'],
    ['מה כתוב בספר נתיבות הענן של הרב משה מבראד?', 'ספר נתיבות הענן', 'work'],
    ['לפי "שער העננים" של רבי איצל, מהי אהבה?', 'שער העננים', 'work'],
    ['In Tzeror HaShoshan of the Blotover Rebbe, how is joy explained?', 'Tzeror HaShoshan', 'work'],
    ['מה דעת בעל "משכן הלבבות" על שמחה?', 'משכן הלבבות', 'work'],
    ['מה כותב רבי איצל בספרו "ניגוני הענן"?', 'ניגוני הענן', 'work'],
    ['What is on Tanya p. 41?', 'Tanya p. 41', 'page'],
    ['מה כתוב בתניא עמוד מא?', 'תניא עמוד מא', 'page'],
    ['Explain Likutei Moharan III:45', 'Likutei Moharan III:45', 'unheld'],
    ['מה הרעיון של ספר החסידות מגדל הענן חלק ב?', 'מגדל הענן', 'work'],
    ['What does Mesillat Yesharim chapter 4 say?', 'Mesillat Yesharim chapter 4', 'unheld'],
    ['letter 33 of the Tanya, on charity', 'Tanya letter 33', 'place'],
    ['מה כתוב באגרת נ בתניא?', 'תניא באגרת נ', 'place'],
    ['לפי אגרת התשובה פרק שלושה עשר', 'אגרת התשובה פרק שלושה עשר', 'unheld'],
    ['Tanya perek ס"ה', 'Tanya perek ס"ה', 'place'],
    ["Sha'ar ha-Yihud chapter twenty", "Sha'ar ha-Yihud chapter twenty", 'unheld'],
    ['What does part six of the Tanya discuss?', 'part six of the Tanya', 'place'],
    ['מה כתוב בתניא חלק ו?', 'תניא חלק ו', 'place'],
    ['Tanya VI, chapter 3 - what does it teach?', 'Tanya VI, chapter 3', 'place'],
    ['מה כתוב בתניא דף מא ע"ב?', 'תניא דף מא ע"ב', 'page'],
    ['On page one hundred of the Tanya', 'Tanya page one hundred', 'page'],
    ['מושגי החסידות, גבורה א', 'מושגי החסידות, גבורה א', 'place'],
    ['What is written in Emek HaLevavot chapter 3?', 'Emek HaLevavot chapter 3', 'work'],
    ['Chapter 4 of Orot HaMidbar, on silence', 'Orot HaMidbar Chapter 4', 'work'],
    ['מעייני הדעת פרק ז, מה מבואר שם?', 'מעייני הדעת פרק ז', 'work'],
    ['What does Netivei HaAfar teach of clay?', 'Netivei HaAfar', 'work'],
    ['What does Zriha VaGeshem teach of rain?', 'Zriha VaGeshem', 'work'],
    ['What does Sefer Orot HaPaamonim chapter 4 say?', 'Sefer Orot HaPaamonim chapter 4', 'work'],
    ['In "The Gate of Falling Leaves", what is a tree?', 'The Gate of Falling Leaves', 'work'],
    ['what does sefer mishkenot haruach say?', 'mishkenot haruach', 'work'],
    ['בחיבורו כסא האור, מהי מלכות?', 'כסא האור', 'work'],
    ['מורה נבוכים חלק ג פרק נא', 'מורה נבוכים חלק ג פרק נא', 'unheld'],
    ['Rambam, Hilchot Teshuvah chapter 3', 'Rambam, Hilchot Teshuvah chapter 3', 'unheld'],
    ['What does Mesillat Yesharim say of joy?', 'Mesillat Yesharim', 'unheld_work'],
    ['לפי ליקוטי מוהר"ן, מהי התבודדות?', 'ליקוטי מוהר"ן', 'unheld_work'],
    ['Compare the Tanya and Nefesh HaChaim on study.', 'Nefesh HaChaim', 'unheld_work'],
    ['מה ההבדל בין התניא לנפש החיים?', 'נפש החיים', 'unheld_work'],
    ['When was Mishmeret HaKetarim printed?', 'Mishmeret HaKetarim', 'work'],
    ['מי חיבר את נתיבות האגם?', 'נתיבות האגם', 'work'],
    ['ערבי נחל על שבת', 'ערבי נחל', 'unheld_work'],
    ['איזה משל מובא בבאר מים חיים?', 'באר מים חיים', 'unheld_work'],
    ['אני לומד על שבת בספר תפארת שלמה', 'תפארת שלמה', 'unheld_work'],
    ['According to Orchot HaGechalim, what is anger?', 'Orchot HaGechalim', 'work'],
    ['Where in Shivchei HaTzolel is the sea?', 'Shivchei HaTzolel', 'work'],
    ['what does toldos feivel say about bread', 'toldos feivel', 'work'],
    ['לפי ליקוטי מהרז״ט, מהו ניגון?', 'ליקוטי מהרז״ט', 'work'],
    ['מה כתוב בספר דגל מחנה ראובן על ענווה?', 'דגל מחנה ראובן', 'work'],
    ['אהל שמריה מסאטמר על התפילה', 'אהל שמריה', 'work'],
    ['עטרת זונדל פרשת נח', 'עטרת זונדל', 'work'],
    ['בשפתי זונדל מובא משל על ים', 'שפתי זונדל', 'work'],
    ['מה כתב רבי איצל בספרו של רבי זונדל "מגדל העשן"?', 'מגדל העשן', 'work'],
  ])('%s', async (question, written, kind) => {
    expect(await missing(question)).toEqual([[written, kind]])
  })

  it('with what is nearest', async () => {
    const [place] = await missingIn('What does Tanya chapter 55 say?')
    expect(place?.nearest[0]).toBe(`${heading} 53`)
  })

  it.each([
    ...['שירת הים פרשת בשלח', 'מה הספר החשוב ביותר?', 'ברכת כוהנים מירושלים', 'What does Or Makif mean?'],
    ...['איזה ספר כתב רבי אלימלך?', 'ספר לי סיפור על רבי זושא', 'איך הולכים בדרך ה׳ בשמחה?'],
    ...['Who wrote Mesillat Yesharim?', 'איך פותחים את שערי הלב בתפילה?'],
    ...['בתניא של אדמו"ר הזקן לא נאמר כך', 'מה ללמוד מפרק שלושים בספר התניא?'],
    ...['כמה פעמים משלימים את מספר הצומות?', 'What does Birkat HaMazon teach us?'],
    ...['לפי תורת החסידות, מהי מטרת הבריאה?', 'באיזה ספר נמצא המאמר על האור הגנוז?'],
    ...['What is the first letter of Genesis?', 'How do the gates of repentance open?'],
    ...['What is the book Likutei Moharan about?', 'ספר חסידות שמסודר לפי חודשי השנה והחגים'],
    ...['How do I begin with "Love your fellow"?', 'Why are the Bnei Yisrael called children?'],
    ...['What does Tanya chapter 32 say about love?', 'Tanya, Part One, ch. XV: what is it about?'],
    ...['According to David HaMelech, what is song?', 'Is the first chapter of a book always hard?'],
    ...['Who wrote the Tanya 200 years ago, in 1796?', 'What does the first part of the Tanya teach?'],
    'Noam Elimelech on joy: what kind of sefer is it?',
    "Sha'ar ha-Yihud veha-Emunah chapter 2: a silversmith",
    'What did the Baal Shem Tov say in chapters of his life?',
    'In the book of Numbers they walk 40 years in the desert',
    'What is the difference between Torah Or and Likutei Torah?',
    'According to Shimon HaTzaddik, on what does the world stand?',
    'What does the thirty-second chapter of the Tanya say about love?',
  ])('nothing in: %s', async (question) => {
    expect(await missing(question)).toEqual([])
  })
})

describe('once the library has it, a title', () => {
  const own = useDatabase()
  const kinds = async (text: string) =>
    (await missingPlaces(own.database.system, text)).map(({ kind }) => kind)

  it.each([
    'According to Orchos HaGechalim, what is anger?',
    'What does Orchot HaGechalim say?',
    'Orchot HaGechalim on anger',
    'לפי אורחות הגחלים, מהו כעס?',
  ])('is no missing book in another spelling or with words behind it: %s', async (text) => {
    const line = { work: 'Orchot HaGechalim', he_ref: 'אורחות הגחלים א', ref: 'Orchot HaGechalim 1' }
    await importLines(own.database, [{ ...line, en: 'anger is fire' }])
    expect(await kinds(text)).toEqual([])
  })

  it('is no missing book where its words stand in a text', async () => {
    const text = 'לפי אמרי הצולל, מהו הים?'
    expect(await kinds(text)).toEqual(['work'])
    await importLines(own.database, [{ work: 'Sea', ref: 'Sea 1', he: 'כך היו אמרי הצולל אל הים' }])
    expect(await kinds(text)).toEqual([])
  })
})

it('offers the parts that there are for one that is missing', async () => {
  const [part] = await missingIn('What does part six of the Tanya discuss?')
  expect(part?.nearest).toEqual([heading])
})

it('names what is nearest in Hebrew when the question is Hebrew', async () => {
  const question = 'מה כתוב במושגי החסידות, בינוני ז?'
  const found = await missingIn(question)
  const near = found.flatMap(({ nearest }) => nearest)
  const names = await namesFor(db.database.system, question, near)
  expect(missingStatement(found, 'he', names)).toContain('הקרובים ביותר: מושגי החסידות, בינוני א')
})

it.each([
  ["What is in Tzava'at HaRivash?", "about it: Books of Chassidut, Tzava'at HaRivash 1."],
  ['מה יש בצוואת הריב"ש?', 'יש בה ערך עליו: ספרי החסידות, צוואת הריב"ש א.'],
])('says of a work that it is not here, and names the article about it: %s', async (text, about) => {
  const missing = await missingIn(text)
  const [{ article: ref = '' } = {}] = missing
  const said = missingResult(text, missing, await namesFor(db.database.system, text, [ref]))
  expect(said['not_in_library']).toContain(about)
})

it('says of a work that the library lacks that it is not here, not that it does not exist', async () => {
  const question = 'What does the Kuzari say about prophecy?'
  const said = missingResult('q', await missingIn(question))
  expect(said['not_in_library']).toMatch(/^"Kuzari" is not in this library/)
  expect(said['does_not_exist']).toBeUndefined()
})

it.each([
  'Tanya 32: love of Israel',
  'What is love of Israel in chapter 32 of the Tanya?',
  'תניא פרק לב: אהבת ישראל',
])('a ref in a question brings its passages first: %s', async (text) => {
  const hits = await searchSources(db.database.system, { text, limit: 3 })
  expect(hits[0]?.ref.startsWith(`${heading} 32`)).toBe(true)
})

it('of a chapter named in a question the piece with its words comes first', async () => {
  const text = 'Tanya 32: love of Israel'
  const [hit] = await searchSources(db.database.system, { text, limit: 1 })
  expect(hit?.text).toContain('Love of Israel')
})

it('an English question with a Hebrew title gets an English statement', () => {
  const place = { written: 'ספר הבהיר', kind: 'unheld_work' as const, nearest: [] }
  const statement = missingResult('What does ספר הבהיר say of light?', [place])['not_in_library']
  expect(statement).toBe('"ספר הבהיר" is not in this library: it does not hold that work.')
  expect(missingResult('מה אומר ספר הבהיר?', [place])['not_in_library']).toMatch(/אינו בספרייה/)
})
