import { headingKey } from '../../text/heading-keys.ts'
import { hebrewNumeral } from '../../text/hebrew-numbers.ts'
import { lazy } from '../../text/lazy.ts'
import { parashaWords } from '../../vocabulary/titles/parashot.ts'
import { numberWords } from '../grammar/number-words.ts'
import { toRomanNumber } from '../grammar/roman-numbers.ts'

/** Letters of a unit that may be joined to a Hebrew number: `פכ"ג`, `סי"א`, `ח"ב`. */
const glued = ['', 'פ', 'ס', 'ח', 'בפ', 'בח', 'הח']
const ordinalEnds = ['st', 'nd', 'rd', 'th']

const words = lazy(() => numberWords().map(headingKey))

/**
 * Words of which a heading must have one, if it has a part of one of these names, in the form of `headingKey`. Numbers
 * may be spelled in several words, so all words of numbers are among them.
 * @param names as in `NumberedPart`.
 */
export function spellingsOf(names: Iterable<string>): readonly string[] {
  const spellings = new Set(words())
  for (const name of names) {
    if (name.startsWith('@')) for (const word of parashaWords(name.slice(1))) spellings.add(word)
    else for (const word of spellingsOfNumber(name)) spellings.add(word)
  }
  return [...spellings]
}

function spellingsOfNumber(name: string): readonly string[] {
  const number = Number.parseInt(name, 10)
  const hebrew = headingKey(hebrewNumeral(number))
  const roman = toRomanNumber(number).toLowerCase()
  return [
    name,
    ...ordinalEnds.map((end) => `${number}${end}`),
    ...glued.flatMap((unit) => [unit + hebrew, unit + hebrew.replace('ער', 'רע')]),
    ...(roman === '' ? [] : [roman]),
  ]
}
