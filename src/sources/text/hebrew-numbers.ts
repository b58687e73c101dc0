import { medial } from './fold.ts'

/** Letters by value, highest first. */
const letters: readonly (readonly [letter: string, value: number])[] = [
  ['ת', 400],
  ['ש', 300],
  ['ר', 200],
  ['ק', 100],
  ['צ', 90],
  ['פ', 80],
  ['ע', 70],
  ['ס', 60],
  ['נ', 50],
  ['מ', 40],
  ['ל', 30],
  ['כ', 20],
  ['י', 10],
  ['ט', 9],
  ['ח', 8],
  ['ז', 7],
  ['ו', 6],
  ['ה', 5],
  ['ד', 4],
  ['ג', 3],
  ['ב', 2],
  ['א', 1],
]
const values = new Map(letters)

/** The first number written with thousands. Below it, `תתקצ״ט` is 999 and `תתרצ״ט` 1099. */
const thousandsFrom = 1200

/** Word for full thousands, so that `ב׳` stays 2. */
const fullThousands = 'אלפים'

/**
 * Parses a Hebrew numeral below 10,000: `לב` is 32, `ט"ו` 15, `תרי"ג` 613, `ב'ק"ד` 2104. Undefined for other words.
 * The letters must be those of the number's usual spelling. Without gershayim they must also be in its order.
 */
export function hebrewNumber(written: string): number | undefined {
  const thousands = /^([א-ט])['׳’](.+)$/.exec(written)
  const [, first = '', rest = ''] = thousands ?? []
  if (thousands) {
    const below = rest === fullThousands ? 0 : smallNumber(rest)
    return below === undefined || below >= 1000 ? undefined : (values.get(first) ?? 0) * 1000 + below
  }
  return smallNumber(written)
}

function smallNumber(written: string): number | undefined {
  const marked = /["'׳״’”]/.test(written)
  const bare = medial(written.replace(/["'׳״’”]/g, ''))
  if (!/^[א-ת]{1,6}$/.test(bare)) return undefined
  let sum = 0
  for (const letter of bare) sum += values.get(letter) ?? 0
  if (sum >= thousandsFrom) return undefined
  const usual = toHebrewNumber(sum)
  if (bare === usual || bare === inOrder(sum)) return sum
  return marked && sorted(bare) === sorted(usual) ? sum : undefined
}

function sorted(text: string): string {
  return [...text].sort().join('')
}

/** The letters of a number in descending order, even if they spell a word. */
function inOrder(number: number): string {
  let left = number
  let written = ''
  for (const [letter, value] of letters) {
    while (left >= value) {
      written += letter
      left -= value
    }
  }
  return written
}

/**
 * The usual spelling of a number from 1 to 1199, without gershayim. 15 and 16 are טו and טז. 270, 272 and 275 have
 * their letters swapped, so that they do not spell an evil word, as in Sefaria.
 */
export function toHebrewNumber(number: number): string {
  return inOrder(number)
    .replace(/יה$/, 'טו')
    .replace(/יו$/, 'טז')
    .replace(/רע(?=[בה]?$)/, 'ער')
}

/**
 * A number with geresh or gershayim: `א׳`, `ט״ו`; with thousands `ב׳ק״ד`. Numbers below 1 and from 10,000 on stay
 * digits, because nobody reads them as letters and very large ones would be endless.
 */
export function hebrewNumeral(number: number): string {
  if (!(number >= 1 && number < 10_000)) return String(number)
  if (number < thousandsFrom) return withMark(toHebrewNumber(number))
  const rest = toHebrewNumber(number % 1000)
  return `${toHebrewNumber(Math.floor(number / 1000))}׳${rest === '' ? fullThousands : withMark(rest)}`
}

function withMark(spelled: string): string {
  return spelled.length === 1 ? `${spelled}׳` : `${spelled.slice(0, -1)}״${spelled.slice(-1)}`
}
