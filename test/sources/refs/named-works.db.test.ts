import { describe, expect, it } from 'vitest'
import { searchSources } from '../../../src/sources/search/search.ts'
import { useLibrary } from '../../support/library-lines.ts'

const joy = 'joy comes to the heart of one who knows that he is near'
const passages = [
  { work: 'Tanya', ref: 'Tanya 1:1', en: `${joy}, and sadness is foreign` },
  { work: 'Tanya', ref: 'Tanya 2:1', en: 'fire and water in the soul' },
  { work: 'Likutei Moharan', ref: 'Likutei Moharan 1:1', en: `${joy} joy joy` },
  {
    work: 'Kedushat Levi',
    ref: 'Kedushat Levi 1:1',
    en: `${joy} joy`,
    author: 'R. Levi Yitzhak of Berdichev',
  },
  {
    work: 'People',
    ref: 'People, Alter Rebbe 1',
    en: 'Rabbi Schneur Zalman lived in Liadi and wrote the Tanya',
  },
  { work: 'Pages', ref: 'Pages 1:1', en: 'joy, joy and more joy, as people say' },
]

const db = useLibrary(passages.map((passage) => ({ license: 'own', ...passage })))

const first = async (text: string): Promise<string | undefined> =>
  (await searchSources(db.database.system, { text, limit: 5 }))[0]?.ref

describe('a question that names its source', () => {
  it.each([
    ['What is joy according to the Tanya?', 'Tanya 1:1'],
    ['What does the Alter Rebbe say about joy?', 'Tanya 1:1'],
    ['joy in the Tanya', 'Tanya 1:1'],
    ['According to Baal HaTanya, what is joy?', 'Tanya 1:1'],
    ['joy in Likutey Moharan', 'Likutei Moharan 1:1'],
    ["Rebbe Nachman's teachings about joy", 'Likutei Moharan 1:1'],
    ['What does the Berditchever teach about joy?', 'Kedushat Levi 1:1'],
    ['לפי בעל התניא joy', 'Tanya 1:1'],
  ])('%s prefers it', async (text, ref) => {
    expect(await first(text)).toBe(ref)
  })

  it.each([
    ['Who was the Alter Rebbe?', 'People, Alter Rebbe 1'],
    ['Who wrote the Tanya?', 'People, Alter Rebbe 1'],
    ['joy', 'Pages 1:1'],
    ['What does the Maggid of Kozhnitz say about joy?', 'Pages 1:1'],
  ])('%s asks for no source, or for one that is not there', async (text, ref) => {
    expect(await first(text)).toBe(ref)
  })

  it('still shows a clearly better passage of another work first', async () => {
    expect(await first('In Likutei Moharan, what are fire and water in the soul?')).toBe('Tanya 2:1')
  })
})
