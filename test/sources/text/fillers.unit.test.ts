import { expect, test } from 'vitest'
import { isFiller } from '../../../src/sources/search/expansion/fillers.ts'
import { tokenize } from '../../../src/sources/text/tokens.ts'

const onlyAsks = (word: string) => tokenize(word).every(({ term }) => isFiller(term))

test.each(['למה', 'ולמה', 'שאומרים', 'האילו', 'שכתוב', 'explain'])('%s only asks', (word) => {
  expect(onlyAsks(word)).toBe(true)
})

test.each(['שמן', 'שער', 'המן', 'העם', 'שכל', 'הדעת'])('%s is a word to look for', (word) => {
  expect(onlyAsks(word)).toBe(false)
})
