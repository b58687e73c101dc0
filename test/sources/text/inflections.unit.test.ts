import { describe, expect, it } from 'vitest'
import { isFiller } from '../../../src/sources/search/expansion/fillers.ts'
import { parseQuery } from '../../../src/sources/search/expansion/query.ts'
import { classesToSearch, inflectionClasses } from '../../../src/sources/text/inflections.ts'
import { tokenize } from '../../../src/sources/text/tokens.ts'

const term = (word: string): string => tokenize(word)[0]?.term ?? ''
const isFound = (asked: string, written: string): boolean => {
  const classes = inflectionClasses(term(written))
  return classesToSearch(term(asked)).some((one) => classes.includes(one))
}

describe('Hebrew inflections', () => {
  it.each([
    ['מידה', 'מדות'],
    ['מידות', 'במדותיו'],
    ['תפילה', 'תפלתו'],
    ['נשמה', 'נשמותיהם'],
    ['צדיק', 'לצדיקים'],
    ['ניצוץ', 'הניצוצות'],
    ['בגד', 'בגדיו'],
  ])('a search for %s finds %s', (asked, written) => expect(isFound(asked, written)).toBe(true))

  it.each([
    ['תפילה', 'תשובה'],
    ['צדיק', 'רשע'],
    ['אור', 'ארץ'],
  ])('a search for %s does not find %s', (asked, written) => expect(isFound(asked, written)).toBe(false))

  it('a word in Latin letters, a number and an empty word have no class', () => {
    expect(['soul', '32', '', 'א1'].flatMap(inflectionClasses)).toEqual([])
  })
})

describe('words that only ask', () => {
  const onlyAsks = (word: string) => tokenize(word).every(({ term: one }) => isFiller(one))

  it.each([
    ...['למה', 'ולמה', 'שאומרים', 'האילו', 'שכתוב', 'explain'].map((word) => [word, true] as const),
    ...['שמן', 'שער', 'המן', 'העם', 'שכל', 'הדעת'].map((word) => [word, false] as const),
  ])('%s is one: %s', (word, is) => {
    expect(onlyAsks(word)).toBe(is)
  })

  const terms = (text: string): readonly string[] => {
    const { concepts, tokens } = parseQuery(text)
    return [...new Set(concepts.map(({ position }) => tokens[position]?.term ?? ''))]
  }

  it.each([
    ['What does the text explain about joy?', 'text joy'],
    ['מה כתוב על ענווה', term('ענווה')],
    ['היכן מוזכר ניצוץ', term('ניצוץ')],
  ])('only the words that something is asked about count: %s', (text, telling) => {
    expect(terms(text)).toEqual(telling.split(' '))
  })

  it('a query of nothing but such words is taken at its word', () => {
    expect(terms('explanation')).toEqual([term('explanation')])
    expect(terms('מהו כתוב')).toEqual([term('מהו'), term('כתוב')])
  })
})
