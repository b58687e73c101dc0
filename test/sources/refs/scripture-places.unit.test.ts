import { describe, expect, it } from 'vitest'
import { scriptureBook } from '../../../src/sources/refs/grammar/scripture.ts'
import {
  citationsIn,
  nearness,
  type ScripturePlace,
  scripturePlace,
  scriptureQuery,
} from '../../../src/sources/refs/grammar/scripture-places.ts'

const shown = (place: ScripturePlace | undefined) =>
  place &&
  `${place.book.english[0]} ${place.number}${place.side ?? ''}${place.verses ? ` v${place.verses}` : ''}`

describe('a query for a place of the Bible or the Talmud is read:', () => {
  it.each([
    ['Psalms 119:89', 'Psalms 119 v89,89'],
    ['Ps. 119:89', 'Psalms 119 v89,89'],
    ['Tehillim 119:89', 'Psalms 119 v89,89'],
    ['תהילים קיט פט', 'Psalms 119 v89,89'],
    ['תהלים קי"ט, פ"ט', 'Psalms 119 v89,89'],
    ['Psalms chapter 119 verse 89', 'Psalms 119 v89,89'],
    ['Psalms 119:89-91', 'Psalms 119 v89,91'],
    ['1 Samuel 3:4', 'I Samuel 3 v4,4'],
    ["שמואל א' ג, ד", 'I Samuel 3 v4,4'],
    ['Berachos 5b', 'Berakhot 5b'],
    ['ברכות ה ע"א', 'Berakhot 5a'],
    ['אבות פ"ב', 'Pirkei Avot 2'],
    ['תהלים פ"ב', 'Psalms 82'],
  ])('%s', (query, place) => {
    expect(shown(scriptureQuery(query))).toBe(place)
  })

  it.each(['Tanya 32', 'Psalms', 'שבת לא', 'Psalms 999:1', 'What does Psalms say of 119 lights'])(
    'and nothing in: %s',
    (query) => {
      expect(scriptureQuery(query)).toBeUndefined()
    },
  )
})

describe('citations in a text are read:', () => {
  it.each([
    ['as it says [תהלים קי"ט]', 'Psalms', ['Psalms 119']],
    ['(תהלים קיט, פט)', 'Psalms', ['Psalms 119 v89,89']],
    ['(Psalms 119:89–91) and Ps. 37:3', 'Psalms', ['Psalms 119 v89,91', 'Psalms 37 v3,3']],
    ['כדאיתא בברכות דף ה ע"א', 'Berakhot', ['Berakhot 5a']],
    ['(שבת לא.)', 'Shabbat', ['Shabbat 31a']],
    ['דהא תנן [אבות פ"ב]', 'Avot', ['Pirkei Avot 2']],
    ['בתהלים לא נאמר', 'Psalms', []],
    ['ברכות לא נתן', 'Berakhot', []],
    ['the numbers 40 and 50', 'Numbers', []],
  ])('%s', (text, book, places) => {
    const known = scriptureBook(book)
    expect(known && citationsIn(text, known).map(shown)).toEqual(places)
  })
})

it.each([
  ['Psalms 119:89', 0],
  ['Psalms 119:88-90', 1],
  ['Psalms 119', 2],
  ['Psalms 119:8', undefined],
  ['Psalms 11:9', undefined],
  ['Proverbs 119:89', undefined],
])('%s cites Psalms 119:89 with nearness %s', (ref, rank) => {
  const [cited, asked] = [scripturePlace(ref), scripturePlace('Psalms 119:89')]
  expect(cited && asked && nearness(cited, asked)).toBe(rank)
})
