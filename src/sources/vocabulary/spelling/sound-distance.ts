import { hebrewPhones } from './hebrew-phones.ts'
import { latinPhones } from './latin-phones.ts'

/** The sound of a written word. */
export type Sound = { readonly phones: string; readonly consonants: number }

const isVowel = (phone: string): boolean => phone !== '' && 'AEIOU'.includes(phone)

/**
 * The sound of a word in either script.
 * @param word in lower case, and in medial letters.
 */
export function soundOf(word: string): Sound {
  const phones = /[א-ת]/.test(word) ? hebrewPhones(word) : latinPhones(word)
  return { phones, consonants: [...phones].filter((phone) => !isVowel(phone) && phone !== 'h').length }
}

/** Costs of pairs of consonants that transliterations confuse. All other pairs are different words. */
const costs = new Map(
  Object.entries({
    Hh: 0.1,
    Hk: 0.35,
    cz: 0.15,
    cs: 0.3,
    sz: 0.3,
    Kk: 0.1,
    Kc: 0.15,
    Ks: 0.3,
    HK: 0.3,
    st: 0.3,
    bv: 0.2,
    fp: 0.25,
    fv: 0.3,
    Ss: 0.2,
    SZ: 0.3,
    Zz: 0.15,
    CS: 0.35,
    CH: 0.35,
    Cc: 0.3,
    CK: 0.2,
    mn: 0.5,
    dt: 0.5,
  }).flatMap(([pair, cost]) => [
    [pair, cost],
    [[...pair].reverse().join(''), cost],
  ]),
)

const otherVowel = 0.15
/** Another vowel at the end of a word, kamatz as `o` or `a`, and shuruk as `i` in Polish Yiddish. */
const nearVowel = 0.05
/** A vowel that only one spelling has: `shkhine`. */
const lostVowel = 0.25
/** The same at the end of a word, where vowels are rarely lost. */
const lostLastVowel = 0.4
/** Sav and samekh at the end of a word, which Ashkenazim do not distinguish. */
const lastSav = 0.05
/** A final sav that only one word has: the plural or the construct form of a feminine noun. */
const lostSav = 0.3
const mute = 0.05
const spokenH = 0.2
const never = 10

/** Costs above which two words are different, by the number of consonants. Short words resemble too many others. */
const limits = [0, 0.1, 0.12, 0.45, 0.65]
const longest = 0.75

/** The largest distance at which a word with this sound is still the same word. */
export function limitOf({ consonants }: Sound): number {
  return limits[consonants] ?? longest
}

/** How differently two spellings sound: 0 for the same sound; `limitOf` says where another word begins. */
export function soundDistance(a: Sound, b: Sound): number {
  const [left, right] = [a.phones, b.phones]
  if (Math.abs(a.consonants - b.consonants) > 1) return never
  let above = [0]
  for (let j = 1; j <= right.length; j += 1) above.push((above[j - 1] ?? 0) + omission(right, j - 1))
  for (let i = 1; i <= left.length; i += 1) {
    const row = [(above[0] ?? 0) + omission(left, i - 1)]
    for (let j = 1; j <= right.length; j += 1) {
      row.push(
        Math.min(
          (above[j - 1] ?? 0) + exchange(left, i - 1, right, j - 1),
          (above[j] ?? 0) + omission(left, i - 1),
          (row[j - 1] ?? 0) + omission(right, j - 1),
        ),
      )
    }
    above = row
  }
  return above.at(-1) ?? never
}

function exchange(left: string, i: number, right: string, j: number): number {
  const [one, other] = [left.charAt(i), right.charAt(j)]
  if (one === other) return 0
  const areLast = isLast(left, i) && isLast(right, j)
  if (isVowel(one) && isVowel(other)) return areLast || nearVowels.has(one + other) ? nearVowel : otherVowel
  if (areLast && isSav(one) && isSav(other)) return lastSav
  return costs.get(one + other) ?? never
}

const isSav = (phone: string): boolean => phone === 't' || phone === 's'

const nearVowels = new Set(['UI', 'IU', 'AO', 'OA'])

/** Whether a phone is the last one that is heard: an `h` at the end is mute. */
function isLast(phones: string, at: number): boolean {
  return at === phones.length - 1 || (at === phones.length - 2 && phones.endsWith('h'))
}

/** The cost of a phone that the other word lacks. */
function omission(phones: string, at: number): number {
  const [phone, before] = [phones.charAt(at), phones.charAt(at - 1)]
  if (isVowel(phone)) return isLast(phones, at) ? lostLastVowel : lostVowel
  if (at === 0) return never
  if (phone === 'y') return lostVowel
  if (phone === 'h') return isVowel(phones.charAt(at + 1)) && isVowel(before) ? spokenH : mute
  return at === phones.length - 1 && isSav(phone) && isVowel(before) ? lostSav : never
}
