import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { isRelevant } from '../../../src/sources/search/relevance/relevance-floor.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { useLibraryDatabase } from '../../support/database.ts'

const db = useLibraryDatabase()

const questionsOf = async (file: string): Promise<readonly string[]> =>
  (await readFile(`test/questions/${file}`, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { question: string }).question)

/** Questions whose best hit is taken for an answer. */
async function accepted(questions: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const text of questions) {
    const [best] = await searchSources(db.database.system, { text, limit: 1 })
    if (best && isRelevant(best.coverage)) found.push(text)
  }
  return found
}

test('every question that a newcomer asks first finds a passage that is about it', async () => {
  const questions = await questionsOf('newcomer.jsonl')
  expect(questions.length).toBeGreaterThanOrEqual(20)
  const found = await accepted(questions)
  expect(questions.filter((text) => !found.includes(text))).toEqual([])
})

test('a word in another spelling than that of the library is found as what it is', async () => {
  const questions = ['מה זה איתכפיא', 'איתכפיא', 'What is iskafia']
  expect(await accepted(questions)).toEqual(questions)
})

const entries = [
  ['a verb for its noun', 'איך מתבודדים', 'Practices of Chassidut, Hitbodedut'],
  ['a verb for its noun', 'לא להתייאש', 'Concepts of Chassidut, Yiush'],
  ['a verb for its noun', 'אסור לכעוס', 'Concepts of Chassidut, Kaas'],
  ['a verb for its noun', 'אדם שמתגאה', 'Concepts of Chassidut, Gaavah'],
  ['a verb for its noun', 'להתוועד', 'Practices of Chassidut, Farbrengen'],
  ['a verb for its noun', 'why say lchaim on vodka', 'Practices of Chassidut, LeChaim'],
  ['a day as a number', 'What is remembered on 12 Tammuz?', 'Masters of Chassidut, Frierdiker Rebbe'],
  ['a day as a number', "מה קרה בג' בתמוז", 'Masters of Chassidut, Lubavitcher Rebbe'],
  ['a day as a number', '10 Kislev', 'Masters of Chassidut, Mitteler Rebbe'],
  ['another spelling', 'אהבת השם', 'Concepts of Chassidut, Ahavat Hashem'],
  ['another spelling', 'למה השם מסתיר את עצמו', 'Concepts of Chassidut, Hester Panim'],
  ['another spelling', 'what is gashmius', 'Concepts of Chassidut, Avodah BeGashmiyut'],
  ['another spelling', 'hisorerus', 'Concepts of Chassidut, Itaruta'],
  ['another spelling', 'anivus', 'Concepts of Chassidut, Anavah'],
  ['another spelling', 'emes', 'Concepts of Chassidut, Emet'],
  ['another spelling', 'אסכפיא', 'Concepts of Chassidut, Iskafya'],
  ['another spelling', 'עצבוט', 'Concepts of Chassidut, Atzvut'],
  ['another spelling', 'אהבס ישראל', 'Concepts of Chassidut, Ahavat Yisrael'],
] as const

test.each(entries)('%s finds the entry, above the floor: %s', async (_, text, entry) => {
  const [best] = await searchSources(db.database.system, { text, limit: 1 })
  expect(best?.ref).toBe(`${entry} 1`)
  expect(best && isRelevant(best.coverage)).toBe(true)
})

test.each([
  ['תניא לעומת ליקוטי מוהר"ן', ['Books of Chassidut, Likutei Moharan 1', 'Books of Chassidut, Tanya 1']],
  ['הקשר בין צדקה לתשובה', ['Concepts of Chassidut, Teshuvah 1', 'Practices of Chassidut, Tzedakah 1']],
  [
    'What is the difference between Torah Or and Likutei Torah',
    ['Books of Chassidut, Likkutei Torah 1', 'Books of Chassidut, Torah Ohr 1'],
  ],
])('the entries of two subjects stand together: %s', async (text, refs) => {
  const hits = await searchSources(db.database.system, { text, limit: 2 })
  expect(hits.map(({ ref }) => ref).sort()).toEqual(refs)
})

test('at most one off-topic question in twelve is taken for an answerable one', async () => {
  const questions = await questionsOf('off-topic.jsonl')
  expect(questions.length).toBeGreaterThanOrEqual(20)
  const found = await accepted(questions)
  expect(found.length, found.join(' | ')).toBeLessThanOrEqual(questions.length / 12)
})

test('a question to a known master about an everyday subject is not taken for an answerable one', async () => {
  const asked = [
    'What did the Baal Shem Tov say about the internet?',
    'What did Rebbe Nachman say about smartphones?',
    'מה אמר הבעל שם טוב על האינטרנט?',
  ]
  expect(await accepted(asked)).toEqual([])
  const answered = ['What did the Baal Shem Tov say about joy?', 'Who was the Baal Shem Tov?']
  expect(await accepted(answered)).toEqual(answered)
})

test('a question about a master whom no passage names is not answered with a part of the name', async () => {
  expect(await accepted(['Who was the Rebbe of Belz?', 'מי היה הרבי מבעלז?'])).toEqual([])
  expect(await accepted(['Who was the Kotzker Rebbe?', 'Who was the Rebbe of Kotzk?'])).toHaveLength(2)
})

test.each([
  ['איך אפשר להתגבר על כעס כשמישהו בבית מעצבן אותי כל יום מחדש?', 'Kaas'],
  ['רציתי לשאול איך אדם פשוט כמוני, שעובד כל היום ואין לו זמן, יכול להגיע לדבקות?', 'Devekut'],
  ['מה פירוש המושג צמצום, והאם באמת הסתלק האור האלוקי מן העולם או שזה רק משל?', 'Tzimtzum'],
  ['במה עוסק ספר ליקוטי מוהר״ן ומאיפה כדאי להתחיל בו למי שמעולם לא למד אותו?', 'Likutei Moharan'],
  [
    'How does a simple man who works all day and has no time or strength left ever come to devekut?',
    'Devekut',
  ],
])('a long question is about the entry that it names: %s', async (text, entry) => {
  const hits = await searchSources(db.database.system, { text, limit: 3 })
  expect(hits.map(({ ref }) => ref.replace(/^[^,]+, | \d+$/g, ''))).toContain(entry)
})
