import { expect, test } from 'vitest'
import { textsIn } from '../../../src/web/texts/catalogue.ts'
import { wordsOfLatin } from './latin-words.ts'

const [en, he] = [textsIn('en'), textsIn('he')]

test('built-in plans have a name in each language, and other plans keep theirs', () => {
  for (const plan of ['free', 'basic', 'pro', 'unlimited']) {
    expect(en.common.planName(plan)).toMatch(/^[A-Z]/)
    expect(wordsOfLatin(he.common.planName(plan))).toEqual([])
  }
  for (const own of ['schools', 'constructor']) {
    expect([en, he].map(({ common }) => common.planName(own))).toEqual([own, own])
  }
})

test('categories of the starter library begin with a capital, as others do', () => {
  for (const category of ['concept', 'person', 'practice', 'work', 'Chasidut'])
    expect(en.library.categoryName(category)).toMatch(/^[A-Z]/)
  expect(en.library.categoryName('constructor')).toBe('constructor')
})

test('a step of no time takes less than a tenth of a second', () => {
  expect([en.duration(3), he.duration(3)]).toEqual(['< 0.1 s', 'פחות מ־0.1 שניות'])
})
