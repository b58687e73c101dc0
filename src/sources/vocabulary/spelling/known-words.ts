import { fold, medial } from '../../text/fold.ts'
import { withoutPrefixes } from '../../text/hebrew.ts'
import { lazy, lazyInSteps } from '../../text/lazy.ts'
import { plainEnglish } from '../../text/plain-english.ts'
import { normaliseWord, type Script, tokenize } from '../../text/tokens.ts'
import { aliasGroups } from '../aliases.ts'
import { readLexicon, readTransliterations } from '../lexicon.ts'
import { everydayWords } from '../topics.ts'
import { isOrdinarySlip, oneLetterOff } from './one-letter.ts'
import { limitOf, mayBeAlike, type Sound, soundDistance, soundOf } from './sound-distance.ts'

/** A word that a writer may have meant. */
export type KnownWord = {
  /** The index term. */
  readonly term: string
  /** How differently it sounds; 0 is the same. */
  readonly distance: number
  /** Whether it is a name or a transliterated noun by itself. Other words are only parts of names. */
  readonly isName: boolean
}

type Spelling = { readonly term: string; readonly sound: Sound; isName: boolean }

/** Minimum letters of a transliterated noun that is compared by its sound. Shorter ones sound like English words. */
const shortestNoun = 6

/** The words of all names and the transliterated nouns, as written in lower case and medial letters. */
const spellings = lazyInSteps(function* (): Generator<undefined, ReadonlyMap<string, Spelling>> {
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
    yield
  }
  for (const { en } of yield* readTransliterations.steps()) {
    for (const { written, terms } of en) {
      const [term = '', ...more] = terms
      if (more.length > 0 || written.length < shortestNoun) continue
      const letters = plainLetters(written)
      found.set(letters, { term, sound: soundOf(letters), isName: true })
    }
    yield
  }
  return found
})

/** The words of names that may be compared by their sound, by script. English words are compared by their letters. */
const spoken = lazyInSteps(function* (): Generator<undefined, ReadonlyMap<Script, readonly Spelling[]>> {
  const words: Spelling[] = []
  for (const [written, spelling] of yield* spellings.steps()) {
    if (/[א-ת]/.test(written) || !isEnglish(spelling.term)) words.push(spelling)
    yield
  }
  return Map.groupBy(words, ({ term }) => scriptOf(term))
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
    if (!mayBeAlike(sound, known.sound, limit + partAllowance)) continue
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

/** Matches the endings of Yiddish pet names: `Boruchl`, `Shmelkele`, `נחמנקע`. */
const pet = /(?:e?le|l|k[ea]?|ke?le|ינקע|קע|קעלע|עלע|לע|ל)$/

/** Words of names that are like a pet name without its ending. */
export function fullNames(written: string): readonly KnownWord[] {
  const stem = written.replace(pet, '')
  if (stem === written || stem.length < shortestWord) return []
  const known = spellings().get(stem)
  return [...(known ? [{ term: known.term, distance: 0, isName: false }] : []), ...soundAlikes(stem)]
}

/** English words of the lexicon and of names, in lower case, by their terms. */
const english = lazyInSteps(function* (): Generator<undefined, ReadonlyMap<string, readonly string[]>> {
  const byTerm = new Map<string, string[]>()
  const add = (word: string): void => {
    const { term } = normaliseWord(word)
    const words = byTerm.get(term)
    if (words) words.push(word)
    else byTerm.set(term, [word])
  }
  for (const { en } of yield* readLexicon.steps()) {
    for (const { written, terms } of en) if (terms.length === 1) add(plainLetters(written))
    yield
  }
  for (const [written, { term, isName }] of yield* spellings.steps()) {
    if (isName && isEnglish(term)) add(written)
    yield
  }
  return byTerm
})

/** Makes the tables of known words in advance. */
export async function loadKnownWords(): Promise<void> {
  await spoken.load()
  await english.load()
}

/** The Hebrew words of the lexicon. */
const hebrew = lazy(() => new Set(readLexicon().flatMap(({ he }) => he.map(({ terms }) => terms.join(' ')))))

/** Minimum letters of a Hebrew word without its prefix. */
const shortestHebrew = 5

/** Endings of English words that are not forms of another word: `angels`, but not `angled` for `angel`. */
const englishEndings = ['', 's', 'es']
const endingsOfLongWords = ['ed', 'ing']

/** Minimum letters of a word with one of these. Otherwise `banking` would be `baking`. */
const longWord = 6

/** A word that differs in one letter. Ordinary words differ in one letter by chance more often than names. */
type Slip = Pick<KnownWord, 'term' | 'isName'> & { readonly isOrdinary: boolean }

/** The words of the vocabulary that differ from a word in one letter. */
export function slipsOf(written: string): readonly Slip[] {
  return [...oneLetterOff(written)].flatMap((slip): readonly Slip[] => {
    const spelling = spellings().get(slip)
    if (spelling && !isEnglish(spelling.term)) return [{ ...spelling, isOrdinary: false }]
    const term = isOrdinarySlip(written, slip) ? ordinaryTerm(slip) : undefined
    return term === undefined ? [] : [{ term, isName: false, isOrdinary: true }]
  })
}

/** The term of an ordinary word of the vocabulary. */
function ordinaryTerm(written: string): string | undefined {
  const { term, script } = normaliseWord(written)
  if (script === 'he') return hasEntry(term) ? term : undefined
  return english()
    .get(term)
    ?.some((word) => isFormOf(written, word))
    ? term
    : undefined
}

/** Whether the lexicon has a Hebrew word, which may have a prefix of one letter. */
function hasEntry(term: string): boolean {
  return withoutPrefixes(term)
    .filter((base) => base.length >= term.length - 1 && base.length >= shortestHebrew)
    .some((base) => hebrew().has(base))
}

/** Whether a written word is a regular form of an English one. */
function isFormOf(written: string, word: string): boolean {
  const stems = [word, word.replace(/e$/, ''), word.replace(/y$/, 'i')]
  const endings = word.length < longWord ? englishEndings : [...englishEndings, ...endingsOfLongWords]
  return endings.some((ending) => stems.some((stem) => written === stem + ending))
}
