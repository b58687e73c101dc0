import { expect, test } from 'vitest'
import { glyphTexts } from '../../src/workspace/sheets/text-layer/glyph-texts.ts'

const texts = (stated: readonly (readonly [number, string])[], clusters: Parameters<typeof glyphTexts>[1]) =>
  Object.fromEntries(glyphTexts(new Map(stated), clusters))

test('a point that states the text of its first letter states the point alone', () => {
  const stated = [
    [1, 'ר'],
    [2, 'רָ'],
    [3, 'נ'],
  ] as const
  const clusters = [
    { glyphs: [2, 1], text: 'רָ' },
    { glyphs: [2, 3], text: 'נָ' },
  ]
  expect(texts(stated, clusters)).toEqual({ 1: 'ר', 2: '\u05b8', 3: 'נ' })
})

test('a glyph that states nothing gets its letter, with the point that is drawn in it', () => {
  const clusters = [
    { glyphs: [2, 4], text: 'כֵּ' },
    { glyphs: [2, 5], text: 'ט\u05b5' },
  ]
  expect(texts([], clusters)).toEqual({ 2: '\u05b5', 4: '\ufb3b', 5: 'ט' })
})

test('two glyphs of one cluster that state its whole text share it', () => {
  const stated = [
    [7, 'ךְ'],
    [8, 'ךְ'],
  ] as const
  expect(texts(stated, [])).toEqual({ 7: '\u05b0', 8: 'ך' })
})

test('a glyph of one letter and its point, and all other glyphs, stay as they are', () => {
  const stated = [
    [1, 'a'],
    [2, '\u05d5\u05bc'],
    [3, 'ff'],
  ] as const
  expect(texts(stated, [])).toEqual({ 1: 'a', 2: '\ufb35', 3: 'ff' })
})
