/**
 * Questions that need the one before them, such as "where is he buried?". The built-in model reads no conversation, so it
 * searches for the words of both.
 */

/**
 * `refers`: a pronoun stands for a subject that the question does not name. `continues`: it only begins like a
 * continuation ("and a tish?"), and may have its own subject.
 */
export type FollowUp = 'refers' | 'continues'

/** A question with more words of content names its subject itself. */
const maxContent = 7
/** With this many words of content before it, a pronoun stands for one of them. */
const namesSubject = 2

const english = {
  function:
    'a an the of in on at to for from by with about and or but so also then who whom whose what which when where why how is are was were be been do does did has have had can could would should will may might not no any some more most please me us you i we tell explain say said give show one there else name'.split(
      ' ',
    ),
  pronoun: /^(?:he|him|his|she|her|hers|it|its|they|them|their|theirs)$/,
  /** `this` and `that` stand for a subject at the end, or before a general noun. */
  pointing:
    /\b(?:this|that|these|those)(?=[^\p{L}]*$| (?:book|work|person|man|rebbe|rabbi|story|saying|teaching|idea|concept|practice|custom|day|town|prayer|verse|one)s?\b)/giu,
  /** An `it` that stands for nothing. */
  empty:
    /\b(?:is|was|would|isn['’]t|could) it (?:\w+ ){1,3}(?:to|that|if|when|for)\b|\bwhy is it\b|\b(?:do|did) they (?:call|name) (?:it|him|her|them)\b|\bit (?:is|was) (?:said|told|written)\b/gi,
  opening: /^[^\p{L}]*(?:and|but|also|then|what about|how about)\b/iu,
}

const hebrew = {
  function:
    'מה מי איך למה מדוע מתי איפה היכן כיצד כמה האם איזה אילו איזו של את על עם אל הוא היא הם הן היה הייתה היו יש אין לא גם זה זאת זו עוד אפשר תסביר הסבר ספר תגיד אמר אומר כתב לימד קרא נקרא עליו בבקשה לי לנו אז אבל או כי כל לגבי בנוגע ההבדל בין לבין'.split(
      ' ',
    ),
  pronoun:
    /^[ושכ]?(?:של|אות|אצל|ממנ|אית|עמ|בינ|בי?ניה|אלי|עלי|לפני|אחרי|כמוה|ב|ל)(?:ו|ה|הם|הן|ם|ן|יו|יה|יהם)$/u,
  /** Nouns with a possessive ending, without `של` after them. */
  owned:
    /^[ובלמשכ]{0,2}(?:תלמיד|רבות|רב|בנ|ב|בת|אב|אבי|אחי|אחות|סב|נכד|חתנ|חותנ|אשת|אמ|משפחת|ספר|קבר|חיבור|כתב|תורת|שיטת|דרכ|דבר|ממשיכ|יורש|חסיד|מקומ|סיפור|חיי|מנהג|פטירת|הסתלקות|לידת|שמ|משמעות|מקור|תוכנ|מטרת)(?:ו|ה|ם|ן|יו|יה|יהם|יהן|הם)$/u,
  /** `הוא` as a subject: after a word of asking, or before what somebody did. It is a copula in `מה הוא בינוני`. */
  subject:
    /^[^\p{L}]*ו?(?:(?:איפה|היכן|מתי|למה|מדוע|איך|כיצד|כמה|האם|באיזו|באיזה|לאן|מאין) (?:\S+ )?(?:הוא|היא|הם|הן)|(?:מה|מי|את מי|על מה) (?:הוא|היא|הם|הן) (?:אמר|כתב|לימד|חיבר|עש|אומר|כותב|מלמד|חשב|סבר|רצ|דיבר|היה|הי)\S*)(?![\u05d0-\u05ea])/u,
  pointing: /(?<![\u05d0-\u05ea])(?:את|על|של|ב|ל|מ|כ)[ ]?(?:זה|זאת|זו)(?![\u05d0-\u05ea])/u,
  opening:
    /^[^\p{L}]*(?:ו(?:מה|מי|איך|למה|מדוע|מתי|איפה|היכן|כמה|כיצד|האם|איזה|אילו|על|אצל|עם)|מה (?:עם|לגבי|בנוגע)|אבל|וגם|ואם)(?![\u05d0-\u05ea])/u,
}

const functionWords = new Set([...english.function, ...hebrew.function])
const hebrewLetter = /[\u05d0-\u05ea]/u

/** Whether a question needs the one before it. Undefined for a question that names its subject. */
export function followsUp(question: string): FollowUp | undefined {
  const text = question.trim().slice(0, 300)
  const words = wordsIn(text.replaceAll(english.empty, ' '))
  if (words.filter(isContent).length > maxContent) return undefined
  if (refersBack(text, words)) return 'refers'
  return english.opening.test(text) || hebrew.opening.test(text) ? 'continues' : undefined
}

/** Whether a question has no word of content: "explain it briefly". It asks again about the subject before. */
export function isWithoutSubject(question: string): boolean {
  return !wordsIn(question).some((word) => isContent(word) && !form.test(word))
}

/** Words that ask for another form of the same answer. */
const form =
  /^(?:brief|briefly|short|shorter|shortly|simple|simply|simpler|again|detail|details|depth|further|longer|continue|summari[sz]e|translate|hebrew|english|elaborate|בקצרה|קצר|בפשטות|שוב|בהרחבה|תרחיב|הרחב|תמשיך|המשך|סכם|תסכם|תקצר|תרגם|בעברית|באנגלית|בפירוט)$/iu

function refersBack(text: string, words: readonly string[]): boolean {
  if (hebrew.subject.test(text) || hebrew.pointing.test(text) || text.search(english.pointing) >= 0)
    return true
  let content = 0
  for (const [at, word] of words.entries()) {
    if (content >= namesSubject) return false
    if (isPronoun(word, words[at + 1])) return true
    // A name in the middle of an English sentence is the subject.
    if (at > 0 && /^\p{Lu}/u.test(word) && isContent(word)) return false
    if (isContent(word)) content += 1
  }
  return false
}

function isPronoun(word: string, next: string | undefined): boolean {
  if (!hebrewLetter.test(word)) return english.pronoun.test(word.toLowerCase())
  return next !== 'של' && (hebrew.pronoun.test(word) || hebrew.owned.test(word))
}

function isContent(word: string): boolean {
  const plain = word.toLowerCase()
  return (
    !functionWords.has(plain) && !functionWords.has(plain.replace(/^ו/u, '')) && !isPronoun(plain, undefined)
  )
}

function wordsIn(text: string): readonly string[] {
  return text.match(/[\p{L}\p{M}]+(?:["'’׳״-]\p{L}+)*/gu) ?? []
}

/** Characters of an earlier question that are searched beside the newest one. */
const maxSubject = 250

/** The newest earlier question that names its subject. */
export function subjectBefore(
  earlier: readonly string[],
  isIdle: (question: string) => boolean,
): string | undefined {
  const asked = earlier.filter((question) => question.trim() !== '' && !isIdle(question))
  return (asked.findLast((question) => followsUp(question) !== 'refers') ?? asked[0])
    ?.trim()
    .slice(0, maxSubject)
    .toWellFormed()
}
