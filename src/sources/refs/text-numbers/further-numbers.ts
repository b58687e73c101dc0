import { hebrewNumber } from '../../text/hebrew-numbers.ts'
import type { AddressRun } from './addresses.ts'
import { goesOnAfter } from './number-senses.ts'
import { bare, gapBefore, type TextWord } from './text-words.ts'

/** A number that another one follows with "and". Offsets in UTF-16 units. */
export type FurtherNumber = {
  readonly written: string
  readonly start: number
  readonly end: number
  /** Index after its word. */
  readonly to: number
}

const maxNumbers = 5

/** Finds the numbers that follow a single number with "and": `Tanya 26 and 32`, `תניא כ"ו ול"ב`. */
export function furtherNumbers(
  text: string,
  words: readonly TextWord[],
  { ends, numberEnds }: AddressRun,
): readonly FurtherNumber[] {
  const found: FurtherNumber[] = []
  let at = ends[0] ?? words.length
  while (numberEnds.length === 1 && found.length < maxNumbers) {
    const next = numberBehindAnd(text, words, at)
    if (!next) break
    found.push(next)
    at = next.to
  }
  return found
}

function numberBehindAnd(text: string, words: readonly TextWord[], at: number): FurtherNumber | undefined {
  const [word, number] = [words[at], words[at + 1]]
  if (!word || !/^,? $/.test(gapBefore(text, words, at))) return undefined
  const prefixed = /^ו(.{1,4}["'].?)$/.exec(bare(word))?.[1]
  if (prefixed !== undefined && hebrewNumber(prefixed) !== undefined)
    return { written: prefixed, start: word.start, end: word.end, to: at + 1 }
  if (word.key !== 'and' || !number || !/^\d{1,3}$/.test(number.text)) return undefined
  if (gapBefore(text, words, at + 1) !== ' ' || !goesOnAfter(text, words, at + 2, number.end))
    return undefined
  return { written: number.text, start: number.start, end: number.end, to: at + 2 }
}
