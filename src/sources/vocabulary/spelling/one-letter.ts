const alphabets = { he: 'אבגדהוזחטיכלמנסעפצקרשת', en: 'abcdefghijklmnopqrstuvwxyz' } as const

/** Minimum letters of a word in which a letter may be missing, added or out of place. Shorter words are too close. */
const shortest = { he: 4, en: 5 } as const

/** Minimum letters of a word that may have lost or gained a letter. */
const shortestForOther = { he: 5, en: 6 } as const

/** Hebrew letters that sound the same to many speakers; `ת` and `ס` in the Ashkenazi pronunciation. */
const homophones: Readonly<Record<string, string>> = {
  א: 'עה',
  ב: 'ו',
  ה: 'א',
  ו: 'ב',
  ח: 'כ',
  ט: 'ת',
  כ: 'קח',
  ס: 'תש',
  ע: 'א',
  ק: 'כ',
  ש: 'ס',
  ת: 'טס',
}

/**
 * The words of which `word` may be a slip of one letter: two neighbours in the wrong order, a letter missing, a
 * letter too many, or in Hebrew a letter that sounds the same (`עצבוט`). Of the other slips the first letter stays, and
 * the last one changes only its place or occurs twice: otherwise `gravel` would be `grave`.
 * @param word in lower case, and in medial letters.
 */
export function oneLetterOff(word: string): ReadonlySet<string> {
  const script = /[א-ת]/.test(word) ? 'he' : 'en'
  const found = new Set<string>()
  if (word.length < shortest[script]) return found
  for (let at = 1; at < word.length - 1; at += 1)
    found.add(word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2))
  if (word.length >= shortestForOther[script]) {
    for (let at = 1; at < word.length; at += 1) {
      const isInside = at < word.length - 1 || word.charAt(at) === word.charAt(at - 1)
      if (isInside) found.add(word.slice(0, at) + word.slice(at + 1))
      for (const letter of alphabets[script]) found.add(word.slice(0, at) + letter + word.slice(at))
    }
  }
  for (const heard of withHomophone(word)) found.add(heard)
  found.delete(word)
  return found
}

function withHomophone(word: string): readonly string[] {
  return [...word].flatMap((letter, at) =>
    [...(homophones[letter] ?? '')].map((other) => word.slice(0, at) + other + word.slice(at + 1)),
  )
}

/** Minimum letters of a word that is read as an ordinary one, with its letters in another order or with another one. */
const shortestOrdinary = { he: { order: 5, letters: 7 }, en: { order: 6, letters: 7 } } as const

/**
 * Whether a slip may be an ordinary word. Both languages have many pairs like `frame` and `farm`; names are rarer.
 * @param slip one of `oneLetterOff(word)`.
 */
export function isOrdinarySlip(word: string, slip: string): boolean {
  const { order, letters } = shortestOrdinary[/[א-ת]/.test(word) ? 'he' : 'en']
  return word.length >= (slip.length === word.length ? order : letters)
}
