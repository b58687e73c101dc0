import { expect, it } from 'vitest'
import { createOwnWordsFilter } from '../../../src/sources/citations/own-words.ts'
import { createCitationRenderer } from '../../../src/sources/citations/renderer.ts'
import { createSourceMarks, withoutMarklike } from '../../../src/sources/citations/source-marks.ts'

const passage = {
  ref: 'Lamps 1',
  heRef: '',
  title: '',
  work: 'Lamps',
  language: 'en',
  version: '',
  license: '',
}

it.each([
  'taught [S1] in the gate',
  'taught [S1, chapter 3] in the gate',
  'taught (S1, S2) in the gate',
  'taught [^S1] in the gate [3]',
  'taught 【S1】 in the gate 【3†source】',
  'taught [1, 2] in the gate [1–3]',
])('what looks like a mark in a text of the library is no citation when it is quoted: %s', (text) => {
  const marks = createSourceMarks()
  marks.offer({ ...passage, url: '', text })
  const shown = withoutMarklike(text)
  const renderer = createCitationRenderer(marks.find)
  const filter = createOwnWordsFilter()
  const visible = filter.push(renderer.push(shown) + renderer.end().text) + filter.end()
  expect(renderer.cited()).toEqual([])
  expect(renderer.unknownMarks()).toEqual([])
  expect(visible).toBe(shown)
})

it.each(['in [his house]', 'in 1815 [1816]', '(32) and (Psalms 100:2)', '[3 days] later'])(
  'other brackets of a text stay: %s',
  (text) => expect(withoutMarklike(text)).toBe(text),
)
