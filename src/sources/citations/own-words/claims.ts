/**
 * Recognises claims of verification in a model's text. Only the service may say that a quotation was verified,
 * because only the service compares it.
 * A claim is removed if it stands by itself: a line, a sentence, a label with its value, the content of brackets. The
 * same words inside a sentence stay: "he repeats it word for word".
 */

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** Phrases that count as one word of a claim. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\bword[ -]for[ -]word\b/g, 'verbatim'],
  [/\bletter[ -](?:by|for)[ -]letter\b/g, 'verbatim'],
  [/\bcross[ -]?checked\b/g, 'checked'],
  [/(?<![א-ת])(?:מילה במילה|מלה במלה|אות באות|ככתבו וכלשונו)(?![א-ת])/g, 'verbatim'],
]
const claims = set(
  'verified checked confirmed validated verbatim exact accurate אומת אומתה אומתו ואומתו ואומתה מאומת מאומתת מאומתים מאומתות נבדק נבדקה נבדקו ונבדק ואומת מדויק מדויקת מדויקים כלשונו כלשונה כלשונם',
)
/** Words that may accompany a claim without adding other content. */
const fillers = set(
  'a is are was were has have been and all both each fully directly carefully as in against by with from to the this that our your ' +
    'quotation quotations quote quotes citation citations source sources reference references text texts wording passage ' +
    'passages original library database tool tools system service server above match check status yes ✓ ✔ ✅ ☑ ' +
    'כל הוא היא הם מול מתוך על ידי לפי עם את ציטוט הציטוט ציטוטים הציטוטים מקור המקור מקורות המקורות נוסח הנוסח ספריה ספרייה הספריה הספרייה ' +
    'בספריה בספרייה במקור בקטע קטע הקטע המערכת כן',
)
const maxWords = 16

/** The wording of the service's own source list about quotations, see `source-list.ts`. */
const ownWording =
  /^(?:in the words of the text, edited|(?:a translation|translations), not compared|close to the text, not word for word|not found in this passage|not in this passage, but in(?: .{1,120})?|בלשון המקור, בעריכה|(?:תרגום|תרגומים), לא הושוו?|(?:קרוב|קרובים) ללשון המקור, לא מילה במילה|לא נמצאו? בקטע זה|אינו בקטע זה אלא ב:?(?: .{1,120})?)[.!]?$/iu

/** Maximum length of a claim, in UTF-16 units. */
export const longestClaim = 160

/** Whether a text that stands by itself (in brackets, or after a label) only says that something was verified. */
export function isClaim(text: string): boolean {
  const plain = bare(text)
  if (plain === '' || plain.length > longestClaim) return false
  if (ownWording.test(plain)) return true
  const words = wordsOf(plain)
  if (words.length > maxWords || !words.every((word) => claims.has(word) || fillers.has(word))) return false
  return words.some((word) => claims.has(word))
}

function wordsOf(plain: string): readonly string[] {
  return phrases
    .reduce((folded, [phrase, word]) => folded.replace(phrase, word), plain.toLowerCase())
    .replaceAll('\ufe0f', '')
    .split(/[\s,:;.!–—-]+/u)
    .filter((word) => word !== '')
}

const label =
  /^(?:\d{1,3} )?(?:quotations?|quotes?|citations?|verification|verified|ציטוט(?:ים)?|אימות)(?: check| status)? ?[:–—-] ?/iu
const wholeLine =
  /^(?:no quotations?|ללא ציטוט|(?:left out beside a quotation|הושמט סמוך לציטוט): .{1,120}|(?:\d{1,3} )?(?:quotations?|ציטוט(?:ים| אחד)?) (?:of this answer (?:was|were) not found in the library|בתשובה זו לא נמצאו? בספרייה))[.!]?$/iu
const ticked = /^[✓✔✅☑]/u

/** First words of a sentence about all quotations of the answer, followed by other words that it may contain. */
const sentenceStarts = 'all every each both these the i my כל הציטוטים המקורות ההפניות'.split(' ')
const sentenceWords = set(
  'i my of these those every direct cited quoted hebrew english here answer response below also that word letter for הפניות ההפניות כלל לעיל שלעיל מילה במילה',
)
/** `The answer` begins many ordinary sentences. Their first words are shown at once. */
const otherSubjects = set('answer response')
const subjects =
  /^(?:quotations?|quotes?|citations?|sources?|references?|texts?|ה?ציטוט(?:ים)?|ה?מקור(?:ות)?|ה?הפניות)$/u

