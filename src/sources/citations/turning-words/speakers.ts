import { wordSet } from './negations.ts'

/** Verbs by which a text lets somebody speak. A form behind `to`, `as` or a Hebrew `ש` introduces nobody. */
const verbs = wordSet(
  'says said asks asked answers answered replies replied responds responded objects objected retorts retorted exclaimed remarks remarked warns warned teaches taught explains explained writes wrote states stated argues argued claims claimed recommends suggests ' +
    'אמר אמרה אמרו אומר אומרת אומרימ אמרי השיב השיבה השיבו משיב ענה ענתה ענו שאל שאלה שאלו הקשה מקשה כתב כותב פירש מפרש מלמד לימד מבאר ביאר מסביר מזהיר מציע זאגט',
)
const beforeOthers = wordSet('to as is was be been are were which what have has had כמו כמה מה')
const abbreviated = /^ו?(?:א["״]ל|א["״]ר)$/

/** Whether a word, folded, is a verb of speech. */
export function isSpeechVerb(word: string): boolean {
  return verbs.has(word)
}

/**
 * Whether somebody begins to speak in words of a passage: `Rabbi Levi said`, `אמר אביי`, `א"ל`.
 * @param word folded, without apostrophes.
 * @param before the word before it; empty at the beginning.
 */
export function beginsSpeech(word: string, before: string): boolean {
  if (abbreviated.test(word)) return true
  const isVerb = verbs.has(word) || (word.startsWith('ו') && verbs.has(word.slice(1)))
  return isVerb && !beforeOthers.has(before)
}
