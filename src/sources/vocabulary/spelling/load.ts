import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { titlesOfAcronym } from './acronyms.ts'
import { slipsOf, soundAlikes } from './known-words.ts'

/** Each function uses one table once, which makes it. The words stand for any of their kind. */
const lookUps: readonly (() => unknown)[] = [
  () => soundAlikes('simkhe'),
  () => slipsOf('simhcah'),
  () => titlesOfAcronym('קדל'),
]

/** Makes the tables of spellings in advance: about 0.12 s of processor time, in parts. */
export async function loadSpellings(): Promise<void> {
  for (const lookUp of lookUps) {
    lookUp()
    await turnOfTheLoop()
  }
}
