import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addressAt } from '../../../src/sources/refs/grammar/addresses.ts'
import { isWithoutNumbers } from '../../../src/sources/refs/grammar/number-words.ts'
import { wordsIn } from '../../../src/sources/refs/grammar/text-words.ts'
import { findRefs } from '../../../src/sources/refs/in-text/find-refs.ts'
import { addressesIn } from '../../../src/sources/refs/in-text/titled-text.ts'
import { runInTimeSlices } from '../../../src/sources/text/time-slices.ts'
import { useLibraryDatabase } from '../../support/database.ts'
import { times } from '../../support/full.ts'
import { textsWithRefs } from '../../support/texts-with-refs.ts'

const db = useLibraryDatabase()

it('the quick test finds no text with a number or a URL of a place', async () => {
  let quick = 0
  await fc.assert(
    fc.asyncProperty(textsWithRefs, async (text) => {
      if (!isWithoutNumbers(text)) return
      quick += 1
      const { sites, masked } = await runInTimeSlices(addressesIn(text))
      const words = await runInTimeSlices(wordsIn(masked))
      expect(sites).toEqual([])
      expect([...words.keys()].filter((at) => addressAt(masked, words, at))).toEqual([])
    }),
    { numRuns: times(4_000, 20_000) },
  )
  expect(quick).toBeGreaterThan(times(100, 500))
})

it('a text has the same refs with and without the quick test', async () => {
  const find = (text: string) => findRefs(db.database.system, text, { numbersOnly: true })
  await fc.assert(
    fc.asyncProperty(textsWithRefs, async (text) => {
      // The quick test does not pass a slash.
      expect(await find(text)).toEqual(await find(`${text}\n\n\n/`))
    }),
    { numRuns: times(100, 400) },
  )
})

it.each([
  ['A light drives away darkness — and it is so (for a while)…', true],
  ['word1 word2 word3', true],
  ['Chapters are long.', false],
  ['It has 3 parts.', false],
  ['Look into the 60th.', false],
  ['אור', false],
  ['it isn’t so', false],
  ['sefaria.org/Tanya', false],
])('%s: the quick test says %s', (text, expected) => {
  expect(isWithoutNumbers(text)).toBe(expected)
})
