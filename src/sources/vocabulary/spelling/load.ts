import { loadAcronyms } from './acronyms.ts'
import { loadKnownWords } from './known-words.ts'

/** Makes the tables of spellings in advance: about 0.1 s of processor time, in slices. */
export async function loadSpellings(): Promise<void> {
  await loadKnownWords()
  await loadAcronyms()
}
