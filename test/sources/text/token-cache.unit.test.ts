import v8 from 'node:v8'
import vm from 'node:vm'
import { expect, test } from 'vitest'
import { tokenize } from '../../../src/sources/text/tokens.ts'

v8.setFlagsFromString('--expose-gc')
const collect = vm.runInNewContext('gc') as () => void

const texts = 60
const letters = 200_000

/** Bytes that stay in use after so many texts, each with a word of its own; not counting what the first ones leave once. */
function keptBy(textWith: (word: string) => string): number {
  const read = (round: string) => {
    for (let n = 0; n < texts; n += 1) tokenize(textWith(`${round}transliteration${n}`))
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = read('first')
  return read('second') - before
}

test('remembered words do not keep the texts in which they stood', () => {
  // Only blanks, which take no time to read.
  const blanks = ' '.repeat(letters)
  expect(keptBy((word) => `${word} ${blanks}`)).toBeLessThan((texts * letters) / 10)
})

test('a text without blanks is no word to remember', () => {
  expect(keptBy((word) => word.padEnd(letters, 'a'))).toBeLessThan((texts * letters) / 10)
})
