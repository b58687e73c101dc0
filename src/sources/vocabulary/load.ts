import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { wordCrossing } from './crossings.ts'
import { groupsOfWord } from './lookup.ts'
import { peopleNamed } from './names/person-keys.ts'
import { phraseTermsAt } from './phrase-terms.ts'
import { synonymsOfWord } from './synonyms.ts'
import { otherTitleKeys } from './titles/title-groups.ts'
import { everydayWords, fieldWords } from './topics.ts'

const word = { term: '', script: 'he' } as const

/** Each looks a word up in one part of the vocabulary. */
const lookUps: readonly (() => unknown)[] = [
  () => groupsOfWord(word.term),
  () => wordCrossing(word),
  () => synonymsOfWord(word),
  () => phraseTermsAt([word], 0),
  () => everydayWords([word]),
  () => fieldWords([word]),
  () => peopleNamed(word.term),
  () => otherTitleKeys(word.term),
]

/**
 * Reads the vocabulary, for processes whose first search must not wait for it: some 0.4 s of processor time. The event
 * loop turns between its parts.
 */
export async function loadVocabulary(): Promise<void> {
  for (const lookUp of lookUps) {
    lookUp()
    await turnOfTheLoop()
  }
}