/** Whether a sentence consists only of words of a claim and mentions quotations or sources. */
function isClaimOfAll(plain: string): boolean {
  const words = wordsOf(plain)
  return (
    sentenceStarts.includes(words[0] ?? '') &&
    !otherSubjects.has(words[1] ?? '') &&
    words.every(mayStandInSentence) &&
    words.some((word) => claims.has(word)) &&
    words.some((word) => subjects.test(word))
  )
}

function mayStandInSentence(word: string): boolean {
  return claims.has(word) || fillers.has(word) || sentenceWords.has(word)
}

/** Whether an incomplete sentence may still become such a sentence. Its last word may be incomplete. */
function mayBecomeClaimOfAll(plain: string): boolean {
  const words = plain.split(/[\s,:;.!–—-]+/u)
  const [first = ''] = words
  const last = words.pop() ?? ''
  const starts =
    words.length === 0 ? sentenceStarts.some((word) => word.startsWith(last)) : sentenceStarts.includes(first)
  if (!starts || otherSubjects.has(words[1] ?? last)) return false
  return words.every(mayStandInSentence) && allWords.some((word) => word.startsWith(last))
}

const allWords = [...claims, ...fillers, ...sentenceWords, 'cross', 'checked']

/** Whether a whole line or sentence only says that something was verified. */
export function isClaimSentence(text: string): boolean {
  const plain = bare(text)
  if (plain === '' || plain.length > longestClaim) return false
  if (wholeLine.test(plain) || (ticked.test(plain) && isClaim(plain))) return true
  if (isClaimOfAll(plain)) return true
  const value = label.exec(plain)?.[0]
  return value !== undefined && isClaim(plain.slice(value.length))
}

/** Beginnings of lines and sentences that may become a claim. */
const openings =
  'quotation,quote,citation,verification,verified,no quotation,ציטוט,אימות,ללא ציטוט,✓,✔,✅,☑'.split(',')

/** Whether an incomplete text may still become a claim sentence. */
function mayBecomeClaim(text: string): boolean {
  if (text.length > longestClaim) return false
  const plain = bare(text)
    .toLowerCase()
    .replace(/^\d{1,3} /, '')
  if (plain === '' || /^\d{1,3}$/.test(plain)) return true
  if (mayBecomeClaimOfAll(plain)) return true
  const opening = openings.find((each) => each.startsWith(plain) || plain.startsWith(each))
  if (opening === undefined) return false
  // A label has a colon after it; "Quotation marks are …" is prose.
  return /^[\p{L} ]*s?(?: check| status)?\s*(?:$|[:–—-])/u.test(plain) || ticked.test(plain)
}

const leading = /^(?:[\s>#*_•|-]|\d{1,3}[.)](?=\s))*/
const stop = /[.!?][*_”"’)\]]{0,4}(?=\s)|(?=[\n|])/

/**
 * Reads the sentence at the start of a text.
 * @returns its length if it only says that something was verified; `open` if it may still become such a sentence.
 */
export function readClaimSentence(text: string, final: boolean): number | 'open' | undefined {
  const ahead = text.slice(0, 4 * longestClaim)
  const lead = leading.exec(ahead)?.[0].length ?? 0
  const end = stop.exec(ahead.slice(lead))
  const length = end ? lead + end.index + end[0].length : ahead.length
  const sentence = ahead.slice(0, length)
  if (end === null && !final) return mayBecomeClaim(sentence) ? 'open' : undefined
  return isClaimSentence(sentence) && everyBeginning(sentence, mayBecomeClaim) ? length : undefined
}

/**
 * Whether every prefix of the text may become a claim. So the decision does not depend on how the text was cut into
 * deltas.
 */
export function everyBeginning(text: string, mayBecome: (beginning: string) => boolean): boolean {
  for (let end = 1; end < text.length; end += 1) if (!mayBecome(text.slice(0, end))) return false
  return true
}

const isolates = /[\u2066-\u2069\u200e\u200f]/g
const decorations = /^(?:[\s>#*_•·|-]|\d{1,3}[.)](?=\s))+|[\s*_|]+$/g

/** Returns a line without Markdown characters and directional marks. */
export function bare(line: string): string {
  return line
    .replace(isolates, '')
    .replace(decorations, '')
    .replace(/\*{1,3}|_{2,3}/g, '')
    .replace(/[\u00a0\s]+/g, ' ')
}
