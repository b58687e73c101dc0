/**
 * Words by which a request says what is to be done: "write an essay on …", "tell me everything about …". The built-in
 * model only quotes, so they are no search terms: a search for `essay` finds books of essays.
 */

const polite =
  "(?:(?:please|can you|could you|would you|will you|i(?:['’]d| would) (?:like|love)(?: you)? to|i want(?: you)? to|i need(?: you)? to|i have to|help me(?: to)?|act as an? [\\p{L} ]{1,30}? and) )*"
const made =
  '(?:essay|poem|article|talk|speech|sermon|drasha|dvar torah|paragraph|sources?|texts?|quotes?|quotations?|teachings?|sayings?|passages?|(?:bullet )?points?|(?:detailed )?explanation|definition|overview|introduction|description|summary|lesson|class|shiur|outline|list)'
const about = '(?:about|on|of|regarding|concerning)'

const hebrewPolite = '(?:(?:בבקשה|אפשר|תוכל|תוכלי|אתה יכול|אני צריך|אני צריכה|אני רוצה|אשמח) )*'
const hebrewMade =
  '(?:דבר תורה|דרשה|שיר|חיבור|מאמר|פסקה|מקורות|מקור|ציטוטים|ציטוט|נקודות|רשימה|הסבר|הגדרה|סיכום|שיעור|סקירה)'

/** At the beginning of a request, up to its subject. */
const openings: readonly RegExp[] = [
  new RegExp(
    `^${polite}(?:write|give|list|show|find|share|make|compose|prepare|draft|provide|bring)(?: me| us)? (?:[\\p{L}\\p{N}-]+ ){0,3}?${made} ${about} `,
    'iu',
  ),
  new RegExp(
    `^${polite}(?:explain|describe|define|discuss|teach|tell|learn|know|understand|elaborate|quote|share|say)(?: to| for)?(?: me| us)?(?: (?:everything|something|anything|all|more|a bit|a little|what))?(?: (?:that )?you (?:know|have|can (?:say|tell)))?(?: ${about})? `,
    'iu',
  ),
  /^what['’]?s the deal with /iu,
  new RegExp(
    `^${hebrewPolite}ו?[תל]?(?:כתוב|כתבי|ן|תת|תן|תני|תנו|הבא|הביא|רשום|רשמי|הכין|הכן|צור|הצג|מצא)(?: לי| לנו)? (?:[\\p{L}\\p{N}]+ ){0,1}?${hebrewMade}(?: [\\p{L}]+)?? (?:על|אודות|בנושא|לגבי) `,
    'u',
  ),
  new RegExp(
    `^${hebrewPolite}(?:מה אתה יכול |מה את יכולה )?(?:ספר|ספרי|תספר|תספרי|לספר|לדבר|ללמוד|לדעת|למד|לימדני)(?: לי| לנו| אותי| מחר)?(?: (?:הכול|הכל|משהו|עוד|כל מה ש[\\p{L}]+(?: יודע)?))? (?:על|אודות|בנושא|לגבי) `,
    'u',
  ),
]

/** Anywhere: for whom and in which form. */
const manners =
  /\b(?:like i['’]?m (?:five|5|a child)|eli5|step by step|in (?:simple|plain|easy) (?:words|terms|language)|in (?:detail|depth)|in (?:one|two|three|a few|\d+) (?:paragraphs?|words|sentences|points|lines)|for (?:a )?(?:beginners?|kids|children|child))\b|\bsimply(?=[^\p{L}]*$)|,? (?:tomorrow|help me)(?=[^\p{L}]*(?:help me|please)?[^\p{L}]*$)|(?<![\u05d0-\u05ea])(?:לילד בן (?:חמש|שש|5|6)|במילים פשוטות|בפשטות|בהרחבה|בפירוט|צעד אחר צעד|(?:את )?המושג|תעזור לי|עזור לי)(?![\u05d0-\u05ea])/giu

/** The words of a request without those that say what to do. A request that has no others stays as it is. */
export function withoutInstruction(question: string): string {
  const plain = question.replaceAll(manners, ' ').replaceAll(/\s+/g, ' ').trim()
  const subject = openings.reduce((text, opening) => text.replace(opening, ''), plain)
  return /\p{L}{2}/u.test(subject) ? subject : question
}
