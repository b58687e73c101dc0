import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { isRelevant } from '../../../src/sources/search/relevance/relevance-floor.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { call, question } from '../../support/world/requests.ts'
import { useWorld, type World } from '../../support/world/world.ts'

let { db } = {} as World

const world = useWorld({ model: 'built-in', library: 'starter' })
beforeAll(async () => {
  ;({ db } = world)
})

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

test.each([
  ['איך מתבודדים', 'Practices of Chassidut, Hitbodedut 1'],
  ['לא להתייאש', 'Concepts of Chassidut, Yiush 1'],
  ['אסור לכעוס', 'Concepts of Chassidut, Kaas 1'],
  ['אדם שמתגאה', 'Concepts of Chassidut, Gaavah 1'],
  ['להתוועד', 'Practices of Chassidut, Farbrengen 1'],
  ['why say lchaim on vodka', 'Practices of Chassidut, LeChaim 1'],
])('a verb finds the entry of its noun, above the floor: %s', async (text, ref) => {
  const [best] = await searchSources(db.database.system, { text, limit: 1 })
  expect(best?.ref).toBe(ref)
  expect(best && isRelevant(best.coverage)).toBe(true)
})

test.each([
  ['What is remembered on 12 Tammuz?', 'Frierdiker Rebbe'],
  ["מה קרה בג' בתמוז", 'Lubavitcher Rebbe'],
  ['10 Kislev', 'Mitteler Rebbe'],
])('a day written as a number finds the master of that day: %s', async (text, entry) => {
  const [best] = await searchSources(db.database.system, { text, limit: 1 })
  expect(best?.ref).toBe(`Masters of Chassidut, ${entry} 1`)
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

test.each([
  ['אהבת השם', 'Ahavat Hashem'],
  ['למה השם מסתיר את עצמו', 'Hester Panim'],
  ['what is gashmius', 'Avodah BeGashmiyut'],
  ['hisorerus', 'Itaruta'],
  ['anivus', 'Anavah'],
  ['emes', 'Emet'],
  ['אסכפיא', 'Iskafya'],
  ['עצבוט', 'Atzvut'],
  ['אהבס ישראל', 'Ahavat Yisrael'],
])('what people write for a word of the library finds its entry: %s', async (text, entry) => {
  const [best] = await searchSources(db.database.system, { text, limit: 1 })
  expect(best?.ref).toBe(`Concepts of Chassidut, ${entry} 1`)
  expect(best && isRelevant(best.coverage)).toBe(true)
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

test('without a model, a question the library cannot answer is refused with no source', async () => {
  const { service, key } = world
  const response = await call(service, key, 'POST', '/v1/chat/completions', question('How do vaccines work?'))
  const reply = (await response.json()) as {
    choices: { message: { content: string } }[]
    x_service: { sources: unknown[] }
  }
  expect(reply.choices[0]?.message.content).toMatch(/found no passage that answers/)
  expect(reply.x_service.sources).toEqual([])
})
