import { afterAll, beforeAll, expect, test } from 'vitest'
import { readHits } from '../../src/sources/search/hit-page.ts'
import { textsIn } from '../../src/web/texts/catalogue.ts'
import { openWorld } from '../support/world/world.ts'

let world: Awaited<ReturnType<typeof open>>
const open = () => openWorld({ replicas: 0, library: 'starter' })

beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

/** What each example is about: the entry that has to come first. */
const entries: Readonly<Record<string, string>> = {
  'What is a beinoni?': 'Concepts of Chassidut, Beinoni 1',
  'Who was the Baal Shem Tov?': 'Masters of Chassidut, Baal Shem Tov 1',
  'What is hitbodedut?': 'Practices of Chassidut, Hitbodedut 1',
  'מהו ביטול?': 'Concepts of Chassidut, Bitul 1',
  'מהי דבקות?': 'Concepts of Chassidut, Devekut 1',
  'מהי התבודדות?': 'Practices of Chassidut, Hitbodedut 1',
}

test.each([...textsIn('en').ask.exampleQuestions, ...textsIn('he').ask.exampleQuestions])(
  'the starter library has the entry that the example “%s” asks for',
  async (question) => {
    const options = { semantic: undefined, signal: new AbortController().signal }
    const { hits } = await readHits(world.db.database.system, { q: question, limit: 5 }, options)
    expect(hits[0]?.ref).toBe(entries[question])
  },
)
