import { expect, test } from 'vitest'
import { linesOf, type PdfItem } from '../../src/workspace/documents/pdf-lines.ts'

/** A piece at a place, ten units a letter unless told. */
const at = (x: number, str: string, { y = 100, width = str.length * 5 } = {}): PdfItem => ({
  str,
  transform: [12, 0, 0, 12, x, y],
  width,
  height: 12,
})
const textOf = (items: readonly PdfItem[]) => linesOf(items).map((line) => line.text)

test('pieces of a Hebrew line are read from the right in any order of drawing', () => {
  const right = at(200, 'בשנת')
  const number = at(170, '1796')
  const left = at(120, 'נדפס ספר')
  for (const order of [
    [right, number, left],
    [left, number, right],
    [number, left, right],
  ]) {
    expect(textOf(order)).toEqual(['בשנת 1796 נדפס ספר'])
  }
})

test('Latin words on a Hebrew page keep their order and their brackets', () => {
  const page = [
    at(200, 'שורה עברית שלמה', { y: 120 }),
    at(300, 'ראה'),
    at(290, ')', { width: 5 }),
    at(210, 'Likkutei'),
    at(255, 'Amarim', { width: 35 }),
    at(205, '(', { width: 5 }),
    at(170, 'בפנים'),
  ]
  expect(textOf(page)).toEqual(['שורה עברית שלמה', 'ראה (Likkutei Amarim) בפנים'])
})

test('Hebrew words in an English line are read from the right, the line from the left', () => {
  expect(textOf([at(10, 'The word'), at(60, 'עולם'), at(90, 'שלום'), at(120, 'means')])).toEqual([
    'The word שלום עולם means',
  ])
})

test('separately drawn points join their letters in either direction', () => {
  const reversed = [at(10, 'ה'), at(16, '\u05b8', { width: 0 }), at(15, 'ת'), at(20, 'א')]
  const inOrder = [at(20, 'א'), at(15, 'ת'), at(16, '\u05b8', { width: 0 }), at(10, 'ה')]
  expect(textOf(reversed)).toEqual(['את\u05b8ה'])
  expect(textOf(inOrder)).toEqual(['את\u05b8ה'])
})

test('another height begins another line, a raised letter does not', () => {
  expect(textOf([at(10, 'one'), at(30, '2', { y: 103 }), at(10, 'two', { y: 84 })])).toEqual(['one 2', 'two'])
  expect(textOf([at(10, 'left'), at(10, 'low', { y: 50 }), at(300, 'right')])).toEqual([
    'left',
    'low',
    'right',
  ])
})

test('nothing but blanks makes no line', () => {
  expect(textOf([at(10, ' '), at(20, '')])).toEqual([])
})

test('neighbouring letters that are one character with their point are read in order', () => {
  expect(textOf([at(10, 'ח\ufb35\ufb3a')])).toEqual(['ח\u05da\u05bc\u05d5\u05bc'])
  expect(textOf([at(10, 'שלום ofﬁce')])).toEqual(['שלום office'])
})
