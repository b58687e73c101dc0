import { medial } from './fold.ts'

const values: Readonly<Record<string, number>> = {
  א: 1,
  ב: 2,
  ג: 3,
  ד: 4,
  ה: 5,
  ו: 6,
  ז: 7,
  ח: 8,
  ט: 9,
  י: 10,
  כ: 20,
  ל: 30,
  מ: 40,
  נ: 50,
  ס: 60,
  ע: 70,
  פ: 80,
  צ: 90,
  ק: 100,
  ר: 200,
  ש: 300,
  ת: 400,
}

/**
 * The number that Hebrew letters stand for (`לב` is 32, `ט"ו` 15, `תרי"ג` 613), below 1000; undefined when the
 * letters are no number: values must fall, apart from 15, 16 and the transposed ער"ב sort of spellings, which are
 * read by their sum when they have gershayim.
 */
export function hebrewNumber(written: string): number | undefined {
  const marked = /["'׳״’”]/.test(written)
  const letters = medial(written.replace(/["'׳״’”]/g, ''))
  if (!/^[א-ת]{1,5}$/.test(letters)) return undefined
  let sum = 0
  let last = Number.POSITIVE_INFINITY
  let falling = true
  for (const letter of letters) {
    const value = values[letter] ?? 0
    if (value > last || (value === last && letter !== 'ת')) falling = false
    last = value
    sum += value
  }
  return (falling || marked) && sum < 1000 ? sum : undefined
}

const letters = Object.entries(values).sort(([, a], [, b]) => b - a)

/** The usual spelling of a number from 1 to 999, without gershayim: 15 and 16 are טו and טז. */
export function toHebrewNumber(number: number): string {
  let left = number
  let written = ''
  for (const [letter, value] of letters) {
    while (left >= value && left !== 15 && left !== 16) {
      written += letter
      left -= value
    }
  }
  if (left === 15) written += 'טו'
  if (left === 16) written += 'טז'
  return written
}
