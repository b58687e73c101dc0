import { names } from './name-tables.ts'
import { loadPeople } from './names/person-keys.ts'
import { loadPhrases } from './phrase-terms.ts'
import { loadSynonyms } from './synonyms.ts'
import { loadKnownWorks } from './titles/known-works.ts'
import { loadTopics } from './topics.ts'
import { loadTranslations } from './translations.ts'

const loads = [
  names.load,
  loadTranslations,
  loadSynonyms,
  loadPhrases,
  loadTopics,
  loadPeople,
  loadKnownWorks,
]

/**
 * Makes the tables of the vocabulary: about 0.4 s of processor time, in slices between which the event loop runs. Whoever
 * uses one meanwhile makes it at once.
 */
export async function loadVocabulary(): Promise<void> {
  for (const load of loads) await load()
}
