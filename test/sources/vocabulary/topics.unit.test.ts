import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tokenize } from '../../../src/sources/text/tokens.ts'
import { everydayWords, fieldWords, readTopics } from '../../../src/sources/vocabulary/topics.ts'

/** The words of a text that name an everyday matter. */
function everydayIn(text: string): readonly string[] {
  const tokens = tokenize(text)
  const written = [...everydayWords(tokens)].toSorted((a, b) => a - b).map((at) => tokens[at])
  return written.map((token) => text.slice(token?.start, token?.end))
}

test.each([
  ['how to bake a cake', ['bake', 'cake']],
  ['light bulb', ['light', 'bulb']],
  ['a traffic light at night', ['traffic', 'light']],
])('everyday words and whole phrases are found in: %s', (text, words) => {
  expect(everydayIn(text)).toEqual(expect.arrayContaining([...words]))
})

test.each(['the light of the soul', 'king, garment, vessel and candle', 'אור, מלך, לבוש, כלי ונר'])(
  'a word with a second sense is everyday in a phrase only: %s',
  (text) => {
    expect(everydayIn(text)).toEqual([])
  },
)

test('an English everyday word is found in every inflection', () => {
  expect(everydayIn('laptop laptops recipe recipes')).toHaveLength(4)
})

test('a Hebrew everyday word is found with its prefixes', () => {
  expect(everydayIn('המתכון במתכון שהמתכון')).toHaveLength(3)
})

test('a Hebrew prefix is not cut off when a word of two letters is left', () => {
  const short = readTopics('he').filter((written) => /^[א-ת]{1,2}$/.test(written))
  for (const word of short) expect(everydayIn(`ה${word}`), word).toEqual([])
})

test('no title of the starter library names an everyday matter', () => {
  const folder = new URL('../../../src/sources/starter/', import.meta.url)
  const titles = readdirSync(folder).flatMap((file) =>
    readFileSync(new URL(file, folder), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { ref: string; he_ref: string })
      .flatMap(({ ref, he_ref }) => [ref, he_ref]),
  )
  expect(titles.length).toBeGreaterThan(300)
  expect(titles.filter((title) => everydayIn(title).length > 0)).toEqual([])
})

test.each(['to pray with a broken heart', 'What is a mitzvah?', 'למה מתפללים'])(
  'a word of the field is known in: %s',
  (text) => {
    expect(fieldWords(tokenize(text)).size).toBe(1)
  },
)

test.each(['king of France', 'soul music', 'light bulb', 'תיקון שער חשמלי', 'כלי דם סתומים'])(
  'a word that has an everyday sense is none of the field: %s',
  (text) => {
    expect(fieldWords(tokenize(text)).size).toBe(0)
  },
)

test('no everyday word stands twice in the lists of a language', () => {
  for (const script of ['en', 'he', 'field-en', 'field-he'] as const) {
    const all = readTopics(script)
    expect(all.filter((word, i) => all.indexOf(word) !== i)).toEqual([])
  }
})
