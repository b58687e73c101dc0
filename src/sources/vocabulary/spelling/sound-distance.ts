import { hebrewPhones } from './hebrew-phones.ts'
import { latinPhones } from './latin-phones.ts'

/** The sound of a written word. */
export type Sound = {
  readonly phones: string
  readonly consonants: number
  /** The first consonant; empty if there is none. */
  readonly first: string
}

const vowels = 'AEIOU'

const isVowel = (phone: string): boolean => phone !== '' && vowels.includes(phone)

/**
 * The sound of a word in either script.
 * @param word in lower case, and in medial letters.
 */
export function soundOf(word: string): Sound {
  const phones = /[א-ת]/.test(word) ? hebrewPhones(word) : latinPhones(word)
  const consonants = [...phones].filter((phone) => !isVowel(phone))
  const [first = ''] = consonants
  return { phones, consonants: consonants.filter((phone) => phone !== 'h').length, first }
}

/** Costs of pairs of consonants that transliterations confuse. All other pairs are different words. */
const confused: Readonly<Record<string, number>> = {
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
}

/** Kamatz as `o` or `a`, and shuruk as `i` in Polish Yiddish. */
const nearVowels = ['UI', 'AO']
const nearVowel = 0.05
const otherVowel = 0.15
/** A vowel that only one spelling has: `shkhine`. It is rarely the last one. */
const lostVowel = 0.25
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

const codes = 128

/** The cost of every pair of phones, by their character codes. */
const exchanges = new Float64Array(codes * codes).fill(never)
const setExchange = (one: string, other: string, cost: number): void => {
  exchanges[one.charCodeAt(0) * codes + other.charCodeAt(0)] = cost
  exchanges[other.charCodeAt(0) * codes + one.charCodeAt(0)] = cost
}
for (let code = 0; code < codes; code += 1) exchanges[code * codes + code] = 0
for (const one of vowels) for (const other of vowels) if (one !== other) setExchange(one, other, otherVowel)
for (const pair of nearVowels) setExchange(pair.charAt(0), pair.charAt(1), nearVowel)
for (const [pair, cost] of Object.entries(confused)) setExchange(pair.charAt(0), pair.charAt(1), cost)

/** Whether words with these first consonants can sound alike at all. */
export function mayBeAlike(a: Sound, b: Sound, limit: number): boolean {
  if (Math.abs(a.consonants - b.consonants) > 1) return false
  // An h at the beginning may be mute in one of them.
  return (
    a.first === '' ||
    b.first === '' ||
    a.first === 'h' ||
    b.first === 'h' ||
    exchangeOf(a.first, b.first) <= limit
  )
}

function exchangeOf(one: string, other: string): number {
  return exchanges[one.charCodeAt(0) * codes + other.charCodeAt(0)] ?? never
}

/** Longer sounds are cut off. */
const maxPhones = 32
let above = new Float64Array(maxPhones + 1)
let row = new Float64Array(maxPhones + 1)

/**
 * How differently two spellings sound: 0 for the same sound; `limitOf` says where another word begins. It is an edit
 * distance (Wagner and Fischer, 1974) with a cost for each pair of phones.
 */
export function soundDistance(a: Sound, b: Sound): number {
  const [left, right] = [a.phones.slice(0, maxPhones), b.phones.slice(0, maxPhones)]
  above[0] = 0
  for (let j = 1; j <= right.length; j += 1) above[j] = (above[j - 1] as number) + omission(right, j - 1)
  for (let i = 1; i <= left.length; i += 1) {
    const omitted = omission(left, i - 1)
    row[0] = (above[0] as number) + omitted
    for (let j = 1; j <= right.length; j += 1) {
      const changed = (above[j - 1] as number) + exchange(left, i - 1, right, j - 1)
      const shortened = Math.min(
        (above[j] as number) + omitted,
        (row[j - 1] as number) + omission(right, j - 1),
      )
      row[j] = Math.min(changed, shortened)
    }
    ;[above, row] = [row, above]
  }
  return above[right.length] as number
}

function exchange(left: string, i: number, right: string, j: number): number {
  const cost = exchanges[left.charCodeAt(i) * codes + right.charCodeAt(j)] ?? never
  if (cost === 0 || i !== left.length - 1 || j !== right.length - 1) return cost
  const [one, other] = [left.charAt(i), right.charAt(j)]
  if (isVowel(one) && isVowel(other)) return nearVowel
  return isSav(one) && isSav(other) ? lastSav : cost
}

const isSav = (phone: string): boolean => phone === 't' || phone === 's'

/** The cost of a phone that the other word lacks. */
function omission(phones: string, at: number): number {
  const [phone, isLast] = [phones.charAt(at), at === phones.length - 1]
  if (isVowel(phone)) return isLast ? lostLastVowel : lostVowel
  if (phone !== 'h' && phone !== 'y' && !isSav(phone)) return never
  if (at === 0) return never
  if (phone === 'y') return lostVowel
  const before = phones.charAt(at - 1)
  if (phone === 'h') return isVowel(phones.charAt(at + 1)) && isVowel(before) ? spokenH : mute
  return isLast && isVowel(before) ? lostSav : never
}
