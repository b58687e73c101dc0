import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importJsonl } from '../../src/sources/import-jsonl.ts'
import { missingPlaces } from '../../src/sources/refs/missing-places.ts'
import { searchSources } from '../../src/sources/search.ts'
import { ensureStarterLibrary } from '../../src/sources/starter.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let db: TestDatabase

const heading = 'Tanya, Part I; Likkutei Amarim'
const long = 'the way of joy is long and the heart is a lamp. '

beforeAll(async () => {
  db = await createTestDatabase()
  const lines = [1, 2, 15, 30, 32, 41, 53].map((n) => ({
    work: 'Tanya',
    ref: `${heading} ${n}`,
    en:
      n === 32
        ? `${long.repeat(40)} Love of Israel is the root. ${long.repeat(40)}`
        : `words of chapter ${n}`,
  }))
  async function* all(): AsyncGenerator<string> {
    for (const line of lines) yield JSON.stringify(line)
  }
  await importJsonl(db.database, all(), { allowLicenses: [] })
  await ensureStarterLibrary(db.database)
})
afterAll(() => db.drop())

const missing = async (text: string) =>
  (await missingPlaces(db.database.system, text)).map(({ written, kind }) => [written, kind])

describe('a question names what does not exist:', () => {
  it.each([
    ['What does Tanya chapter 112 say about love?', 'Tanya chapter 112', 'place'],
    ['מה כתוב בתניא פרק קב?', 'תניא פרק קב', 'place'],
    ['What is in chapter sixty of the Tanya?', 'Tanya chapter sixty', 'place'],
    ['According to the 112th chapter of Tanya, what is joy?', 'Tanya 112th chapter', 'place'],
    ['What does the seventy-first chapter of the Tanya teach?', 'Tanya seventy-first chapter', 'place'],
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
    ['What does Mesillat Yesharim chapter 4 say?', 'Mesillat Yesharim chapter 4', 'unheld'],
  ])('%s', async (question, written, kind) => {
    expect(await missing(question)).toEqual([[written, kind]])
  })

  it('with what is nearest', async () => {
    const [place] = await missingPlaces(db.database.system, 'What does Tanya chapter 55 say?')
    expect(place?.nearest[0]).toBe(`${heading} 53`)
  })

  it.each([
    'What does Tanya chapter 32 say about love?',
    'What does the thirty-second chapter of the Tanya say about love?',
    'In the 41st chapter of Tanya, what is awe?',
    'Is the first chapter of a book always hard?',
    'באיזה ספר נמצא המאמר על האור הגנוז?',
    'כמה פעמים משלימים את מספר הצומות?',
    'Tanya, Part One, ch. XV: what is it about?',
    'מה ללמוד מפרק שלושים בספר התניא?',
    'תניא פרק חמישה עשר',
    'Who wrote the Tanya 200 years ago, in 1796?',
    'What is the book Likutei Moharan about?',
    'What does Mesillat Yesharim say of joy?',
    'ספר חסידות שמסודר לפי חודשי השנה והחגים',
    'בתניא של אדמו"ר הזקן לא נאמר כך',
    'In the book of Numbers they walk 40 years in the desert',
    'How do I begin with "Love your fellow"?',
  ])('nothing in: %s', async (question) => {
    expect(await missing(question)).toEqual([])
  })
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
