import { isNegation, turnsMeaning, wordSet } from './negations.ts'
import { areOpposite } from './opposites.ts'

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

/** Words that begin an explanation: `[i.e., sadness]`. */
const explaining = wordSet(
  'i e ie that is meaning namely viz or the a an of כלומר היינו דהיינו פירוש פי רל או',
)
/** Words after which a negation within brackets denies the words of the brackets: `[joy, which is not laughter]`. */
const relating = wordSet('which who whose whom and namely meaning ie viz כלומר היינו דהיינו אשר')
const begins = /^(?:i e|that is) /
const hebrewRelating = /^[וש](?=[א-ת]{2})/
/** Words that complete no negation: `[which is not so]`, `[it is not true that]`. */
const emptyWords = wordSet(
  'so true truly really right correct the case that to of for in by a an is are be it this at all even only כן כך נכון אמת אמתי באמת ממש של את כי',
)

/**
 * Whether words that an editor adds in brackets can turn the quoted words round.
 * @param words folded.
 * @param beside the quoted words before and behind the brackets, folded.
 */
export function areReversing(
  words: string,
  beside: { readonly before: string; readonly behind: string },
): boolean {
  if (reversingPhrase.test(words) || opposingPrepositions.test(words)) return true
  const all = words.split(' ')
  const behind = beside.behind.split(' ').slice(0, nearWords)
  const near = [...beside.before.split(' ').slice(-nearWords), ...behind]
  const [meant, ...more] = all.filter((word) => !explaining.has(word))
  if (meant !== undefined && more.length === 0 && near.some((word) => areOpposite(meant, word))) return true
  return all.some((word, i) => reverses(word, all[i + 1] ?? behind[0]) && !deniesWithin(all, i))
}

const nearWords = 2

/** Whether a negation within brackets denies only words of the brackets: `[joy, which is not mere laughter]`. */
function deniesWithin(words: readonly string[], at: number): boolean {
  const word = words[at] ?? ''
  if (!isNegation(word, 'before', words[at + 1]) || emptyWords.has(words.at(-1) ?? '')) return false
  const isRelated = begins.test(words.join(' ')) || words.slice(0, at).some((one) => relating.has(one))
  return (isRelated || hebrewRelating.test(word)) && words.slice(at + 1).some((one) => !emptyWords.has(one))
}
