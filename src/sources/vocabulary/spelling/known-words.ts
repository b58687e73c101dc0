import { fold, medial } from '../../text/fold.ts'
import { lazy } from '../../text/lazy.ts'
import { plainEnglish } from '../../text/plain-english.ts'
import { normaliseWord, type Script, tokenize } from '../../text/tokens.ts'
import { aliasGroups } from '../aliases.ts'
import { everydayWords } from '../topics.ts'
import { readLexicon } from '../lexicon.ts'
import { translateWord } from '../translations.ts'
import { limitOf, type Sound, soundDistance, soundOf } from './sound-distance.ts'

/** A word that a writer may have meant. */
export type KnownWord = {
  /** The index term. */
  readonly term: string
  /** How differently it sounds; 0 is the same. */
  readonly distance: number
  /** Whether it is a name by itself. Other words are only parts of names. */
  readonly isName: boolean
}

type Spelling = { readonly term: string; readonly sound: Sound; isName: boolean }

/** The words of all names, as written in lower case and medial letters. */
const spellings = lazy(() => {
  const found = new Map<string, Spelling>()
  for (const name of aliasGroups.flat()) {
    const tokens = tokenize(name)
    for (const { start, end, term, abbreviated } of tokens) {
      const written = plainLetters(name.slice(start, end))
      if (abbreviated || written.length < shortestWord) continue
      const known = found.get(written) ?? { term, sound: soundOf(written), isName: false }
      known.isName ||= tokens.length === 1
      found.set(written, known)
    }
  }
  return found
})

/** The words of names that may be compared by their sound, by script. English words are compared by their letters. */
const spoken = lazy(() => {
  const words = [...spellings()].filter(
    ([written, { term }]) => /[א-ת]/.test(written) || !isEnglish(term),
  )
  return Map.groupBy(words.map(([, spelling]) => spelling), ({ term }) => scriptOf(term))
})

/** Minimum letters of a word that is compared. */
const shortestWord = 3

/** Added to the limit for a part of a name, because its other words must match too. */
const partAllowance = 0.15

const scriptOf = (word: string): Script => (/[א-ת]/.test(word) ? 'he' : 'en')

/** Whether a term is an ordinary English word. */
export function isEnglish(term: string): boolean {
  return plainEnglish.has(term) || everydayWords([{ term, script: 'en' }]).size > 0
}

/** The letters of a written word, in lower case and medial letters. */
export function plainLetters(written: string): string {
  return medial(fold(written).folded.replace(/[^a-zא-ת]/g, ''))
}

/** Letters and pairs that Yiddish writes in names and Hebrew does not. */
const yiddish = /(?<=.)[אע](?=.)|ע$|וו|זש|טש|יי/

/**
 * The words of names that sound like a word, nearest first. Words in Hebrew letters are compared if they look
 * Yiddish: in Hebrew, other vowels make another word.
 * @param written in lower case and medial letters.
 */
export function soundAlikes(written: string): readonly KnownWord[] {
  const script = scriptOf(written)
  if (written.length < shortestWord || (script === 'he' && !yiddish.test(written))) return []
  const sound = soundOf(written)
  const limit = limitOf(sound)
  const found = new Map<string, KnownWord>()
  for (const known of spoken().get(script) ?? []) {
    const distance = soundDistance(sound, known.sound)
    if (distance > limit + partAllowance) continue
    const isName = known.isName && distance <= limit
    const { term } = known
    const before = found.get(term)
    if (before && before.distance <= distance && (before.isName || !isName)) continue
    found.set(term, { term, distance, isName })
  }
  return [...found.values()].sort((a, b) => a.distance - b.distance)
}

/** The English words of the lexicon, in lower case, by their terms. */
const english = lazy(() => {
  const forms = readLexicon().flatMap(({ en }) => en.filter(({ terms }) => terms.length === 1))
  return Map.groupBy(forms.map(({ written }) => plainLetters(written)), (word) => normaliseWord(word).term)
})

/** Endings of English words that are not forms of another word: `angels`, but not `angled` for `angel`. */
const englishEndings = ['', 's', 'es', 'ed', 'ing']

/** The known word with exactly these letters; undefined if the vocabulary has none. */
export function knownWord(written: string): { readonly term: string; readonly isName: boolean } | undefined {
  const spelling = spellings().get(written)
  if (spelling) return spelling
  const { term, script } = normaliseWord(written)
  if (script === 'he') return translateWord({ term, script }) ? { term, isName: true } : undefined
  const isForm = english().get(term)?.some((word) => isFormOf(written, word))
  return isForm ? { term, isName: true } : undefined
}

/** Whether a written word is a regular form of an English one. */
function isFormOf(written: string, word: string): boolean {
  const stems = [word, word.replace(/e$/, ''), word.replace(/y$/, 'i')]
  return englishEndings.some((ending) => stems.some((stem) => written === stem + ending))
}
