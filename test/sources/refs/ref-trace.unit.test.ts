import { expect, it } from 'vitest'
import { explainRef } from '../../../src/sources/refs/grammar/ref-trace.ts'

it('a trace says what each token of a ref was read as, and what was looked up', () => {
  const { normalised, tokens, readings } = explainRef('Tanya, chapter thirty-two')
  expect(normalised).toBe('Tanya, chapter 32')
  expect(tokens.map(({ text, kind, unit, value }) => [text, kind, unit ?? value])).toEqual([
    ['Tanya', 'name', undefined],
    ['chapter', 'unit', 'chapter'],
    ['32', 'number', '32'],
  ])
  expect(readings[0]).toEqual({ title: 'Tanya', address: '32', ref: 'Tanya 32' })
})

it.each([
  ['פל"ב', 'number', 'chapter', '32'],
  ['ע"ב', 'side', undefined, 'b'],
  ['תרל"א', 'year', undefined, 'תרל"א'],
  ['דף', 'unit', 'leaf', undefined],
  ['19b', 'number', undefined, '19b'],
  ['XXVI', 'number', undefined, '26'],
])('the token %s is a %s', (word, kind, unit, value) => {
  const { tokens } = explainRef(`ספר ${word}`)
  expect(tokens[1]).toMatchObject({ kind, ...(unit && { unit }), ...(value && { value }) })
})

it('a trace says that a page is not looked up by its number', () => {
  const { isPage, readings } = explainRef('Tanya, p. 38')
  expect([isPage, readings.map(({ address }) => address)]).toEqual([true, ['']])
})
