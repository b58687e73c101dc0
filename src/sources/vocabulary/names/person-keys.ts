import { fold, medial } from '../../text/fold.ts'
import { lazyInSteps } from '../../text/lazy.ts'
import { peopleGroups } from './people-names.ts'
import { hebrewSound, latinSound } from './sounds.ts'

/** Titles before and inside a name, which may be omitted. */
const honorifics = new Set(
  `rabbi rabi rav rebbe rebbi reb rebe rabbenu rabbeinu rabeinu r rebbetzin grand holy saint the hakadosh hakodosh ztl zt"l zal zatzal
  admor hagaon harav ha-rav hagaon hatzaddik of ben son rb dr prof
  רבי הרבי רב הרב ר רבינו רבנו רבן הרהק הרהצ הרהג כק אדמור האדמור מורנו מוהרר מוהר הגאון הגהק הקדוש הצדיק זל זצל זצוקל זיע שליטא`.split(
    /\s+/,
  ),
)

/** Maximum number of words of a name that are compared. */
const maxWords = 16

/**
 * The words of a name by their sound, without titles, years and punctuation. Names with equal lists are the same name
 * in different spellings. Of a longer text it reads the first 16 words.
 */
export function nameWords(name: string): readonly string[] {
  const words = name
    .slice(0, 300)
    .normalize('NFC')
    .replace(/\([^()]*\)|\[[^[\]]*\]/g, ' ')
    .replace(/["״'׳’‘`]/g, '')
    .toLowerCase()
    .split(/[^\p{L}\p{M}]+/u)
    .filter((word) => word !== '' && !honorifics.has(word))
  return words
    .slice(0, maxWords)
    .map((word) => (/[א-ת]/.test(word) ? hebrewSound(medial(bare(word))) : latinSound(word)))
}

/** Removes the article of a Hebrew name: `המגיד`. */
function bare(word: string): string {
  const plain = word.normalize('NFKD').replace(/\p{M}/gu, '')
  return plain.length > 3 && plain.startsWith('ה') ? plain.slice(1) : plain
}

/** Key by letters and points, for names of equal sound: `Rashba` and `Rashbi`. */
const writtenKey = (name: string): string => `=${fold(name).folded}`

/** A name by its sound: equal for spellings that sound alike, empty when it has no words. */
export const soundKey = (name: string): string => nameWords(name).join(' ')

function* compile(): Generator<undefined, ReadonlyMap<string, ReadonlySet<number>>> {
  const byKey = new Map<string, ReadonlySet<number>>()
  for (const [person, names] of peopleGroups.entries()) {
    // One set for all names, because a set for each takes 2 MB.
    const alone = new Set([person])
    for (const key of names.flatMap((name) => [writtenKey(name), soundKey(name)])) {
      const known = byKey.get(key)
      if (!known) byKey.set(key, alone)
      else if (!known.has(person)) byKey.set(key, new Set([...known, person]))
    }
    yield
  }
  byKey.delete('')
  return byKey
}

const people = lazyInSteps(compile)

/** Makes the table of people in advance. */
export const loadPeople = people.load

const nobody: ReadonlySet<number> = new Set()

/** The people with this complete name, as written, otherwise by its sound. Several people may share it. */
export function peopleNamed(name: string): ReadonlySet<number> {
  return people().get(writtenKey(name)) ?? people().get(soundKey(name)) ?? nobody
}
