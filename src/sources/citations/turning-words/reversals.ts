import { isNegation, turnsMeaning, wordSet } from './negations.ts'

/** English verbs that deny the verb they govern, in all forms: `stop`, `ceased`, `forbids`. */
const denyingVerbs =
  /^(?:(?:stopp?|ceas|quitt?|fail|avoid|prohibit|prevent|pretend|abstain|refrain|reject|abandon|neglect|hat(?=[ei])|despis|oppos|lack|declin|resist|disobey)(?:e?s|e?d|e|ing)?|den(?:y|ies|ied|ying)|forb(?:ids?|ade|idden|idding)|forg(?:ets?|ot|otten|etting)|unable|incapable|unwilling|impossible)$/
const denyingHebrew = wordSet(
  'הפסיק הפסיקו להפסיק מפסיק מפסיקים יפסיק חדל חדלו לחדול יחדל נמנע נמנעים להימנע להמנע יימנע ימנע מונע מנע למנוע סירב סרב סירבו מסרב לסרב יסרב אסור אסורה אסורים נאסר אסר נכשל נכשלו להיכשל שכח שכחו לשכוח שנא שונא לשנוא מתנגד מתנגדים הכחיש מכחיש כפר כופר',
)
/** Words that set aside or reverse what stands beside them. In a passage they are mostly harmless. */
const opposing = wordSet(
  'opposite contrary false falsely untrue wrong wrongly mistaken mistakenly rarely seldom barely supposedly allegedly un non anti dis pseudo ' +
    'שקר שקרי כוזב טעות בטעות מוטעה הפכ היפכ להפכ להיפכ ההיפכ ההפכ נגד במקומ זולת למעט כאילו חסר נעדר',
)
/** Prepositions. They govern the quoted words only at the end of the brackets: `[against] the will`, `[instead of] prayer`. */
const opposingPrepositions = /(?:^| )(?:against|except|excluding|unlike|instead)(?: of| for)?$/
const hebrewPrefix = /^[ושהד](?=[א-ת]{3})/

/** Whether a list has a word, with or without up to two Hebrew prefixes. */
function has(list: ReadonlySet<string>, word: string): boolean {
  const bare = word.replace(hebrewPrefix, '')
  return list.has(word) || list.has(bare) || list.has(bare.replace(hebrewPrefix, ''))
}

/**
 * Whether a word denies the words that it governs.
 * @param word folded, without apostrophes.
 * @param next the word after it.
 */
export function denies(word: string, next = ''): boolean {
  if (isNegation(word, 'before', next) || denyingVerbs.test(word)) return true
  return has(denyingHebrew, word)
}

/** Whether a word that an editor adds in brackets can turn the quoted words round. */
export function reverses(word: string, next = ''): boolean {
  if (turnsMeaning(word, 'before', next) || denies(word, next)) return true
  return has(opposing, word)
}

/** Words after which a text says what is so, in contrast to what is not: `not an ornament but a condition`. */
const contrasts = wordSet('but rather only except unless אלא רק זולת זולתי')

/** Whether a word, folded, takes up what a negation before it leaves. */
export function isContrast(word: string): boolean {
  return contrasts.has(word)
}

/** English phrases that reverse the words after them: `[far from] holy`. */
const reversingPhrase =
  /(?:^| )(?:far from|anything but|free (?:of|from)|rather than|so called|out of the question)(?: |$)/

/**
 * Whether words that an editor adds in brackets can turn the quoted words round.
 * @param words folded.
 * @param next the quoted words behind the brackets, folded.
 */
export function areReversing(words: string, next: string): boolean {
  if (reversingPhrase.test(words) || opposingPrepositions.test(words)) return true
  const all = words.split(' ')
  return all.some((word, i) => reverses(word, all[i + 1] ?? /^\S*/.exec(next)?.[0]))
}
